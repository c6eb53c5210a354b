package io.hearth.cli.serve;

import io.hearth.cli.terminal.Durations;
import io.hearth.scheduler.SchedulerSettings;
import io.hearth.scheduler.server.Scheduler;
import io.hearth.serve.shell.ClusterService;
import java.time.Duration;
import picocli.CommandLine.Option;

/** The settings of a scheduler. */
final class SchedulerOptions implements ServiceOptions {
    @Option(
            names = "--node-timeout",
            paramLabel = "TIME",
            converter = Durations.class,
            description = "After which the scheduler gives the shards of a silent node to others (default: 60s).")
    private Duration nodeTimeout = Duration.ofNanos(SchedulerSettings.DEFAULT.timeoutNanos());

    @Override
    public int port() {
        return 29_512;
    }

    @Override
    public ClusterService.Maker<?> maker() {
        long timeout = ServiceOptions.nanos(nodeTimeout);
        return Scheduler.maker(
                new SchedulerSettings(Math.min(SchedulerSettings.DEFAULT.heartbeatNanos(), timeout / 3), timeout));
    }
}
