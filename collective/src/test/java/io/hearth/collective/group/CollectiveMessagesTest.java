package io.hearth.collective.group;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.collective.Signature;
import io.hearth.collective.TensorList;
import io.hearth.collective.engine.TestGroup;
import io.hearth.collective.schedule.LinkModel;
import io.hearth.core.Bytes;
import io.hearth.core.DataType;
import io.hearth.core.MalformedMessageException;
import io.hearth.core.ReduceOp;
import io.hearth.election.Resolver;
import io.hearth.election.View;
import io.hearth.transport.RecordHeader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

final class CollectiveMessagesTest {
    private static final int FRAMES = Boolean.getBoolean("hearth.full") ? 100_000 : 50_000;

    private static final CallRejection REFUSAL =
            new CallRejection(CallRejection.Cause.MISMATCH, "rank 1 asked for 7, rank 2 for 8 é✓");
    private static final Signature SUM = Signature.allReduce(ReduceOp.AVG, DataType.FLOAT32, 1_000_000, "int8");
    private static final Signature BROADCAST = Signature.broadcast(DataType.INT64, 5, TestGroup.node(3));
    private static final Signature LIST = SUM.of(Optional.of(TensorList.of(List.of(3L, 5L, 0L, 7L, 8L, 9L, 10L))));
    private static final GroupSettings TERMS =
            new GroupSettings(64 * 1024, 4096, Long.MAX_VALUE, 32L << 20, LinkModel.LOOPBACK);
    private static final Status STATUS = new Status(
            9,
            7,
            List.of(new Status.Kept(7, 3, 400, Optional.empty()), new Status.Kept(8, 0, 0, Optional.of(REFUSAL))),
            Optional.of("receiving from rank 2 failed"));
    private static final Resolution RESOLUTION = new Resolution(
            10,
            List.of(new Resolution.Forward(7, TestGroup.node(1), 3, 400)),
            List.of(new Resolution.Rejected(8, REFUSAL)));

    @Test
    void whatIsWrittenIsRead() throws Exception {
        assertEquals(SUM, CollectiveMessages.signature(CollectiveMessages.encode(SUM)));
        assertEquals(BROADCAST, CollectiveMessages.signature(CollectiveMessages.encode(BROADCAST)));
        assertEquals(LIST, CollectiveMessages.signature(CollectiveMessages.encode(LIST)));
        var barrier = new CollectiveMessages.First(Signature.barrier(), TERMS);
        assertEquals(barrier, CollectiveMessages.first(CollectiveMessages.encode(barrier)));
        assertEquals(REFUSAL, CollectiveMessages.refusal(CollectiveMessages.encode(REFUSAL)));
        assertEquals(STATUS, CollectiveMessages.status(CollectiveMessages.encode(STATUS)));
        assertEquals(RESOLUTION, CollectiveMessages.resolution(CollectiveMessages.encode(RESOLUTION)));
        assertEquals(Resolution.NOTHING, CollectiveMessages.resolution(Bytes.EMPTY));
    }

    /** The longest segment and its prefix fit into one record. */
    @Test
    void theLongestCallFitsBeforeASegment() {
        String longest = "m".repeat(63);
        List<Long> lengths = Collections.nCopies(100, Status.NUMBER_MAX);
        for (Signature.Kind kind : Signature.Kind.values()) {
            var signature = new Signature(
                    kind,
                    ReduceOp.PROD,
                    DataType.BFLOAT16,
                    Status.NUMBER_MAX / 2,
                    longest,
                    kind.hasRoot() ? Optional.of(TestGroup.node(3)) : Optional.empty(),
                    longest,
                    kind == Signature.Kind.ALL_REDUCE,
                    kind.hasRoot() ? Optional.empty() : Optional.of(TensorList.of(lengths)));
            int size = CollectiveMessages.encode(new CollectiveMessages.First(signature, TERMS)).length;
            assertTrue(RecordHeader.SEGMENT_BYTES_MAX + size <= RecordHeader.RECORD_BYTES_MAX, kind + ": " + size);
        }
    }

    @Test
    void theLargestStatusAndResolutionFitTheirMessage() {
        var longest = new CallRejection(CallRejection.Cause.MALFORMED, "€".repeat(2 * CallRejection.TEXT_MAX));
        assertEquals(CallRejection.TEXT_MAX, longest.text().length());
        long max = Status.NUMBER_MAX;
        List<Status.Kept> kept = LongStream.rangeClosed(max + 1 - Status.KEPT_MAX, max)
                .mapToObj(n -> new Status.Kept(n, View.MEMBERS_MAX, 0, Optional.of(longest)))
                .toList();
        var status = new Status(max, max, kept, Optional.of(longest.text()));
        assertTrue(CollectiveMessages.encode(status).size() <= Resolver.BYTES_MAX);
        var resolution = new Resolution(
                max,
                kept.stream()
                        .map(k -> new Resolution.Forward(k.number(), TestGroup.node(1), k.contributors(), max))
                        .toList(),
                kept.stream()
                        .map(k -> new Resolution.Rejected(k.number(), longest))
                        .toList());
        assertTrue(CollectiveMessages.encode(resolution).size() <= Resolver.BYTES_MAX);
    }

    @Test
    void reportsAndDecisionsCarryTheirSubgroups() throws Exception {
        var id = new SubgroupId("0123456789abcdef");
        var report = new StatusReport(STATUS, new TreeMap<>(Map.of(id, STATUS.brief())));
        assertEquals(report, CollectiveMessages.statusReport(CollectiveMessages.encode(report)));
        assertEquals(STATUS, CollectiveMessages.status(CollectiveMessages.encode(report)));
        var decision = new GroupDecision(RESOLUTION, new TreeMap<>(Map.of(id, RESOLUTION)));
        assertEquals(decision, CollectiveMessages.decision(CollectiveMessages.encode(decision)));
        assertEquals(Resolution.NOTHING, decision.of(new SubgroupId("fedcba9876543210")));
        String cut = STATUS.brief().kept().getLast().refusal().orElseThrow().text();
        assertEquals("rank 1 asked for 7, rank 2 for 8 ??", cut);
        byte[] wrongId = CollectiveMessages.encode(report).toArray();
        wrongId[new String(wrongId, StandardCharsets.ISO_8859_1).indexOf("0123456789abcdef")] = 'x';
        assertThrows(MalformedMessageException.class, () -> CollectiveMessages.statusReport(Bytes.of(wrongId)));
    }

    @Test
    void aForwardFromOutsideASubgroupIsLeftOut() {
        assertEquals(RESOLUTION, RESOLUTION.among(List.of(TestGroup.node(0), TestGroup.node(1))));
        Resolution without = RESOLUTION.among(List.of(TestGroup.node(0)));
        assertEquals(List.of(), without.forwards());
        assertEquals(RESOLUTION.refused(), without.refused());
    }

    /** A member keeps as many outcomes as its window has numbers, and one in each subgroup. */
    @Test
    void theLargestReportAndDecisionWithSubgroupsFitTheirMessage() {
        var longest = new CallRejection(CallRejection.Cause.MALFORMED, "€".repeat(2 * CallRejection.TEXT_MAX));
        long max = Status.NUMBER_MAX;
        List<Status.Kept> kept = LongStream.rangeClosed(max - GroupMachine.WINDOW, max)
                .mapToObj(n -> new Status.Kept(n, View.MEMBERS_MAX, 0, Optional.of(longest)))
                .toList();
        var one = new Status(max, max, List.of(kept.getLast()), Optional.empty()).brief();
        var subgroups = new TreeMap<SubgroupId, Status>();
        var decided = new TreeMap<SubgroupId, Resolution>();
        for (int number = 0; number < StatusReport.SUBGROUPS_MAX; number++) {
            subgroups.put(new SubgroupId(String.format("%016x", number)), one);
        }
        for (int number = 0; number < GroupDecision.SUBGROUPS_MAX; number++) {
            decided.put(
                    new SubgroupId(String.format("%016x", number)),
                    new Resolution(max, List.of(new Resolution.Forward(max, TestGroup.node(1), 256, max)), List.of()));
        }
        var status = new Status(max, max, kept, Optional.of(longest.text()));
        assertTrue(
                CollectiveMessages.encode(new StatusReport(status, subgroups)).size() <= Resolver.BYTES_MAX);
        var resolution = new Resolution(
                max,
                List.of(),
                kept.stream()
                        .map(k -> new Resolution.Rejected(k.number(), longest))
                        .toList());
        assertTrue(CollectiveMessages.encode(new GroupDecision(resolution, decided))
                        .size()
                <= Resolver.BYTES_MAX);
    }

    @Test
    void valuesThatNoRecordAllowsAreMalformedAndNothingElse() {
        byte[] badEnum = CollectiveMessages.encode(SUM);
        int at = new String(badEnum, StandardCharsets.ISO_8859_1).indexOf("AVG");
        badEnum[at] = 'X';
        assertThrows(MalformedMessageException.class, () -> CollectiveMessages.signature(badEnum));
        assertThrows(MalformedMessageException.class, () -> CollectiveMessages.signature(new byte[0]));
        assertThrows(MalformedMessageException.class, () -> CollectiveMessages.refusal(new byte[0]));
    }

    @Test
    void mutatedFramesGiveARecordOrATypedError() {
        List<byte[]> seeds = List.of(
                CollectiveMessages.encode(LIST),
                CollectiveMessages.encode(BROADCAST),
                CollectiveMessages.encode(REFUSAL),
                CollectiveMessages.encode(new StatusReport(
                                STATUS, new TreeMap<>(Map.of(new SubgroupId("0123456789abcdef"), STATUS.brief()))))
                        .toArray(),
                CollectiveMessages.encode(RESOLUTION).toArray());
        var random = new SplittableRandom(42);
        var read = new int[4];
        for (int i = 0; i < FRAMES; i++) {
            int seed = random.nextInt(seeds.size());
            byte[] frame = mutate(seeds.get(seed), random);
            int reader = random.nextInt(8) == 0 ? random.nextInt(4) : Math.max(0, seed - 1);
            read[reader] += switch (reader) {
                case 0 -> reads(() -> CollectiveMessages.signature(frame));
                case 1 -> reads(() -> CollectiveMessages.refusal(frame));
                case 2 -> reads(() -> CollectiveMessages.status(Bytes.of(frame)));
                default -> reads(() -> CollectiveMessages.resolution(Bytes.of(frame)));
            };
        }
        for (int count : read) {
            assertTrue(count > FRAMES / 200, "the fuzzer also makes good frames: " + Arrays.toString(read));
        }
    }

    private interface Reading {
        Object read() throws MalformedMessageException;
    }

    private static int reads(Reading reading) {
        try {
            return reading.read() == null ? 0 : 1;
        } catch (MalformedMessageException expected) {
            return 0;
        }
    }

    private static byte[] mutate(byte[] seed, SplittableRandom random) {
        var bytes = new ArrayList<Byte>();
        for (byte value : seed) {
            bytes.add(value);
        }
        for (int change = random.nextInt(4); change >= 0; change--) {
            int at = bytes.isEmpty() ? 0 : random.nextInt(bytes.size());
            switch (random.nextInt(4)) {
                case 0 -> bytes.add(at, (byte) random.nextInt(256));
                case 1 ->
                    bytes.subList(at, Math.min(bytes.size(), at + 1 + random.nextInt(9)))
                            .clear();
                case 2 -> {
                    if (!bytes.isEmpty()) {
                        bytes.set(at, (byte) (bytes.get(at) ^ (1 << random.nextInt(8))));
                    }
                }
                default -> bytes.addAll(at, List.copyOf(bytes.subList(at, Math.min(bytes.size(), at + 12))));
            }
        }
        byte[] frame = new byte[bytes.size()];
        for (int i = 0; i < frame.length; i++) {
            frame[i] = bytes.get(i);
        }
        return frame;
    }
}
