package io.hearth.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.collective.AllReduceStrategy;
import io.hearth.collective.DistributedConfig;
import io.hearth.collective.RingBackend;
import io.hearth.compression.CompressionStrategy;
import io.hearth.identity.NetworkNamespace;
import io.hearth.transport.DataTransport;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Two ranks of one process on loopback, with the flight recorder on. */
final class RankBenchTest {
    /** The least that there is, however busy the compiler: the calls are counted. */
    private static final WarmUp SHORT = new WarmUp(5, 1 << 20, 1, 1);

    private static final List<SizeSpec> SIZES = SizeSpec.parseList("4KiB:4,1MiB:2");

    @TempDir
    @SuppressWarnings("NullAway.Init") // JUnit sets it
    private Path folder;

    private List<RankTimes> rank(
            List<InetSocketAddress> nodes, int rank, AllReduceStrategy way, CompressionStrategy compression)
            throws Exception {
        var config = new DistributedConfig(nodes, rank).transport(DataTransport.TCP);
        var all = new ArrayList<RankTimes>();
        try (var keys = NetworkNamespace.open("bench").keys();
                var backend = RingBackend.open(config, keys)) {
            var bench = new RankBench(backend, way, compression, SHORT);
            bench.run(SIZES, all::add);
            bench.writeTrace(folder.resolve("trace" + rank));
        }
        return all;
    }

    private List<RankTimes> measure(AllReduceStrategy way, CompressionStrategy compression) throws Exception {
        var nodes = new ArrayList<InetSocketAddress>();
        for (String address : BenchPlace.loopback(2, "lo").addresses()) {
            nodes.add(new InetSocketAddress(
                    InetAddress.getLoopbackAddress(), Integer.parseInt(address.split(":", 2)[1])));
        }
        var all = new ArrayList<RankTimes>();
        try (var threads =
                Executors.newThreadPerTaskExecutor(Thread.ofPlatform().factory())) {
            List<Callable<List<RankTimes>>> ranks =
                    List.of(() -> rank(nodes, 0, way, compression), () -> rank(nodes, 1, way, compression));
            for (var done : threads.invokeAll(ranks)) {
                all.addAll(done.get());
            }
        }
        return all;
    }

    private static long sum(RecordedEvent event, String... fields) {
        return List.of(fields).stream()
                .mapToLong(field -> event.getDuration(field).toNanos())
                .sum();
    }

    @Test
    @Timeout(60)
    void allSumsAreRightAndTheirTimeIsAccountedFor() throws Exception {
        Path recorded = folder.resolve("events.jfr");
        List<RankTimes> all;
        try (var recording = new Recording()) {
            recording.enable("hearth.Collective").withoutThreshold();
            recording.start();
            all = measure(AllReduceStrategy.RING, CompressionStrategy.NONE);
            recording.stop();
            recording.dump(recorded);
        }
        assertEquals(4, all.size());
        for (RankTimes times : all) {
            assertTrue(times.ok());
            assertEquals(times.bytes() == 4096 ? "RingAllReduce" : "RingAllReduce+HeldRound", times.algorithm());
            assertEquals(times.bytes() == 4096 ? 4 : 2, times.seconds().size());
            assertEquals(Map.of(1 - times.rank(), "tcp"), times.transports());
            assertTrue(times.memory().nativeBytes() >= times.bytes(), times::toString);
            assertTrue(times.memory().heapBytes() > 0, times::toString);
        }
        List<RecordedEvent> sums = RecordingFile.readAllEvents(recorded).stream()
                .filter(event -> event.getLong("bytes") == 1 << 20)
                .toList();
        // of each rank: the calls of warming up, two timed, one recorded
        assertEquals(2 * (WarmUp.CALLS_MIN + 2 + 1), sums.size());
        for (RecordedEvent event : sums) {
            assertEquals("ALL_REDUCE", event.getString("kind"));
            assertEquals("RingAllReduce+HeldRound", event.getString("algorithm"));
            assertEquals(2, event.getInt("world"));
            assertTrue(event.getBoolean("completed"));
            for (String part : List.of("send", "receive", "combine", "copy")) {
                assertTrue(sum(event, part) > 0, () -> part + " took no time: " + event);
            }
            assertEquals(0, sum(event, "encode", "decode"));
            assertTrue(sum(event, "waiting", "send") <= event.getDuration().toNanos(), event::toString);
        }
        String trace = Files.readString(folder.resolve("trace1"));
        for (String span : List.of("send", "receive+open", "combine", "copy")) {
            assertTrue(trace.contains("\"name\":\"" + span + "\""), () -> "no span " + span);
        }
    }

    @Test
    @Timeout(60)
    void whatCodecsDoIsAccountedFor() throws Exception {
        Path recorded = folder.resolve("events.jfr");
        try (var recording = new Recording()) {
            recording.enable("hearth.Collective").withoutThreshold();
            recording.start();
            measure(AllReduceStrategy.AUTO, CompressionStrategy.parse("int8"));
            recording.stop();
            recording.dump(recorded);
        }
        List<RecordedEvent> sums = RecordingFile.readAllEvents(recorded).stream()
                .filter(event -> event.getLong("bytes") == 1 << 20)
                .toList();
        assertEquals(2 * (WarmUp.CALLS_MIN + 2 + 1), sums.size());
        for (RecordedEvent event : sums) {
            for (String part : List.of("encode", "send", "receive", "decode", "copy")) {
                assertTrue(sum(event, part) > 0, () -> part + " took no time: " + event);
            }
        }
        String trace = Files.readString(folder.resolve("trace1"));
        for (String span : List.of("encode", "send", "receive+open", "decode", "copy")) {
            assertTrue(trace.contains("\"name\":\"" + span + "\""), () -> "no span " + span);
        }
    }

    @Test
    @Timeout(60)
    void theWayIsTheOneThatWasAskedFor() throws Exception {
        for (RankTimes times : measure(AllReduceStrategy.CENTRALIZED, CompressionStrategy.NONE)) {
            assertEquals("StarAllReduce", times.algorithm());
            assertTrue(times.ok());
        }
    }

    @ParameterizedTest
    @CsvSource({"int8, DirectAllReduce", "topk:0.01, RingAllGather", "powersgd, RingAllReduce+HeldRound"})
    @Timeout(60)
    void compressedSumsAreTheSameOnAllRanks(String compression, String algorithm) throws Exception {
        for (RankTimes times : measure(AllReduceStrategy.AUTO, CompressionStrategy.parse(compression))) {
            assertTrue(times.algorithm().startsWith(algorithm), times.algorithm());
            assertTrue(times.ok());
        }
    }
}
