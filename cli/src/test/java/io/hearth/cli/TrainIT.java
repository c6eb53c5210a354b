package io.hearth.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.cli.option.Loopback;
import io.hearth.cli.terminal.Exit;
import io.hearth.identity.HearthHome;
import io.hearth.identity.NamespaceFile;
import io.hearth.identity.NetworkNamespace;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Trainers as processes that a user starts and stops. */
@Timeout(180)
final class TrainIT {
    @TempDir
    @SuppressWarnings("NullAway.Init") // JUnit sets it
    private Path folder;

    @Test
    void anInterruptedTrainerLeavesInOrderAndTheOtherGoesOn() throws Exception {
        HearthHome home = HearthHome.open(folder.resolve("home"));
        NamespaceFile.in(home).add(NetworkNamespace.create("home"));
        Path trace = folder.resolve("trace.json");
        try (RunningProcess stays = trainer(home);
                RunningProcess leaves = trainer(home, "--trace", trace.toString())) {
            stays.await("the training", line -> line.contains("training as rank"));
            leaves.await("the training", line -> line.contains("training as rank"));
            leaves.await("an epoch", line -> line.contains(" 2 nodes"));
            leaves.interrupt();
            assertEquals(Exit.INTERRUPTED, leaves.exitCode(), leaves.output());
            assertTrue(Files.readString(trace).contains("\"name\":\"all_reduce "), "it wrote what it had");
            assertTrue(leaves.output().contains("leaving: asked to"), leaves.output());
            assertFalse(leaves.output().contains("leaving as if it crashed"), leaves.output());

            String sign = stays.await(
                    "that it went",
                    line -> line.contains("link lost") || line.contains("suspected") || line.contains(" members=1 "));
            assertTrue(sign.contains("members=1"), "a crash, not a leave: " + sign);
            stays.await("the next epochs", line -> line.contains(" 1 nodes"));
        }
    }

    @Tag("full")
    @Test
    void aTrainerThatComesToAFullJobSaysThatItIsASpare() throws Exception {
        HearthHome home = HearthHome.open(folder.resolve("home"));
        NamespaceFile.in(home).add(NetworkNamespace.create("home"));
        try (RunningProcess one = trainer(home, "--min-nodes", "2:2");
                RunningProcess other = trainer(home, "--min-nodes", "2:2")) {
            one.await("the training", line -> line.contains("training as rank") && line.contains(" of 2"));
            other.await("the training", line -> line.contains("training as rank") && line.contains(" of 2"));
            try (RunningProcess late = trainer(home, "--min-nodes", "2:2")) {
                late.await("that there is no place", line -> line.contains("a spare"));
                late.interrupt();
                assertEquals(Exit.INTERRUPTED, late.exitCode(), late.output());
                assertFalse(late.output().contains("training as rank"), late.output());
            }
        }
    }

    private static RunningProcess trainer(HearthHome home, String... more) throws Exception {
        return RunningProcess.hearth(
                Map.of("HEARTH_HOME", home.folder().toString(), "HEARTH_LOG", "info"),
                List.of(),
                Stream.concat(Stream.of("train", "--interface", Loopback.name(), "--epochs", "100000"), Stream.of(more))
                        .toArray(String[]::new));
    }
}
