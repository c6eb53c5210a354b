package io.hearth.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hearth.cli.terminal.Exit;
import io.hearth.identity.NetworkNamespace;
import io.hearth.identity.SecretText;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Hearth works for a user id without an entry in the user database, as containers have. */
final class NamelessUserIT {
    /** Runs a program with an unknown user id that may read the class path wherever it is. */
    private static final List<String> AS_NAMELESS = List.of(
            "setpriv",
            "--reuid=2012345678",
            "--regid=2012345678",
            "--clear-groups",
            "--inh-caps=+dac_read_search",
            "--ambient-caps=+dac_read_search");

    private final Map<String, String> environment;
    private final Path folder;

    NamelessUserIT() throws IOException {
        folder = Files.createTempDirectory("hearth-nameless");
        environment = Map.of(
                "HOME",
                folder.toString(),
                "HEARTH_HOME",
                folder.resolve("home").toString(),
                "HEARTH_SECRET",
                SecretText.of(NetworkNamespace.create("home")));
    }

    @BeforeEach
    void needsRoot() throws Exception {
        boolean able = "root".equals(System.getProperty("user.name")) && run(List.of("true")) == 0;
        if (!able) {
            System.out.println("SKIPPED NamelessUserIT: needs root and setpriv");
        }
        Assumptions.assumeTrue(able);
        Files.setAttribute(folder, "unix:uid", 2012345678);
    }

    @AfterEach
    void removeFolder() throws IOException {
        Files.walkFileTree(folder, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                Files.delete(file);
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult postVisitDirectory(Path visited, @org.jspecify.annotations.Nullable IOException bad)
                    throws IOException {
                Files.delete(visited);
                return FileVisitResult.CONTINUE;
            }
        });
    }

    private static int run(List<String> program) throws Exception {
        var command = new ArrayList<>(AS_NAMELESS);
        command.addAll(program);
        try {
            return new ProcessBuilder(command).inheritIO().start().waitFor();
        } catch (IOException noSetpriv) {
            return -1;
        }
    }

    private RunningProcess hearth(String... arguments) throws IOException {
        var command = new ArrayList<>(AS_NAMELESS);
        command.addAll(RunningProcess.java());
        command.add(Main.class.getName());
        command.addAll(List.of(arguments));
        return RunningProcess.start(environment, command);
    }

    @Tag("full")
    @Test
    void itsAgentServesItAndItTrains() throws Exception {
        try (var agent = hearth("agent", "--interface", "lo")) {
            agent.await("the port", line -> line.startsWith("agent "));
            try (var status = hearth("status")) {
                assertEquals(Exit.OK, status.exitCode(), status.output());
            }
            try (var wait = hearth("wait", "--peers", "0", "--timeout", "20s")) {
                assertEquals(Exit.OK, wait.exitCode(), wait.output());
            }
            try (var train = hearth("train", "--interface", "lo", "--epochs", "1", "--min-nodes", "1")) {
                assertEquals(Exit.OK, train.exitCode(), train.output());
            }
            // A trainer hangs up if it ends while it dials its agent, and answers late if it starts on a busy machine.
            List<String> refusals = agent.output()
                    .lines()
                    .filter(line -> line.contains("refused cause="))
                    .filter(line -> !line.contains("cause=HUNG_UP") && !line.contains("cause=TOO_LATE"))
                    .toList();
            assertEquals(List.of(), refusals, agent.output());
        }
    }
}
