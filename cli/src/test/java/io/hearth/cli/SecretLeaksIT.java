package io.hearth.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.agent.AutoDiscoveryBackend;
import io.hearth.agent.HearthConfig;
import io.hearth.cli.terminal.Exit;
import io.hearth.identity.HearthHome;
import io.hearth.identity.NamespaceFile;
import io.hearth.identity.NetworkNamespace;
import io.hearth.identity.SecretText;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A node never prints, logs, sends or passes to a child a secret or a key. */
final class SecretLeaksIT {
    /** Flags for the most verbose logs, also of the libraries. */
    private static final List<String> LOUD =
            List.of("-Dorg.slf4j.simpleLogger.log.io.netty=trace", "-Dorg.slf4j.simpleLogger.log.javax.jmdns=trace");

    @TempDir
    @SuppressWarnings("NullAway.Init") // JUnit sets it
    private Path folder;

    private final NetworkNamespace namespace = NetworkNamespace.create("home");

    private Map<String, String> home(String name, NetworkNamespace known) throws Exception {
        Path home = folder.resolve(name);
        NamespaceFile.in(HearthHome.open(home)).add(known);
        return Map.of("HEARTH_HOME", home.toString(), "HEARTH_LOG", "trace");
    }

    @Tag("full")
    @Test
    void logsAnswersAndArgumentsHoldNone() throws Exception {
        var said = new StringBuilder();
        try (var agent = RunningProcess.hearth(home("agent", namespace), LOUD, "agent", "--interface", "lo")) {
            String listens = agent.await("the port", line -> line.startsWith("agent "));
            String port = listens.replaceAll(".*listens on port (\\d+).*", "$1");
            String[] train = {"train", "--interface", "lo", "--epochs", "1", "--peer", "127.0.0.1:" + port};
            try (var first = RunningProcess.hearth(home("first", namespace), LOUD, train);
                    var second = RunningProcess.hearth(home("second", namespace), LOUD, train);
                    var stranger = RunningProcess.hearth(
                            home("stranger", NetworkNamespace.create("home")),
                            LOUD,
                            "wait",
                            "--interface",
                            "lo",
                            "--peers",
                            "1",
                            "--timeout",
                            "5s",
                            "--peer",
                            "127.0.0.1:" + port)) {
                said.append(commandLine(first)).append(commandLine(agent));
                assertEquals(0, first.exitCode(), first.output());
                assertEquals(0, second.exitCode(), second.output());
                assertEquals(Exit.TIMED_OUT, stranger.exitCode(), stranger.output());
                said.append(first.output()).append(second.output()).append(stranger.output());
            }
            Commands commands = Commands.in(folder.resolve("agent"));
            said.append(commands.line("status").out());
            said.append(commands.line("status --json").json());
            said.append(agent.output());
        }
        assertTrue(said.indexOf(" TRACE ") > 0, "the logs tell all they can");
        assertTrue(said.indexOf("another namespace") > 0, "a stranger was refused");
        assertTrue(said.length() > 20_000, "the logs are long: " + said.length());
        Secrets secrets = Secrets.of(SecretText.of(namespace), "home");
        for (String node : List.of("agent", "first", "second")) {
            secrets.andKey(Files.readString(folder.resolve(node).resolve("identity.pem")));
        }
        assertEquals(List.of(), secrets.foundIn(said.toString()));
    }

    @Test
    void whatANodeIsMadeOfPrintsNone() throws Exception {
        Map<String, String> home = home("embedded", namespace);
        HearthConfig config = HearthConfig.defaults().namespace("home").interfaces(List.of("lo"));
        try (AutoDiscoveryBackend node = AutoDiscoveryBackend.start(config, home)) {
            var said = new StringBuilder();
            said.append(node.status()).append(node.topology()).append(node.id());
            said.append(namespace).append(node.context().metricsSnapshot());
            try (var keys = namespace.keys()) {
                said.append(keys);
            }
            said.append(new HearthHome[] {HearthHome.open(home)}[0]);
            Secrets secrets = Secrets.of(SecretText.of(namespace), "home")
                    .andKey(Files.readString(folder.resolve("embedded/identity.pem")));
            assertEquals(List.of(), secrets.foundIn(said.toString()));
        }
    }

    /** The environment of the parent has a secret, as in a container. The nodes of the demo use their own secret. */
    @Tag("full")
    @Test
    void theNodesOfADemoInheritNone() throws Exception {
        if (!Files.exists(Path.of("/proc/self/environ"))) {
            System.out.println("SKIPPED SecretLeaksIT.theNodesOfADemoInheritNone: needs /proc");
            return;
        }
        String text = SecretText.of(namespace);
        Secrets secrets = Secrets.of(text, "home");
        Map<String, String> environment = Map.of(
                "HEARTH_SECRET", text, "HEARTH_HOME", folder.resolve("parent").toString());
        try (var demo = RunningProcess.hearth(environment, List.of(), "demo", "--nodes", "2", "--epochs", "1000")) {
            demo.await("a node", line -> line.contains("looking for peers"));
            assertEquals(List.of("the secret's text"), secrets.foundIn(processFile(demo.handle(), "environ")));
            List<ProcessHandle> nodes = demo.handle().children().toList();
            assertEquals(2, nodes.size());
            for (ProcessHandle node : nodes) {
                String seen = processFile(node, "environ") + processFile(node, "cmdline");
                assertTrue(seen.contains("HEARTH_HOME"), seen);
                assertEquals(List.of(), secrets.foundIn(seen));
            }
            String home = processFile(nodes.getFirst(), "environ").replaceAll("(?s).*HEARTH_HOME=([^\\x00]*).*", "$1");
            assertTrue(Files.exists(Path.of(home)), home);
            demo.interrupt();
            assertEquals(Exit.INTERRUPTED, demo.exitCode());
            assertTrue(Files.notExists(Path.of(home)), "an interrupted demo leaves no secret behind");
            assertTrue(nodes.stream().noneMatch(ProcessHandle::isAlive));
        }
    }

    /** {@code wait} can start any program, and such a program may disclose its environment. */
    @Tag("full")
    @Test
    void theProgramAfterAWaitGetsNoneUnlessItIsAskedFor() throws Exception {
        String text = SecretText.of(namespace);
        Map<String, String> environment = Map.of(
                "HEARTH_SECRET", text, "HEARTH_HOME", folder.resolve("waits").toString(), "HEARTH_TEST", "inherited");
        String[] wait = {"wait", "--interface", "lo", "--peers", "0", "--", "env"};
        try (var without = RunningProcess.hearth(environment, List.of(), wait)) {
            assertEquals(0, without.exitCode(), without.output());
            assertTrue(without.output().contains("HEARTH_TEST=inherited"), without.output());
            assertTrue(!without.output().contains("HEARTH_SECRET="), "HEARTH_SECRET was handed on");
            assertEquals(List.of(), Secrets.of(text, "home").foundIn(without.output()));
        }
        String[] with = {"wait", "--interface", "lo", "--peers", "0", "--with-secret", "--", "env"};
        try (var asked = RunningProcess.hearth(environment, List.of(), with)) {
            assertEquals(0, asked.exitCode(), asked.output());
            assertTrue(asked.output().contains("HEARTH_SECRET=" + text), "it was asked for");
        }
    }

    private static String commandLine(RunningProcess process) {
        return process.handle().info().commandLine().orElse("");
    }

    private static String processFile(ProcessHandle process, String name) throws IOException {
        return Files.readString(Path.of("/proc/" + process.pid() + "/" + name), StandardCharsets.ISO_8859_1);
    }
}
