package io.hearth.cli.serve;

import io.hearth.cli.terminal.Durations;
import io.hearth.lighthouse.LighthouseSettings;
import io.hearth.lighthouse.server.Lighthouse;
import io.hearth.serve.shell.ClusterService;
import java.time.Duration;
import java.util.Optional;
import picocli.CommandLine.Option;

/** The settings of a lighthouse. */
final class LighthouseOptions implements ServiceOptions {
    @Option(
            names = "--min-replicas",
            paramLabel = "N",
            description =
                    "Replica groups that a quorum of the lighthouse has at least; 1 or more. The lighthouse needs it.")
    private Optional<Integer> minReplicas = Optional.empty();

    @Option(
            names = "--join-timeout",
            paramLabel = "TIME",
            converter = Durations.class,
            description = "How long a quorum of the lighthouse waits for replicas that are alive and have not asked"
                    + " (default: 60s).")
    private Duration joinTimeout = Duration.ofSeconds(60);

    @Option(
            names = "--heartbeat-timeout",
            paramLabel = "TIME",
            converter = Durations.class,
            description = "After which the lighthouse does not wait for a silent replica (default: 5s).")
    private Duration heartbeatTimeout = Duration.ofSeconds(5);

    @Override
    public int port() {
        return 29_510; // torchft's
    }

    @Override
    public ClusterService.Maker<?> maker() {
        if (minReplicas.isEmpty()) {
            throw new IllegalArgumentException(
                    "the lighthouse needs --min-replicas N: replica groups that a quorum has at least");
        }
        return Lighthouse.maker(new LighthouseSettings(
                minReplicas.get(), ServiceOptions.nanos(joinTimeout), ServiceOptions.nanos(heartbeatTimeout)));
    }
}
