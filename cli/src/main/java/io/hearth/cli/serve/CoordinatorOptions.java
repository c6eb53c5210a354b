package io.hearth.cli.serve;

import io.hearth.cli.terminal.Durations;
import io.hearth.coordinator.CoordinatorSettings;
import io.hearth.coordinator.server.Coordinator;
import io.hearth.serve.shell.ClusterService;
import java.time.Duration;
import picocli.CommandLine.Option;

/** The settings of a coordinator. */
final class CoordinatorOptions implements ServiceOptions {
    @Option(
            names = "--worker-timeout",
            paramLabel = "TIME",
            converter = Durations.class,
            description = "After which the coordinator takes a silent worker off its list (default: 30s).")
    private Duration workerTimeout = Duration.ofSeconds(30);

    @Override
    public int port() {
        return 29_511;
    }

    @Override
    public ClusterService.Maker<?> maker() {
        return Coordinator.maker(new CoordinatorSettings(ServiceOptions.nanos(workerTimeout)));
    }
}
