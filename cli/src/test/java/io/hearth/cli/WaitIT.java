package io.hearth.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.hearth.agent.HearthConfig;
import io.hearth.agent.LocalAgent;
import io.hearth.cli.Commands.Outcome;
import io.hearth.cli.terminal.Exit;
import io.hearth.identity.NetworkNamespace;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code hearth wait} and {@code hearth status} as scripts use them, with and without an agent. */
final class WaitIT {
    @TempDir
    @SuppressWarnings("NullAway.Init") // JUnit sets it
    private Path folder;

    private final NetworkNamespace namespace = NetworkNamespace.create("home");

    @SuppressWarnings("NullAway.Init") // set before each test
    private Commands here;

    @BeforeEach
    void makeAHome() throws Exception {
        here = Commands.in(folder.resolve("here"), namespace);
    }

    private LocalAgent agent(Commands commands, String... peers) throws Exception {
        HearthConfig config =
                HearthConfig.defaults().agent("agent").interfaces(List.of("lo")).peers(List.of(peers));
        return LocalAgent.start(config, commands.environment());
    }

    @Test
    void withoutAnAgentItTakesPartItselfAndLeavesAgain() throws Exception {
        Commands there = Commands.in(folder.resolve("there"), namespace);
        try (LocalAgent other = agent(there)) {
            String address = "127.0.0.1:" + other.node().port();
            Outcome found = here.run("wait", "--interface", "lo", "--peers", "1", "--peer", address);
            assertEquals(Exit.OK, found.code(), found.err());
            assertEquals("", found.out());
            assertTrue(found.err().contains("1 of 1 machines"), found.err());
            there.run("wait", "--peers", "0"); // asks the running agent
            assertEquals(1, other.node().status().view().members(), "who waited left in order before it ended");
        }
    }

    @Test
    void theProgramsExitCodeIsPassedOnAndItsArgumentsAreItsOwn() {
        assertEquals(
                7,
                here.run("wait", "--interface", "lo", "--peers", "0", "--", "sh", "-c", "exit 7")
                        .code());
        Outcome flags = here.run("wait", "--interface", "lo", "--peers", "0", "--", "test", "--peers", "=", "--json");
        assertEquals(1, flags.code(), flags.err());
        Outcome missing = here.run("wait", "--interface", "lo", "--peers", "0", "--", "no-such-program-here");
        assertEquals(Exit.NOT_FOUND, missing.code());
        assertTrue(missing.err().contains("hearth: cannot run 'no-such-program-here'"), missing.err());
        Outcome folder = here.run("wait", "--interface", "lo", "--peers", "0", "--", "/");
        assertEquals(Exit.NOT_EXECUTABLE, folder.code());
        assertTrue(folder.err().contains("hearth: cannot run '/': / is not executable"), folder.err());
    }

    @Test
    void theProgramTakesThePlaceOfTheCommand() throws Exception {
        Path script = Files.writeString(
                folder.resolve("script"), "trap 'echo stops; exit 5' TERM\necho \"$$ $1\"\nread line\n");
        assertTrue(script.toFile().setExecutable(true));
        String[] arguments = {"wait", "--interface", "lo", "--peers", "0", "--", script.toString(), "a  b"};
        try (var program = RunningProcess.hearth(here.environment(), List.of(), arguments)) {
            program.await("its line", line -> line.equals(program.handle().pid() + " a  b"));
            program.handle().destroy();
            program.await("its handler", line -> line.equals("stops"));
            assertEquals(5, program.exitCode());
        }
    }

    @Test
    void optionsThatARunningAgentMakesVoidAreRefused() throws Exception {
        try (LocalAgent _ = agent(here)) {
            Outcome refused = here.line("wait --peers 0 --namespace home");
            assertEquals(Exit.USAGE, refused.code(), refused.err());
            assertTrue(refused.err().contains("--namespace does nothing: this machine's agent runs"), refused.err());
        }
    }

    @Test
    void whenTimeIsOverItSaysWhoIsThereAndWhoWasRefused() throws Exception {
        Commands strangers = Commands.in(folder.resolve("there"), NetworkNamespace.create("home"));
        try (LocalAgent other = agent(strangers)) {
            String address = "127.0.0.1:" + other.node().port();
            Outcome over = here.run(
                    "wait",
                    "--interface",
                    "lo",
                    "--peers",
                    "1",
                    "--timeout",
                    "3s",
                    "--peer",
                    address,
                    "--",
                    "touch",
                    "x");
            assertEquals(Exit.TIMED_OUT, over.code(), over.err());
            String last = over.err().lines().toList().getLast();
            assertTrue(last.startsWith("hearth: timed out after 3.0 s with 0 of 1 machines"), last);
            assertTrue(last.contains("refused: " + other.node().id().peer().shortText()), last);
            assertTrue(last.contains("another namespace"), last);
        }
    }

    @Test
    void anAgentIsAskedAndNotDisturbed() throws Exception {
        Commands there = Commands.in(folder.resolve("there"), namespace);
        try (LocalAgent agent = agent(here);
                LocalAgent _ = agent(there, "127.0.0.1:" + agent.node().port())) {
            Outcome found = here.run("wait", "--peers", "1", "--json");
            assertEquals(Exit.OK, found.code(), found.err());
            JsonObject last = JsonParser.parseString(found.out()).getAsJsonObject();
            assertEquals(2, last.getAsJsonObject("view").get("members").getAsInt());
            Outcome more = here.line("wait --peers 2 --timeout 300ms");
            assertEquals(Exit.TIMED_OUT, more.code());
            assertTrue(more.err().contains("with 1 of 2 machines: here: "), more.err());
            Outcome trainers = here.line("wait --peers 1 --group job --timeout 300ms");
            assertEquals(Exit.TIMED_OUT, trainers.code());
            assertTrue(trainers.err().contains("with 0 of 1 trainers of group job"), trainers.err());

            JsonObject status = here.line("status --json").json();
            assertEquals(1, status.get("schema").getAsInt());
            assertEquals(2, status.getAsJsonArray("nodes").size());
            assertEquals(agent.node().id().text(), status.get("self").getAsString());
            String table = here.line("status").out();
            assertTrue(table.startsWith("namespace home (key "), table);
            assertTrue(table.contains("(this node)"), table);
            assertEquals(5, table.lines().count(), table);
            JsonObject topology = here.line("topology --json").json();
            assertEquals(agent.node().id().text(), topology.get("self").getAsString());
            assertEquals(2, topology.getAsJsonArray("nodes").size());
            assertEquals(
                    "loopback",
                    topology.getAsJsonArray("links")
                            .get(0)
                            .getAsJsonObject()
                            .get("class")
                            .getAsString());
            assertTrue(here.line("topology").out().contains("not measured"), "rates are not measured yet");
            assertTrue(here.line("topology --dot").out().startsWith("digraph hearth {\n"));
            assertTrue(here.line("topology --mermaid").out().startsWith("flowchart LR\n"));
            assertEquals(Exit.USAGE, here.line("topology --dot --json").code());
        }
        assertEquals(Exit.FAILED, here.line("status").code(), "the socket went with the agent");
    }

    @Test
    void twoAgentsOfOneHomeAreOneTooMany() throws Exception {
        try (LocalAgent _ = agent(here)) {
            Outcome refused = here.line("agent --interface lo");
            assertEquals(Exit.FAILED, refused.code());
            assertTrue(refused.line().contains("agent"), refused.err());
            assertEquals(Exit.OK, here.line("status").code());
        }
    }

    @Test
    void ctrlCEndsTheAgentInOrderAndAWaitAtOnce() throws Exception {
        Map<String, String> environment = here.environment();
        try (var agent = RunningProcess.hearth(environment, List.of(), "agent", "--interface", "lo")) {
            agent.await("the port", line -> line.contains("listens on port"));
            try (var wait = RunningProcess.hearth(environment, List.of(), "wait", "--peers", "1")) {
                wait.await("the first line", line -> line.contains("0 of 1"));
                wait.interrupt();
                assertEquals(Exit.INTERRUPTED, wait.exitCode(), wait.output());
            }
            agent.interrupt();
            assertEquals(Exit.OK, agent.exitCode(), agent.output()); // an agent runs until it is stopped
        }
        try (var wait = RunningProcess.hearth(environment, List.of(), "wait", "--peers", "1", "--interface", "lo")) {
            wait.await("the first line", line -> line.contains("0 of 1"));
            wait.interrupt();
            assertEquals(Exit.INTERRUPTED, wait.exitCode(), wait.output());
        }
    }

    @Tag("full")
    @Test
    void aSecondAgentOfTheMachineTakesTheNextPortAndSaysSo() throws Exception {
        try (LocalAgent _ = agent(Commands.in(folder.resolve("there"), namespace));
                var second = RunningProcess.hearth(here.environment(), List.of(), "agent", "--interface", "lo")) {
            String line = second.await("the port", said -> said.startsWith("agent "));
            assertTrue(line.contains("(52416 is taken)"), line);
        }
    }
}
