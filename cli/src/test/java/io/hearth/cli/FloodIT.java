package io.hearth.cli;

import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonObject;
import io.hearth.agent.api.LocalApiClient;
import io.hearth.identity.HearthHome;
import io.hearth.identity.NamespaceFile;
import io.hearth.identity.NetworkNamespace;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A stranger on the LAN floods an agent with connections. The agent stays small, and a member that was away can still come back. */
@Tag("full")
final class FloodIT {
    private static final int TRIED = 40_000;
    private static final double TRIED_PER_SECOND = TRIED / 30.0;
    private static final int UNADMITTED_MAX = 32;
    private static final int OWN_SOCKETS_SPARE =
            8; // links that open and close, and connections in the middle of closing
    private static final long HEAP_GROWTH_MAX = 20L << 20;
    private static final int LOG_LINES_MAX = 40;

    /**
     * Largest ratio of the agent's processor time to that of the stranger, for the same connections. Both run on one machine, so its speed and its
     * other work cancel out; BENCHMARKS.md has the share of a core.
     */
    private static final double COST_RATIO_MAX = 1;

    private static final Pattern USED = Pattern.compile("(?:generation|total)[^\\n]*used (\\d+)K");

    @TempDir
    @SuppressWarnings("NullAway.Init") // JUnit sets it
    private Path folder;

    @BeforeAll
    static void needsALab() {
        Optional<String> missing = Lab.missing();
        missing.ifPresent(why -> System.out.println("SKIPPED FloodIT: " + why));
        Assumptions.assumeTrue(missing.isEmpty(), missing.orElse(""));
    }

    @ParameterizedTest(name = "from {0} addresses, hearth {1}")
    @CsvSource({"1, agent", "50, agent", "50, agent --interface eth0"})
    void aFloodedAgentStaysSmallAndAMemberComesBack(int addresses, String command) throws Exception {
        NetworkNamespace namespace = NetworkNamespace.create("home");
        try (Lab lab = Lab.up(3)) {
            RunningProcess victim = lab.hearth(0, home(0, namespace), command.split(" ", -1));
            victim.await("its port", line -> line.contains("listens on port 52416,"));
            RunningProcess member = lab.hearth(1, home(1, namespace), "agent");
            awaitStatus(status -> members(status) == 2);
            long pid = victim.handle().pid();
            long heapBefore = heapBytes(pid);
            long socketsBefore = sockets(pid);
            long linesBefore = victim.output().lines().count();

            RunningProcess flooder =
                    lab.main(2, folder.resolve("h2"), Flooder.class, "10.77.0.1", "52416", "" + addresses);
            flooder.await("the flood", line -> line.startsWith("tried "));
            member.kill();
            awaitStatus(status -> members(status) == 1);
            long killedAt = System.nanoTime();
            RunningProcess again = lab.hearth(1, home(1, namespace), "agent");
            again.await("its port", line -> line.contains("listens on port 52416,"));
            long listensAt = System.nanoTime();
            awaitStatus(status -> members(status) == 2);
            double backSeconds = (System.nanoTime() - killedAt) / 1e9;
            double admittedSeconds = (System.nanoTime() - listensAt) / 1e9;
            assertTrue(flooder.handle().isAlive(), flooder::output);

            long socketsMost = 0;
            long first = flooder.output()
                    .lines()
                    .filter(line -> line.startsWith("tried "))
                    .mapToLong(FloodIT::tried)
                    .max()
                    .orElseThrow();
            Load before = Load.of(pid); // Java has compiled the code of the flood by now
            Load strangerBefore = Load.of(flooder.handle().pid());
            long tried = 0;
            while (tried < TRIED) {
                tried = tried(flooder.await("more of it", line -> line.startsWith("tried "))) - first;
                socketsMost = Math.max(socketsMost, sockets(pid));
            }
            Load after = Load.of(pid);
            Load strangerAfter = Load.of(flooder.handle().pid());
            assertTrue(
                    socketsMost - socketsBefore <= UNADMITTED_MAX + OWN_SOCKETS_SPARE,
                    "sockets rose from " + socketsBefore + " to " + socketsMost);
            long heapGrowth = heapBytes(pid) - heapBefore;
            assertTrue(heapGrowth <= HEAP_GROWTH_MAX, "heap grew by " + heapGrowth + " bytes");
            long lines = victim.output().lines().count() - linesBefore;
            assertTrue(lines <= LOG_LINES_MAX, "the flood made " + lines + " log lines:\n" + victim.output());
            double percent = after.percentOfACoreSince(before) * TRIED_PER_SECOND * after.secondsSince(before) / tried;
            double ratio = after.ticksSince(before) / (double) strangerAfter.ticksSince(strangerBefore);
            System.out.printf(
                    "FloodIT: %s, from %d addresses, %.0f connections/s, %.1f %% of a core at %.0f of them, %.2f of the stranger's cost, heap %+d KiB,"
                            + " %d sockets more, %d log lines; the member was back after %.1f s, %.1f s after it listened%n",
                    command,
                    addresses,
                    tried / after.secondsSince(before),
                    percent,
                    TRIED_PER_SECOND,
                    ratio,
                    heapGrowth >> 10,
                    socketsMost - socketsBefore,
                    lines,
                    backSeconds,
                    admittedSeconds);
            assertTrue(
                    ratio <= COST_RATIO_MAX, "a connection cost the agent " + ratio + " of what it cost the stranger");
        }
    }

    private static long tried(String line) {
        return Long.parseLong(line.substring("tried ".length()));
    }

    /** Processor time of a process in ticks of 10 ms, with the time of the reading. */
    private record Load(long ticks, long nanos) {
        static Load of(long pid) throws IOException {
            String stat = Files.readString(Path.of("/proc/" + pid + "/stat"));
            String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
            return new Load(Long.parseLong(fields[11]) + Long.parseLong(fields[12]), System.nanoTime());
        }

        long ticksSince(Load before) {
            return ticks - before.ticks;
        }

        double percentOfACoreSince(Load before) {
            return ticksSince(before) / secondsSince(before);
        }

        double secondsSince(Load before) {
            return (nanos - before.nanos) / 1e9;
        }
    }

    private Path home(int host, NetworkNamespace namespace) throws Exception {
        Path home = folder.resolve("h" + host);
        if (!Files.exists(home)) {
            NamespaceFile.in(HearthHome.open(home)).add(namespace);
        }
        return home;
    }

    private static long sockets(long pid) throws IOException {
        try (Stream<Path> descriptors = Files.list(Path.of("/proc/" + pid + "/fd"))) {
            return descriptors.filter(FloodIT::isSocket).count();
        }
    }

    private static boolean isSocket(Path descriptor) {
        try {
            return Files.readSymbolicLink(descriptor).toString().startsWith("socket:");
        } catch (IOException closed) {
            return false;
        }
    }

    /** Bytes of the heap that are in use after a garbage collection. */
    private static long heapBytes(long pid) throws Exception {
        jcmd(pid, "GC.run");
        long kibibytes = USED.matcher(jcmd(pid, "GC.heap_info"))
                .results()
                .mapToLong(match -> Long.parseLong(match.group(1)))
                .sum();
        assertTrue(kibibytes > 0, "jcmd told of no heap");
        return kibibytes << 10;
    }

    private static String jcmd(long pid, String command) throws Exception {
        Process jcmd = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "jcmd").toString(), "" + pid, command)
                .redirectErrorStream(true)
                .start();
        String output = new String(jcmd.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertTrue(jcmd.waitFor() == 0, output);
        return output;
    }

    /** Waits until the status of the victim is as wanted. The time limit of the test bounds the wait. */
    private void awaitStatus(Predicate<JsonObject> wanted) throws Exception {
        try (var client = LocalApiClient.connect(
                        HearthHome.open(folder.resolve("h0")).socket("agent.sock"))
                .orElseThrow()) {
            client.watch("/v1/status?watch=true");
            JsonObject status = client.next().orElseThrow();
            while (!wanted.test(status)) {
                status = client.next().orElseThrow();
            }
        }
    }

    private static int members(JsonObject status) {
        return status.getAsJsonObject("view").get("members").getAsInt();
    }
}
