package io.hearth.cli.demo;

import io.hearth.agent.HearthConfig;
import io.hearth.agent.LocalAgent;
import io.hearth.cli.option.Loopback;
import io.hearth.cli.process.DemoHomes;
import io.hearth.cli.process.SelfProcess;
import io.hearth.core.HearthException;
import io.hearth.core.SetupException;
import io.hearth.identity.NodeId;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.concurrent.TimeUnit;

/**
 * Makes the archive of the commands that ask the agent and end, such as {@code status}. Java loads all classes of an archive at its start, so
 * they start in three quarters of the time with an archive of their own.
 */
final class ShortStart {
    private static final Duration TIMEOUT = Duration.ofSeconds(60);

    private ShortStart() {}

    /**
     * Runs {@code status} against an agent of this process, and lets it write down what it loaded.
     *
     * @param folder for the child's output
     * @param home with the demo's namespace
     */
    static void record(ClassArchive archive, Path folder, Path home) throws HearthException, InterruptedException {
        HearthConfig config = HearthConfig.defaults()
                .agent(NodeId.AGENT)
                .home(home)
                .namespace(DemoHomes.NAMESPACE)
                .interfaces(List.of(Loopback.name()));
        try (LocalAgent _ = LocalAgent.start(config, OptionalInt.of(0), Map.of())) {
            ProcessBuilder status = SelfProcess.of(archive.flags(), List.of("status"));
            status.environment().put("HEARTH_HOME", home.toString());
            status.redirectErrorStream(true)
                    .redirectOutput(folder.resolve("status.log").toFile());
            Process running = status.start();
            try {
                if (!running.waitFor(TIMEOUT.toSeconds(), TimeUnit.SECONDS)) {
                    throw new HearthException("the command to record has not ended for " + TIMEOUT.toSeconds()
                            + " s; is this machine very busy?");
                }
            } finally {
                running.destroyForcibly(); // nothing if it has ended
            }
        } catch (IOException failed) {
            throw new SetupException("cannot start the command to record: " + failed.getMessage(), failed);
        }
        archive.complete();
    }
}
