package io.hearth.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import io.hearth.cli.Commands.Outcome;
import io.hearth.cli.terminal.Exit;
import io.hearth.identity.NetworkNamespace;
import io.hearth.identity.SecretText;
import java.net.ServerSocket;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Each wrong input of a user or a disk to the commands that start a node gives one line that says what to do, and an exit code. */
final class BadInputTest {
    private static final String AGENT = "agent --interface lo";
    private static final String TRAIN = "train --interface lo --peers 0 --epochs 1";
    private static final String WAIT = "wait --interface lo --peers 0";

    @TempDir
    @SuppressWarnings("NullAway.Init") // JUnit sets it
    private Path folder;

    private Path home() {
        return folder.resolve("home");
    }

    private Commands ready() throws Exception {
        return Commands.in(home(), NetworkNamespace.create("home"));
    }

    private static String failure(Outcome outcome) {
        assertEquals(Exit.FAILED, outcome.code(), outcome.err());
        return outcome.line();
    }

    @ParameterizedTest
    @ValueSource(strings = {AGENT, TRAIN, WAIT})
    void withoutASecretTheWayToOneIsSaid(String command) {
        String said = failure(Commands.in(home()).line(command));
        assertTrue(said.contains("'hearth init home'"), said);
    }

    @ParameterizedTest
    @ValueSource(strings = {AGENT, TRAIN, WAIT})
    void whatIsNoSecretIsRefusedWithoutRepeatingIt(String command) {
        String passphrase = "correct-horse-battery-staple";
        String said =
                failure(Commands.in(home()).with("HEARTH_SECRET", passphrase).line(command));
        assertTrue(said.contains("HEARTH_SECRET"), said);
        assertFalse(said.contains("horse"), said);
    }

    @ParameterizedTest
    @ValueSource(strings = {AGENT, TRAIN, WAIT})
    void aSecretWithOneWrongLetterIsRefusedWithoutRepeatingIt(String command) {
        String secret = SecretText.of(NetworkNamespace.create("home"));
        char last = secret.charAt(20);
        String mistyped = secret.substring(0, 20) + (last == 'a' ? 'b' : 'a') + secret.substring(21);
        String said =
                failure(Commands.in(home()).with("HEARTH_SECRET", mistyped).line(command));
        assertFalse(said.contains(mistyped.substring(10, 18)), said);
    }

    /** A secret must not be an argument: arguments are in the process list and in the history of the shell, and messages are in logs. */
    @Test
    void aSecretOnTheCommandLineIsRefusedWithoutRepeatingIt() {
        String secret = SecretText.of(NetworkNamespace.create("home"));
        String grouped = secret.toUpperCase(Locale.ROOT).replaceAll("(.{6})", "$1 ");
        for (List<String> arguments : List.of(
                List.of("init", secret),
                List.of("init", "home", secret),
                List.of("init", "home", grouped),
                List.of("init", "home", "--secret-file", secret),
                List.of("init", "--secret-file=" + secret),
                List.of("train", "--namespace", secret),
                List.of("wait", "--peers", secret),
                List.of(secret))) {
            Outcome refused = Commands.in(home()).with("HEARTH_TRACE", "1").run(arguments.toArray(String[]::new));
            assertEquals(Exit.USAGE, refused.code(), refused.err());
            assertTrue(refused.line().contains("'hearth init NAME --secret-file -'"), refused.err());
            for (int from = 8; from + 6 <= secret.length(); from++) {
                assertFalse(refused.err().contains(secret.substring(from, from + 6)), refused.err());
            }
            assertTrue(Files.notExists(home()), "nothing was made");
        }
    }

    @Test
    void aSecretFileThatOthersMayReadIsTakenWithAWarning() throws Exception {
        String secret = SecretText.of(NetworkNamespace.create("home"));
        Path file = Files.writeString(folder.resolve("secret.txt"), secret);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
        Outcome taken = Commands.in(home()).run("init", "home", "--secret-file", file.toString());
        assertEquals(Exit.OK, taken.code(), taken.err());
        assertEquals(1, taken.err().lines().count(), taken.err());
        assertTrue(taken.err().contains("chmod 600"), taken.err());
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
        assertEquals(
                "",
                Commands.in(home())
                        .run("init", "home", "--secret-file", file.toString())
                        .err());
    }

    @ParameterizedTest
    @ValueSource(strings = {AGENT, TRAIN, WAIT})
    void aMissingSecretFileIsNamed(String command) {
        String said = failure(Commands.in(home())
                .with("HEARTH_SECRET_FILE", "/nowhere/secret")
                .line(command));
        assertTrue(said.contains("HEARTH_SECRET_FILE"), said);
    }

    @ParameterizedTest
    @ValueSource(strings = {AGENT, TRAIN, WAIT, "status", "topology", "plan --size 1MiB", "id"})
    void aHomeThatCannotBeMadeIsNamed(String command) throws Exception {
        Path file = Files.writeString(folder.resolve("file"), "");
        String said = failure(Commands.in(file.resolve("home")).line(command));
        assertTrue(said.contains(file.toString()), said);
    }

    @ParameterizedTest
    @ValueSource(strings = {AGENT, TRAIN, WAIT, "status", "topology", "plan --size 1MiB"})
    void aHomeThatOthersMayReadIsRefusedWithTheRemedy(String command) throws Exception {
        Commands ready = ready();
        Files.setPosixFilePermissions(home(), PosixFilePermissions.fromString("rwxr-xr-x"));
        String said = failure(ready.line(command));
        assertTrue(said.contains("chmod 700"), said);
    }

    @ParameterizedTest
    @ValueSource(strings = {AGENT, TRAIN, WAIT})
    void aKeyFileThatOthersMayReadIsRefusedWithTheRemedy(String command) throws Exception {
        Commands ready = ready();
        ready.line("id");
        Files.setPosixFilePermissions(home().resolve("identity.pem"), PosixFilePermissions.fromString("rw-r--r--"));
        String said = failure(ready.line(command));
        assertTrue(said.contains("chmod 600"), said);
    }

    @ParameterizedTest
    @ValueSource(strings = {AGENT, TRAIN, WAIT})
    void aDamagedKeyFileIsNeverReplaced(String command) throws Exception {
        Commands ready = ready();
        Files.writeString(home().resolve("identity.pem"), "-----BEGIN PRIVATE KEY-----\nMC4CAQ\n");
        Files.setPosixFilePermissions(home().resolve("identity.pem"), PosixFilePermissions.fromString("rw-------"));
        String said = failure(ready.line(command));
        assertTrue(said.contains("'hearth identity reset'"), said);
        assertTrue(Files.readString(home().resolve("identity.pem")).endsWith("MC4CAQ\n"));
    }

    @Test
    void anExplicitPortThatIsTakenIsNamed() throws Exception {
        try (var taken = new ServerSocket(0)) {
            String said = failure(ready().line(AGENT + " --port " + taken.getLocalPort()));
            assertTrue(said.contains("port " + taken.getLocalPort()), said);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " --size 0", " --size 64XB", " --size -1", " --size 9GiB", " --size 1e6"})
    void aPlanNeedsASize(String size) {
        Outcome refused = Commands.in(home()).line("plan" + size);
        assertEquals(Exit.USAGE, refused.code(), refused.err());
        assertTrue(refused.line().contains("--size"), refused.err());
    }

    @Test
    void statusWithoutAnAgentSaysHowToStartOne() throws Exception {
        Commands ready = ready();
        assertTrue(failure(ready.line("status")).contains("'hearth agent'"));
        assertTrue(failure(ready.line("status --json")).contains("'hearth agent'"));
        assertTrue(failure(ready.line("topology")).contains("'hearth agent'"));
        assertTrue(failure(ready.line("topology --dot")).contains("'hearth agent'"));
        assertTrue(failure(ready.line("plan --size 64MiB")).contains("'hearth agent'"));
        try (var crashed = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            Path run = Files.createDirectories(home().resolve("run"));
            crashed.bind(UnixDomainSocketAddress.of(run.resolve("agent.sock")));
        }
        assertTrue(failure(ready.line("status")).contains("'hearth agent'"), "a socket that a crash left behind");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "agent --bogus",
                "agent extra",
                "agent --port 0",
                "agent --port -1",
                "agent --port 70000",
                "agent --port many",
                "agent --peer :5",
                "agent --peer host:0",
                "agent --peer host:99999",
                "agent --namespace Home",
                "agent --on-partition panic",
                "status --bogus",
                "status --peers 1",
                "wait",
                "wait --bogus --peers 1",
                "lighthouse",
                "lighthouse --min-replicas 0",
                "lighthouse --min-replicas one",
                "lighthouse --min-replicas 1 --port 70000",
                "lighthouse --min-replicas 1 --join-timeout 999999h",
                "lighthouse --min-replicas 1 --heartbeat-timeout 0s",
                "agent --serve everything",
                "agent --serve lighthouse",
                "agent --serve scheduler:70000",
                "agent --serve scheduler:0,scheduler:1",
                "agent --serve coordinator:0 --tls-certificate a.pem",
                "coordinator --worker-timeout 0s",
                "agent --tls-authority ca.pem",
                "agent --etcd http://127.0.0.1:2379",
                "agent --serve scheduler:0 --min-replicas 2",
                "coordinator --tls-key a.key",
                "coordinator --tls-authority ca.pem",
                "coordinator --serve-on here",
                "scheduler --port -1",
                "parameterserver --checkpoint-every 0s",
                "parameterserver --etcd nowhere:port",
                "parameterserver --etcd https://127.0.0.1:2379",
                "parameterserver --etcd http://127.0.0.1:2379,",
                "parameterserver --etcd http://127.0.0.1:2379 --etcd-prefix jobs",
                "parameterserver --etcd http://127.0.0.1:2379 --etcd-address 10.0.0.1",
                "parameterserver --etcd http://127.0.0.1:2379 --etcd-servers 0",
                "parameterserver --etcd http://127.0.0.1:2379 --etcd-lease 1ms",
                "parameterserver --etcd-prefix /jobs",
                "parameterserver --etcd http://127.0.0.1:2379 --serve-on 0.0.0.0",
                "agent --serve parameterserver --etcd ftp://127.0.0.1:2379",
                "jobs submit",
                "jobs submit job --epochs 0",
                "jobs submit job --epochs -1",
                "jobs submit job --size -5",
                "jobs submit job --strategy best",
                "jobs list --scheduler ::::",
                "jobs list --tls-key a.key",
                "wait --peers -1",
                "wait --peers one",
                "wait --peers 1 --timeout -5s",
                "wait --peers 1 --timeout soon",
                "wait --peers 1 --group A/B",
                "train --bogus",
                "train --peers -1",
                "train --min-nodes 0",
                "train --min-nodes 3:2",
                "train --min-nodes 2:",
                "train --min-nodes 2:999",
                "train --min-nodes two",
                "train --min-nodes 1:2 --peers 2",
                "train --epochs 0",
                "train --epochs -3",
                "train --epochs 1.5",
                "train --group A/B",
                "train --compression gzip",
                "train --seed x",
                "train --timeout 1y",
                "train --trace /nowhere/trace.json",
                "demo --bogus",
                "demo --nodes 1",
                "demo --nodes -4",
                "demo --nodes 17",
                "demo --epochs 0",
                "demo --epochs -1",
                "demo --kill -1",
                "demo --kill 3",
                "demo --kill two",
                "demo --nodes 2 --kill",
                "demo --compression gzip",
                "demo --engine abacus",
                "chaos --engine abacus",
                "chaos --only flood",
                "chaos --away 11m",
                "chaos --only switch --away 11m",
                "chaos --only away --away 0s",
                "chaos --only away --away 25h",
                "chaos --only switch --count 0",
                "chaos --only process --hosts 2",
                "bench",
                "bench allreduce --bogus",
                "bench allreduce --ranks 1",
                "bench allreduce --ranks -2",
                "bench allreduce --ranks 17",
                "bench allreduce --sizes -4",
                "bench allreduce --sizes 0",
                "bench allreduce --sizes 3",
                "bench allreduce --sizes 4KiB:0",
                "bench allreduce --sizes 4KiB:-1",
                "bench allreduce --sizes ,",
                "bench allreduce --timeout 0x",
                "bench allreduce --algorithm fast",
                "bench allreduce --transport udp",
                "bench allreduce --engine cuda",
                "bench allreduce --lab Big_Lab",
                "bench allreduce --lab x --transport shm",
                "bench allreduce --trace /nowhere/trace.json",
                "bench allreduce --hosts 127.0.0.1:1,127.0.0.1:2",
                "bench allreduce --hosts 127.0.0.1:1,127.0.0.1:1 --rank 0",
                "bench allreduce --hosts 127.0.0.1:1 --rank 0",
                "bench allreduce --hosts 127.0.0.1:1,:2 --rank 0",
                "bench allreduce --hosts 127.0.0.1:1,127.0.0.1:2 --rank 2",
                "bench allreduce --hosts 127.0.0.1:1,127.0.0.1:2 --ranks 2 --rank 0",
                "bench allreduce --hosts 127.0.0.1:1,127.0.0.1:2 --lab x --rank 0",
                "bench allreduce --rank 0",
                "bench compression --bogus",
                "bench compression --codecs gzip",
                "bench compression --codecs ,",
                "bench compression --codecs int8,int8:64",
                "bench compression --codecs dgc:0.001",
                "bench compression --codecs topk:0.1,rounding=stochastic",
                "bench compression --nodes 1",
                "bench compression --nodes 65",
                "bench compression --nodes 2,2",
                "bench compression --nodes two",
                "bench compression --nodes ,",
                "bench compression --values 0",
                "bench compression --values -1",
                "bench compression --values 16777217",
                "bench compression --values 1e6",
                "bench rank --rank 0 --peers a:1,b:2 --sizes 4 --algorithm fast",
                "bench rank --rank 0 --peers a:1,b:2 --sizes 4 --engine cuda",
                "agent --engine cuda",
                "train --engine fastest"
            })
    void aWrongCommandLineIsOneLineThatNamesTheHelpAndStartsNothing(String line) {
        Outcome refused = Commands.in(home()).line(line);
        assertEquals(Exit.USAGE, refused.code(), refused.err());
        assertTrue(refused.line().endsWith(" --help'\n"), refused.err());
        assertFalse(Files.exists(home()));
    }

    @Test
    void anEngineThatThisMachineHasNotIsRefusedBeforeAnythingStarts() throws Exception {
        assumeFalse(System.getProperty("os.name").equals("Mac OS X"), "this machine may have it");
        Commands ready = ready();
        for (String command : new String[] {
            AGENT, TRAIN, "bench allreduce", "bench rank --rank 0 --peers a:1 --sizes 4", "demo", "chaos"
        }) {
            String said = failure(ready.line(command + " --engine metal"));
            for (String part : new String[] {"'metal' does not exist here", "macOS on Apple silicon", "'auto'"}) {
                assertTrue(said.contains(part), said);
            }
        }
    }

    @Test
    void whatTheQuorumCannotSurviveIsRefusedWithTheReason() {
        String said = Commands.in(home()).line("demo --nodes 4 --kill 3").line();
        assertTrue(said.contains("no quorum") && said.contains("must be 0 to 2"), said);
    }

    @Test
    void anUnknownCodecIsAnsweredWithThoseThereAre() {
        String said = Commands.in(home()).line("demo --compression gzip").line();
        assertTrue(said.contains("gzip") && said.contains("topk") && said.contains("int8"), said);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "agent",
                "status",
                "topology",
                "plan",
                "wait",
                "train",
                "demo",
                "bench",
                "bench allreduce",
                "bench convergence",
                "bench rank",
                "bench compression"
            })
    void everyCommandHasHelp(String command) {
        Outcome help = Commands.in(home()).line(command + " --help");
        assertEquals(Exit.OK, help.code());
        assertTrue(help.out().startsWith("Usage: hearth " + command), help.out());
        assertEquals("", help.err());
        assertTrue(help.out().lines().allMatch(line -> line.length() <= 100), help.out());
    }
}
