package io.hearth.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.hearth.agent.api.LocalApiClient;
import io.hearth.bench.PlanBench;
import io.hearth.identity.HearthHome;
import io.hearth.identity.NamespaceFile;
import io.hearth.identity.NetworkNamespace;
import io.hearth.identity.SecretText;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The product on a LAN of network namespaces: real multicast, real sockets, an unplugged cable, two sites. */
@Tag("full")
final class LabIT {
    @TempDir
    private Path folder;

    @BeforeAll
    static void needsALab() {
        Optional<String> missing = Lab.missing();
        missing.ifPresent(why -> System.out.println("SKIPPED LabIT: " + why));
        Assumptions.assumeTrue(missing.isEmpty(), missing.orElse(""));
    }

    @Test
    void threeAgentsMeetLoseOneAndTakeItBackAndNothingCrossesInClear() throws Exception {
        NetworkNamespace namespace = NetworkNamespace.create("home");
        String secret = SecretText.of(namespace);
        try (Lab lab = Lab.up(4)) {
            Path capture = folder.resolve("lan.pcap");
            Optional<RunningProcess> tcpdump = capture(lab, capture);
            RunningProcess[] agents = new RunningProcess[3];
            for (int host = 0; host < 3; host++) {
                agents[host] = lab.hearth(host, home(host, namespace), "agent");
            }
            RunningProcess stranger =
                    lab.hearth(3, home(3, NetworkNamespace.create("home")), "agent", "--peer", "10.77.0.1");

            for (RunningProcess agent : agents) {
                agent.await("the agent's port", line -> line.contains("listens on port 52416,"));
            }
            RunningProcess wait = lab.hearth(0, folder.resolve("h0"), "wait", "--peers", "2", "--timeout", "60s");
            assertEquals(0, wait.exitCode(), wait.output());

            RunningProcess first = lab.main(0, folder.resolve("h0"), PatternTrainer.class, "1");
            RunningProcess second = lab.main(1, folder.resolve("h1"), PatternTrainer.class, "1");
            first.await("the sum", line -> line.contains("of 2"));
            second.await("the sum", line -> line.contains("of 2"));
            assertEquals(0, first.exitCode(), first.output());
            assertEquals(0, second.exitCode(), second.output());

            lab.lan("cut", "2");
            for (int host = 0; host < 2; host++) { // while nobody trains, too: before its link is given up
                agents[host].await("the view without it", line -> line.contains(" is without peer="));
            }
            for (RunningProcess agent : agents) {
                agent.await("the end of a silent link", line -> line.contains(" is replaced: silent for "));
            }
            long without = epoch(awaitStatus(0, status -> members(status) == 2));
            lab.lan("heal", "2");
            for (int host = 0; host < 3; host++) {
                awaitStatus(host, status -> members(status) == 3 && healthy(status) == 3);
            }
            assertEquals(without + 1, epoch(status(0)), "one view after the heal, and the host is in to stay");

            stranger.await("why it is not admitted", line -> line.contains("another namespace"));
            assertEquals(1, members(status(3)), "the stranger sits alone");
            List<String> refusals = agents[0]
                    .output()
                    .lines()
                    .filter(line -> line.contains("another namespace"))
                    .toList();
            assertEquals(1, refusals.size(), "one refusal is one line: " + refusals);

            if (tcpdump.isPresent()) {
                tcpdump.get().end();
                assertNothingInClear(Files.readAllBytes(capture), secret);
            }
        }
    }

    /** Two of three hosts cannot reach each other: the third passes their bytes on, and nobody is removed, the master least of all. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aBrokenPairTrainsThroughTheThirdAndNobodyIsRemoved(boolean hasMaster) throws Exception {
        Assumptions.assumeTrue(Lab.onPath("nft"), "a broken pair needs nft");
        NetworkNamespace namespace = NetworkNamespace.create("home");
        try (Lab lab = Lab.up(3)) {
            RunningProcess[] trainers = new RunningProcess[3];
            for (int host = 0; host < 3; host++) {
                trainers[host] = lab.main(host, home(host, namespace), WorldTrainer.class, "2");
            }
            for (RunningProcess trainer : trainers) {
                trainer.await("all three", line -> line.equals("world 3"));
            }
            int[] others = IntStream.range(0, 3)
                    .filter(host -> !isMaster(trainers[host].output()))
                    .toArray();
            assertEquals(2, others.length, "one of three is the master");
            int[] pair = hasMaster ? new int[] {others[0], 3 - others[0] - others[1]} : others;
            lab.nft("add table bridge pair");
            lab.nft("add chain bridge pair broken { type filter hook forward priority 0 ; }");
            lab.nft("add rule bridge pair broken iifname p" + pair[0] + " oifname p" + pair[1] + " drop");
            lab.nft("add rule bridge pair broken iifname p" + pair[1] + " oifname p" + pair[0] + " drop");
            for (int host : pair) {
                trainers[host].await("a relay", line -> line.contains("is reached through another member"));
            }
            for (RunningProcess trainer : trainers) {
                trainer.await("sums through the relay", line -> line.startsWith("summed "));
                trainer.await("more of them", line -> line.startsWith("summed "));
            }
            lab.nft("delete table bridge pair");
            for (int host : pair) {
                trainers[host].await("a direct link", line -> line.contains("replaced by a direct link"));
            }
            for (int host = 0; host < 3; host++) {
                trainers[host].await("sums after it", line -> line.startsWith("summed "));
                Files.createFile(folder.resolve("h" + host).resolve("stop"));
            }
            assertWorld("world 3", trainers);
        }
    }

    /** Heartbeats go over one of two cables. Whichever is cut, nobody is removed, and the cable serves again when it is back. */
    @Test
    void twoHostsWithTwoCablesLoseEachInTurnAndNobodyIsRemoved() throws Exception {
        NetworkNamespace namespace = NetworkNamespace.create("home");
        try (Lab lab = Lab.up(2, "--nets", "2")) {
            RunningProcess[] trainers = new RunningProcess[2];
            for (int host = 0; host < 2; host++) {
                trainers[host] = lab.main(host, home(host, namespace), WorldTrainer.class, "1");
            }
            for (RunningProcess trainer : trainers) {
                trainer.await("a second lane", line -> line.contains("lane joined") && line.contains("2 lanes"));
                trainer.await("sums", line -> line.startsWith("summed "));
            }
            for (String net : List.of("0", "1", "0")) {
                lab.lan("cut", "1", "--net", net);
                for (RunningProcess trainer : trainers) {
                    trainer.await("the loss of a lane", line -> line.matches(".*lane (suspected|lost) .*"));
                    for (int times = 0; times < 10; times++) {
                        trainer.await("sums over the other cable", line -> line.startsWith("summed "));
                    }
                }
                lab.lan("heal", "1");
                for (RunningProcess trainer : trainers) {
                    trainer.await("the lane is back", line -> line.matches(".*lane (joined|serves again) .*"));
                }
            }
            for (int host = 0; host < 2; host++) {
                Files.createFile(folder.resolve("h" + host).resolve("stop"));
            }
            assertWorld("world 2", trainers);
        }
    }

    /** Waits for the end of all, which had the same world from the first sum to the last. */
    private static void assertWorld(String world, RunningProcess... trainers) throws InterruptedException {
        for (RunningProcess trainer : trainers) {
            assertEquals(0, trainer.exitCode(), trainer.output());
            List<String> worlds = trainer.output()
                    .lines()
                    .filter(line -> line.startsWith("world "))
                    .toList();
            assertEquals(List.of(world), worlds, trainer.output());
        }
    }

    /** Whether the newest line of a node about its master names the node itself. */
    private static boolean isMaster(String log) {
        return log.lines()
                .filter(line -> line.contains("this node is the master of view ")
                        || line.matches(".* master=\\S+ of view \\d+"))
                .reduce((_, newest) -> newest)
                .filter(line -> line.contains("this node"))
                .isPresent();
    }

    @Test
    void twoSitesSumByTheirLeadersOnceTheLineIsMeasured() throws Exception {
        Assumptions.assumeTrue(Lab.onPath("cc"), "the line between two sites needs a C compiler");
        NetworkNamespace namespace = NetworkNamespace.create("home");
        String[] sites = {"--sites", "0 1|2 3", "--line", "10mbit", "--rtt", "20ms"};
        try (Lab lab = Lab.up(4, sites)) {
            RunningProcess[] nodes = new RunningProcess[4];
            for (int host = 0; host < 4; host++) {
                nodes[host] = lab.trainer(host, home(host, namespace), PlanBench.class, "3", "" + (4 << 20), "1", "1");
            }
            for (RunningProcess node : nodes) {
                assertEquals(0, node.exitCode(320), node.output()); // a busy machine measures for all of its 90 steps
            }
            String printed = printed(nodes).collect(Collectors.joining("\n"));
            JsonObject plan = sums(nodes, "AUTO");
            assertTrue(plan.get("algorithm").getAsString().contains("IslandAllReduce"), printed);
            int links = 2 * 2 + 2; // members to leaders and back, and between the leaders
            int used = plan.get("links").getAsInt(); // two more if the line looked uneven; a direct sum has 12
            assertTrue(used >= links && used <= links + 2, printed);
            assertTrue(plan.get("ok").getAsBoolean(), printed);
            assertTrue(sums(nodes, "RING").get("ok").getAsBoolean(), printed);
        }
    }

    /** Far machines get more time to answer, once a minute of round trips has shown that they are far. */
    @Test
    void twoSitesWaitLongerForOneAnotherOnceTheirRoundTripsAreKnown() throws Exception {
        Assumptions.assumeTrue(Lab.onPath("cc"), "the line between two sites needs a C compiler");
        NetworkNamespace namespace = NetworkNamespace.create("home");
        try (Lab lab = Lab.up(2, "--sites", "0|1", "--line", "10mbit", "--rtt", "20ms")) {
            RunningProcess[] trainers = new RunningProcess[2];
            for (int host = 0; host < 2; host++) {
                trainers[host] = lab.main(host, home(host, namespace), WorldTrainer.class, "1");
            }
            for (RunningProcess trainer : trainers) {
                trainer.await("the times for far machines", 150, line -> line.contains("8.0 s of silence (wan"));
            }
            for (int host = 0; host < 2; host++) {
                Files.createFile(folder.resolve("h" + host).resolve("stop"));
            }
            assertWorld("world 2", trainers);
        }
    }

    private static Stream<String> printed(RunningProcess[] nodes) {
        return Stream.of(nodes).flatMap(node -> node.output().lines()).filter(line -> line.startsWith("{"));
    }

    /** What rank 0 printed about the sums of a strategy. */
    private static JsonObject sums(RunningProcess[] nodes, String strategy) {
        return printed(nodes)
                .map(line -> JsonParser.parseString(line).getAsJsonObject())
                .filter(line -> line.has("strategy")
                        && line.get("strategy").getAsString().equals(strategy))
                .findFirst()
                .orElseThrow();
    }

    private Path home(int host, NetworkNamespace namespace) throws Exception {
        HearthHome home = HearthHome.open(folder.resolve("h" + host));
        NamespaceFile.in(home).add(namespace);
        return home.folder();
    }

    private Optional<RunningProcess> capture(Lab lab, Path file) throws Exception {
        if (!Lab.onPath("tcpdump")) {
            System.out.println("SKIPPED the capture in LabIT: tcpdump is missing");
            return Optional.empty();
        }
        RunningProcess tcpdump = lab.start(
                Map.of(),
                List.of(
                        "ip",
                        "netns",
                        "exec",
                        lab.switchNamespace(),
                        "tcpdump",
                        "-i",
                        "any",
                        "-U",
                        "-s",
                        "0",
                        "-B",
                        "65536",
                        "-w",
                        file.toString(),
                        "-Z",
                        "root"));
        tcpdump.await("listening", line -> line.contains("listening on"));
        return Optional.of(tcpdump);
    }

    private static void assertNothingInClear(byte[] capture, String secret) throws Exception {
        assertTrue(capture.length > 100_000, "the capture holds the run: " + capture.length + " bytes");
        String text = new String(capture, StandardCharsets.ISO_8859_1);
        assertTrue(text.contains("_hearth"), "the capture holds the mDNS records");
        assertEquals(List.of(), Secrets.of(secret, "home").foundIn(text), "secrets crossed the LAN");
        byte[] four = ByteBuffer.allocate(4)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putFloat(PatternTrainer.PATTERN)
                .array();
        String pattern = new String(four, StandardCharsets.ISO_8859_1).repeat(4);
        assertEquals(-1, text.indexOf(pattern), "gradients crossed the LAN in clear");
        String sum = new String(
                        ByteBuffer.allocate(4)
                                .order(ByteOrder.LITTLE_ENDIAN)
                                .putFloat(2 * PatternTrainer.PATTERN)
                                .array(),
                        StandardCharsets.ISO_8859_1)
                .repeat(4);
        assertEquals(-1, text.indexOf(sum), "sums crossed the LAN in clear");
    }

    private JsonObject status(int host) throws Exception {
        return LocalApiClient.status(socket(host), Duration.ofMinutes(1)).orElseThrow();
    }

    /** Waits until the status of an agent is as wanted. The time limit of the test bounds the wait. */
    private JsonObject awaitStatus(int host, Predicate<JsonObject> wanted) throws Exception {
        try (var client = LocalApiClient.connect(socket(host)).orElseThrow()) {
            client.watch("/v1/status?watch=true");
            JsonObject status = client.next().orElseThrow();
            while (!wanted.test(status)) {
                status = client.next().orElseThrow();
            }
            return status;
        }
    }

    private Path socket(int host) throws Exception {
        return HearthHome.open(folder.resolve("h" + host)).socket("agent.sock");
    }

    private static long epoch(JsonObject status) {
        return status.getAsJsonObject("view").get("epoch").getAsLong();
    }

    private static long healthy(JsonObject status) {
        return status.getAsJsonArray("nodes").asList().stream()
                .filter(node ->
                        node.getAsJsonObject().get("health").getAsString().equals("healthy"))
                .count();
    }

    private static int members(JsonObject status) {
        return status.getAsJsonObject("view").get("members").getAsInt();
    }
}
