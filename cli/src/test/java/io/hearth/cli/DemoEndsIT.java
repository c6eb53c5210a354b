package io.hearth.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A demo that fails or is ended leaves nothing behind and prints the reason. */
@Timeout(180)
final class DemoEndsIT {
    @TempDir
    @SuppressWarnings("NullAway.Init") // JUnit sets it
    private Path temporary;

    @Tag("full")
    @Test
    void anInterruptedDemoLeavesNoNodeAndNoKey() throws Exception {
        Process demo = start();
        try (BufferedReader said = demo.errorReader(StandardCharsets.UTF_8)) {
            awaitTraining(said);
            List<ProcessHandle> nodes = demo.descendants().toList();
            assertEquals(2, nodes.size());
            assertEquals(1, folders());
            demo.destroy();
            demo.waitFor();
            for (ProcessHandle node : nodes) {
                node.onExit().get(30, TimeUnit.SECONDS);
            }
            assertEquals(0, folders());
        } finally {
            end(demo);
        }
    }

    @Tag("full")
    @Test
    void theNodesEndWithADemoThatCannotCleanUp() throws Exception {
        Process demo = start();
        try (BufferedReader said = demo.errorReader(StandardCharsets.UTF_8)) {
            awaitTraining(said);
            List<ProcessHandle> nodes = demo.descendants().toList();
            demo.destroyForcibly().waitFor();
            for (ProcessHandle node : nodes) {
                node.onExit().get(30, TimeUnit.SECONDS);
            }
            assertEquals(1, folders(), "nobody was there to remove it");
        } finally {
            end(demo);
        }
        theNextDemosRemoveWhatADeadOneLeftAndNothingElse();
    }

    private void theNextDemosRemoveWhatADeadOneLeftAndNothingElse() throws Exception {
        Files.createDirectory(temporary.resolve("hearth-demo-of-who-knows"));
        Process second = start();
        try (BufferedReader said = second.errorReader(StandardCharsets.UTF_8)) {
            awaitTraining(said);
            assertEquals(2, folders(), "its own, and one without a lock");
            Process third = start();
            try (BufferedReader thirdSaid = third.errorReader(StandardCharsets.UTF_8)) {
                awaitTraining(thirdSaid);
                assertEquals(3, folders(), "the second one lives");
            } finally {
                end(third);
            }
        } finally {
            end(second);
        }
    }

    @Tag("full")
    @Test
    void aNodeThatDiesByItselfEndsTheDemoWithTheReason() throws Exception {
        Process demo = start();
        try (BufferedReader said = demo.errorReader(StandardCharsets.UTF_8)) {
            awaitTraining(said);
            demo.descendants().findFirst().orElseThrow().destroyForcibly();
            String last = said.lines().toList().getLast();
            assertEquals(1, demo.waitFor());
            assertTrue(last.matches("hearth: node [12] was ended by signal 9; .*"), last);
            assertEquals(0, folders());
        } finally {
            end(demo);
        }
    }

    /** Two nodes that train for as long as the test needs. */
    private Process start() throws IOException {
        return new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:+UseSerialGC",
                        "-XX:TieredStopAtLevel=1",
                        "-Djava.io.tmpdir=" + temporary,
                        "-cp",
                        System.getProperty("java.class.path"),
                        Main.class.getName(),
                        "demo",
                        "--json",
                        "--nodes",
                        "2",
                        "--epochs",
                        "100000")
                .redirectOutput(new File("/dev/null"))
                .start();
    }

    private static void awaitTraining(BufferedReader said) throws IOException {
        for (String line = said.readLine(); line != null; line = said.readLine()) {
            if (line.contains("training as rank")) {
                return;
            }
        }
        throw new AssertionError("the demo ended before it trained");
    }

    private long folders() throws IOException {
        try (Stream<Path> files = Files.list(temporary)) {
            return files.filter(file -> String.valueOf(file.getFileName()).startsWith("hearth-demo-"))
                    .count();
        }
    }

    private static void end(Process demo) {
        demo.descendants().forEach(ProcessHandle::destroyForcibly);
        demo.destroyForcibly();
    }
}
