package io.hearth.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.accel.EngineName;
import io.hearth.collective.AllReduceStrategy;
import io.hearth.collective.ring.DistributedConfig;
import io.hearth.collective.ring.RingBackend;
import io.hearth.compression.CompressionStrategy;
import io.hearth.core.CollectiveException;
import io.hearth.identity.NetworkNamespace;
import io.hearth.transport.DataTransport;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
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
    /** The shortest warm-up, however busy the compiler is, because the test counts the calls. */
    private static final WarmUp SHORT = new WarmUp(5, 1 << 20, 1, 1);

    private static final List<SizeSpec> SIZES = SizeSpec.parseList("4KiB:4,1MiB:2");

    @TempDir
    @SuppressWarnings("NullAway.Init") // JUnit sets it
    private Path folder;

    /** The final lines of each rank. */
    private final Map<Integer, List<BenchLine>> lines = new ConcurrentHashMap<>();

    /** Number of the result of the first size to corrupt before its check, from 1; 0 for none. */
    private int spoiled;

    /** Corrupts one element of one result. */
    private record Spoiling(BenchVectors vectors, int which, AtomicInteger filled, AtomicInteger checked)
            implements BenchVectors {
        @Override
        public void fill(MemorySegment values) {
            filled.incrementAndGet();
            vectors.fill(values);
        }

        @Override
        public void check(MemorySegment values) {
            if (checked.incrementAndGet() == which) {
                values.set(ValueLayout.JAVA_BYTE, values.byteSize() / 2, (byte) 99);
            }
            vectors.check(values);
        }

        @Override
        public boolean wereSums() throws CollectiveException {
            assertEquals(filled.get(), checked.get(), "each result is checked");
            return vectors.wereSums();
        }
    }

    private List<RankTimes> rank(
            List<InetSocketAddress> nodes, int rank, AllReduceStrategy way, CompressionStrategy compression)
            throws Exception {
        var config = new DistributedConfig(nodes, rank).transport(DataTransport.TCP);
        var all = new ArrayList<RankTimes>();
        try (var keys = NetworkNamespace.open("bench").keys();
                var backend = RingBackend.open(config, keys)) {
            var bench = new RankBench(
                    backend,
                    way,
                    compression,
                    SHORT,
                    vectors ->
                            new Spoiling(vectors, rank == 1 ? spoiled : 0, new AtomicInteger(), new AtomicInteger()));
            bench.run(SIZES, all::add);
            lines.put(rank, HostsBench.lines(backend, plan(nodes, way, compression), all));
            bench.writeTrace(folder.resolve("trace" + rank));
        }
        return all;
    }

    private static BenchPlan plan(
            List<InetSocketAddress> nodes, AllReduceStrategy way, CompressionStrategy compression) {
        return new BenchPlan(
                BenchPlace.hosts(nodes.stream().map(InetSocketAddress::toString).toList()),
                SIZES,
                way,
                compression,
                DataTransport.TCP,
                EngineName.AUTO,
                BenchCipher.AEAD,
                Duration.ofMinutes(1),
                Optional.empty());
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
            assertEquals(
                    times.bytes() == 4096 ? "RingAllReduce" : "RingAllReduce+CompletionBarrier", times.algorithm());
            assertEquals(times.bytes() == 4096 ? 4 : 2, times.seconds().size());
            assertEquals(SHORT.coldCalls(times.bytes()), times.cold().size());
            assertEquals(Map.of(1 - times.rank(), "tcp"), times.transports());
            assertTrue(times.memory().nativeBytes() >= times.bytes(), times::toString);
            assertTrue(times.memory().heapBytes() > 0, times::toString);
        }
        List<RecordedEvent> sums = RecordingFile.readAllEvents(recorded).stream()
                .filter(event -> event.getLong("bytes") == 1 << 20)
                .toList();
        // calls of each rank: cold ones, warm-up, two timed ones, warm-up of the recording, one recorded
        assertEquals(
                2 * (SHORT.coldCalls(1 << 20) + WarmUp.CALLS_MIN + 2 + SHORT.recordedCalls(1 << 20) + 1), sums.size());
        for (RecordedEvent event : sums) {
            assertEquals("ALL_REDUCE", event.getString("kind"));
            assertEquals("RingAllReduce+CompletionBarrier", event.getString("algorithm"));
            assertEquals(2, event.getInt("world"));
            assertTrue(event.getBoolean("completed"));
            for (String part : List.of("seal", "send", "receive", "open", "combine", "copy")) {
                assertTrue(sum(event, part) > 0, () -> part + " took no time: " + event);
            }
            assertEquals(0, sum(event, "encode", "decode"));
            assertTrue(
                    sum(event, "waiting", "seal", "send") <= event.getDuration().toNanos(), event::toString);
        }
        String trace = Files.readString(folder.resolve("trace1"));
        for (String span : List.of("seal", "send", "receive", "open", "combine", "copy")) {
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
        assertEquals(
                2 * (SHORT.coldCalls(1 << 20) + WarmUp.CALLS_MIN + 2 + SHORT.recordedCalls(1 << 20) + 1), sums.size());
        for (RecordedEvent event : sums) {
            for (String part : List.of("encode", "seal", "send", "receive", "open", "decode", "copy")) {
                assertTrue(sum(event, part) > 0, () -> part + " took no time: " + event);
            }
        }
        String trace = Files.readString(folder.resolve("trace1"));
        for (String span : List.of("encode", "seal", "send", "receive", "open", "decode", "copy")) {
            assertTrue(trace.contains("\"name\":\"" + span + "\""), () -> "no span " + span);
        }
    }

    @ParameterizedTest
    @CsvSource({"none, 0", "none, 1", "none, 2", "int8, 1"}) // timed calls, from the first
    @Timeout(60)
    void oneWrongByteInOneTimedResultIsSeen(String compression, int timed) throws Exception {
        spoiled = SHORT.coldCalls(4096) + WarmUp.CALLS_MIN + 1 + timed;
        for (RankTimes times : measure(AllReduceStrategy.AUTO, CompressionStrategy.parse(compression))) {
            boolean knows = times.rank() == 1 || !compression.equals("none"); // all ranks compare the sums of codecs
            assertEquals(times.bytes() != 4096 || !knows, times.ok(), times::toString);
        }
    }

    @Test
    @Timeout(60)
    void allRanksComeToTheSameLines() throws Exception {
        List<RankTimes> measured = measure(AllReduceStrategy.AUTO, CompressionStrategy.NONE);
        assertEquals(lines.get(0), lines.get(1));
        List<BenchLine> all = Objects.requireNonNull(lines.get(0));
        assertEquals(
                List.of(4096L, 1L << 20), all.stream().map(BenchLine::bytes).toList());
        for (BenchLine line : all) {
            assertEquals(2, line.ranks());
            assertEquals("hosts", line.where());
            assertTrue(line.ok());
            double cpuSeconds = measured.stream()
                    .filter(times -> times.bytes() == line.bytes())
                    .mapToDouble(RankTimes::cpuSeconds)
                    .sum();
            assertEquals(cpuSeconds / line.iterations() / line.bytes() * 1e9, line.cpuSecondsPerGb(), 1e-9);
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
    @CsvSource({"int8, DirectAllReduce", "topk:0.01, RingAllGather", "powersgd, RingAllReduce+CompletionBarrier"})
    @Timeout(60)
    void compressedSumsAreTheSameOnAllRanks(String compression, String algorithm) throws Exception {
        for (RankTimes times : measure(AllReduceStrategy.AUTO, CompressionStrategy.parse(compression))) {
            assertTrue(times.algorithm().startsWith(algorithm), times.algorithm());
            assertTrue(times.ok());
        }
    }
}
