package io.hearth.collective.group;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import io.hearth.collective.Signature;
import io.hearth.collective.choice.CodecCost;
import io.hearth.collective.choice.CodecMeasurements;
import io.hearth.collective.engine.TestGroup;
import io.hearth.collective.pair.machine.TransferSpec;
import io.hearth.collective.state.StateClaim;
import io.hearth.collective.wire.CallMessage;
import io.hearth.collective.wire.ForwardMessage;
import io.hearth.collective.wire.KeptMessage;
import io.hearth.collective.wire.RefusalMessage;
import io.hearth.collective.wire.RefusedMessage;
import io.hearth.collective.wire.ResolutionMessage;
import io.hearth.collective.wire.StatusMessage;
import io.hearth.collective.wire.SubgroupMessage;
import io.hearth.collective.wire.TensorListMessage;
import io.hearth.core.Bytes;
import io.hearth.core.DataType;
import io.hearth.core.MalformedMessageException;
import io.hearth.core.ReduceOp;
import io.hearth.election.Member;
import io.hearth.election.Resolver;
import io.hearth.election.Role;
import io.hearth.election.View;
import io.hearth.identity.NodeId;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Numbers in control messages of the collectives, at and beyond each bound. */
final class ControlNumbersTest {
    private static final long MAX = Status.NUMBER_MAX;
    private static final List<Long> EDGES =
            List.of(Long.MIN_VALUE, -1L, 0L, 1L, 2L, MAX - 1, MAX, MAX + 1, Long.MAX_VALUE - 1, Long.MAX_VALUE);
    private static final int SEEDS = 3_000;

    private static final CollectiveResolver RESOLVER = new CollectiveResolver();
    private static final Status GOOD = new Status(
            12,
            11,
            List.of(new Status.Kept(10, 3, 40, Optional.empty()), new Status.Kept(11, 3, 40, Optional.empty())),
            Optional.empty());

    private static StatusMessage.Builder status() {
        return StatusMessage.newBuilder()
                .setCalled(12)
                .setDoneUpTo(11)
                .addKept(KeptMessage.newBuilder()
                        .setNumber(11)
                        .setContributors(3)
                        .setBytes(40));
    }

    private static ResolutionMessage.Builder resolution() {
        return ResolutionMessage.newBuilder()
                .setFirst(12)
                .addForwards(ForwardMessage.newBuilder()
                        .setNumber(11)
                        .setHolder(TestGroup.node(1).text())
                        .setContributors(3)
                        .setBytes(40))
                .addRefused(RefusedMessage.newBuilder()
                        .setNumber(10)
                        .setRefusal(RefusalMessage.newBuilder().setCause("MISMATCH")));
    }

    private static SubgroupMessage subgroup(Message content) {
        return SubgroupMessage.newBuilder()
                .setId("0123456789abcdef")
                .setContent(content.toByteString())
                .build();
    }

    private static CallMessage.Builder call() {
        return CallMessage.newBuilder()
                .setKind("ALL_REDUCE")
                .setOp("SUM")
                .setType("UINT8")
                .setCount(7)
                .setCodec("none")
                .setStrategy("auto")
                .setList(TensorListMessage.newBuilder()
                        .setBucket(1)
                        .setTensors(1)
                        .addFirst(7));
    }

    /** Copies of the message, each with one number changed; covers nested messages too. */
    private static List<Message> changed(Message message, long value) {
        var all = new ArrayList<Message>();
        for (FieldDescriptor field : message.getDescriptorForType().getFields()) {
            boolean isInt = field.getJavaType() == FieldDescriptor.JavaType.INT;
            boolean isNumber = isInt || field.getJavaType() == FieldDescriptor.JavaType.LONG;
            Object number = isInt ? (Object) Math.clamp(value, Integer.MIN_VALUE, Integer.MAX_VALUE) : value;
            if (isNumber && field.isRepeated()) {
                all.add(message.toBuilder().setRepeatedField(field, 0, number).build());
            } else if (isNumber) {
                all.add(message.toBuilder().setField(field, number).build());
            } else if (field.getJavaType() == FieldDescriptor.JavaType.MESSAGE
                    && field.isRepeated()
                    && message.getRepeatedFieldCount(field) > 0) {
                for (Message part : changed((Message) message.getRepeatedField(field, 0), value)) {
                    all.add(message.toBuilder().setRepeatedField(field, 0, part).build());
                }
            } else if (field.getJavaType() == FieldDescriptor.JavaType.MESSAGE
                    && !field.isRepeated()
                    && message.hasField(field)) {
                for (Message part : changed((Message) message.getField(field), value)) {
                    all.add(message.toBuilder().setField(field, part).build());
                }
            }
        }
        return all;
    }

    private interface Reading {
        Object read() throws MalformedMessageException;
    }

    private static boolean isRead(Reading reading) {
        try {
            return !reading.read().equals("");
        } catch (MalformedMessageException expected) {
            return false;
        }
    }

    @Test
    void eachNumberInTurnIsWithinItsBoundOrMalformed() {
        for (long value : EDGES) {
            boolean isOut = value < 0 || value > MAX;
            for (Message message : changed(status().build(), value)) {
                boolean isRead = isRead(() -> CollectiveMessages.status(Bytes.of(message.toByteArray())));
                assertTrue(!isRead || !isOut, () -> "read " + message);
                byte[] inside = status().addSubgroups(subgroup(message)).build().toByteArray();
                assertEquals(isRead, isRead(() -> CollectiveMessages.statusReport(Bytes.of(inside))));
            }
            for (Message message : changed(resolution().build(), value)) {
                boolean isRead = isRead(() -> CollectiveMessages.resolution(Bytes.of(message.toByteArray())));
                assertTrue(!isRead || !isOut, () -> "read " + message);
                byte[] inside =
                        resolution().addSubgroups(subgroup(message)).build().toByteArray();
                assertEquals(isRead, isRead(() -> CollectiveMessages.decision(Bytes.of(inside))));
            }
            for (Message message : changed(call().build(), value)) {
                boolean isDigest = message.toString().contains("digest: ");
                boolean isTooLarge = isOut
                        && !isDigest
                        && !message.toString().contains("tensors: " + Integer.MAX_VALUE)
                        && !message.toString().contains("bucket: " + Integer.MAX_VALUE);
                boolean isRead = isRead(() -> CollectiveMessages.signature(message.toByteArray()));
                assertTrue(!isRead || !isTooLarge, () -> "read " + message);
            }
        }
        assertTrue(
                isRead(() -> CollectiveMessages.status(Bytes.of(status().build().toByteArray()))));
        assertTrue(isRead(() ->
                CollectiveMessages.resolution(Bytes.of(resolution().build().toByteArray()))));
        assertTrue(isRead(() -> CollectiveMessages.signature(call().build().toByteArray())));
    }

    @Test
    void theBoundItselfIsReadAndCanBeWrittenAgain() throws Exception {
        var last = new Status(
                MAX, MAX, List.of(new Status.Kept(MAX, View.MEMBERS_MAX, MAX, Optional.empty())), Optional.empty());
        assertEquals(last, CollectiveMessages.status(CollectiveMessages.encode(last)));
        var forward = new Resolution.Forward(MAX, TestGroup.node(1), View.MEMBERS_MAX, MAX);
        var decided = new Resolution(MAX, List.of(forward), List.of());
        assertEquals(decided, CollectiveMessages.resolution(CollectiveMessages.encode(decided)));
        assertThrows(IllegalArgumentException.class, () -> new Status(MAX + 1, 1, List.of(), Optional.empty()));
        assertThrows(
                IllegalArgumentException.class,
                () -> new Resolution.Forward(1, TestGroup.node(1), View.MEMBERS_MAX + 1, 1));
        assertThrows(IllegalArgumentException.class, () -> new Resolution.Forward(1, TestGroup.node(1), 0, 1));
        assertThrows(IllegalArgumentException.class, () -> new Resolution(MAX + 1, List.of(), List.of()));
        assertThrows(
                IllegalArgumentException.class,
                () -> new Resolution(1, List.of(forward, forward), List.of()),
                "numbers must rise");
    }

    /** Found in operation: such a report ended the lead's process, and then that of the next lead. */
    @Test
    void aMemberThatCalledTheLastNumberThereIsEndsNoLead() throws Exception {
        Bytes lie = Bytes.of(StatusMessage.newBuilder()
                .setCalled(Long.MAX_VALUE)
                .setDoneUpTo(Long.MAX_VALUE)
                .setBroken("x")
                .build()
                .toByteArray());
        assertThrows(MalformedMessageException.class, () -> CollectiveMessages.status(lie));
        for (Bytes said : List.of(lie, CollectiveMessages.encode(new Status(MAX, MAX, List.of(), Optional.empty())))) {
            for (int liar = 0; liar < 3; liar++) {
                List<Bytes> reports =
                        new ArrayList<>(List.of(CollectiveMessages.encode(GOOD), CollectiveMessages.encode(GOOD)));
                reports.add(liar, said);
                Resolution decided = resolved(reports);
                assertEquals(13, decided.first());
                assertEquals(List.of(), decided.forwards());
                assertTrue(RESOLVER.broken("g", reports(reports)).isPresent());
                assertTrue(RESOLVER.refusal("g", reports(reports)).orElseThrow().contains("admits no trainers now"));
            }
        }
    }

    @Test
    void aReportThatNoOtherAgreesWithBringsNothingAndCostsNothing() throws Exception {
        var behind = new Status(11, 10, List.of(new Status.Kept(10, 3, 40, Optional.empty())), Optional.empty());
        var far = new Status(900, 899, List.of(new Status.Kept(899, 3, MAX, Optional.empty())), Optional.empty());
        var nothing = new Status(0, 0, List.of(), Optional.empty());
        for (Status liar : List.of(far, nothing)) {
            for (int rank = 0; rank < 3; rank++) {
                var reports = new ArrayList<>(List.of(GOOD, behind));
                reports.add(rank, liar);
                Resolution decided = resolved(encoded(reports));
                assertEquals(13, decided.first());
                NodeId holder = TestGroup.node(rank == 0 ? 1 : 0);
                assertEquals(List.of(new Resolution.Forward(11, holder, 3, 40)), decided.forwards());
            }
        }
    }

    /** Two honest members are never so far apart, so one of the two lies: the senior one counts, as in a quorum of two. */
    @Test
    void ofTwoThatCannotBothBeTrueTheSeniorCounts() throws Exception {
        var far = new Status(900, 899, List.of(), Optional.empty());
        assertEquals(13, resolved(encoded(List.of(GOOD, far))).first());
        assertEquals(901, resolved(encoded(List.of(far, GOOD))).first());
    }

    @Test
    void whoFinishedANumberIsNotBelievedIfNoOtherCalledIt() throws Exception {
        var ahead = new Status(
                15,
                14,
                List.of(
                        new Status.Kept(12, 3, 40, Optional.empty()),
                        new Status.Kept(13, 3, MAX, Optional.empty()),
                        new Status.Kept(14, 3, MAX, Optional.empty())),
                Optional.empty());
        var lacks = new Status(12, 11, List.of(), Optional.empty());
        assertEquals(
                List.of(new Resolution.Forward(12, TestGroup.node(1), 3, 40)),
                resolved(encoded(List.of(lacks, ahead, lacks))).forwards());
    }

    @Test
    void everyListOfReportsHasAResolution() throws Exception {
        for (long seed = 0; seed < SEEDS; seed++) {
            var random = new SplittableRandom(seed);
            var reports = new ArrayList<Bytes>();
            int members = 1 + random.nextInt(6);
            for (int i = 0; i < members; i++) {
                reports.add(random.nextInt(3) == 0 ? CollectiveMessages.encode(GOOD) : anyReport(random));
            }
            String where = "seed " + seed;
            Bytes decided;
            try {
                decided = RESOLVER.resolve("g", members(members), reports(reports));
                RESOLVER.refusal("g", reports(reports));
                RESOLVER.broken("g", reports(reports));
            } catch (RuntimeException | Error bug) {
                throw new AssertionError(where, bug);
            }
            assertTrue(decided.size() <= Resolver.BYTES_MAX, where);
            Resolution read = CollectiveMessages.resolution(decided);
            assertTrue(read.first() >= 1 && read.first() <= MAX, where);
        }
    }

    private static Bytes anyReport(SplittableRandom random) {
        if (random.nextInt(10) == 0) {
            byte[] bytes = new byte[random.nextInt(40)];
            random.nextBytes(bytes);
            return Bytes.of(bytes);
        }
        long called = number(random);
        var message = StatusMessage.newBuilder()
                .setCalled(called)
                .setDoneUpTo(random.nextBoolean() ? called - random.nextInt(5) : number(random))
                .setBoundary(random.nextInt(4) == 0);
        var numbers = new TreeSet<Long>();
        for (int i = random.nextInt(Status.KEPT_MAX + 2); i > 0; i--) {
            numbers.add(random.nextBoolean() ? called - random.nextInt(9) : number(random));
        }
        for (long number : numbers) {
            var kept = KeptMessage.newBuilder()
                    .setNumber(number)
                    .setContributors(random.nextInt(4) == 0 ? random.nextInt() : random.nextInt(5))
                    .setBytes(random.nextBoolean() ? 40 : number(random));
            if (random.nextInt(3) == 0) {
                kept.setBytes(0)
                        .setRefusal(RefusalMessage.newBuilder()
                                .setCause("NON_FINITE")
                                .setText("x"));
            }
            message.addKept(kept);
        }
        if (random.nextInt(3) == 0) {
            var links = new TreeMap<Long, MeasuredLinks.Link>();
            for (int peer = 0; peer < 6; peer++) {
                short rate = (short) random.nextInt(0x7C00);
                links.put(
                        MeasuredLinks.tag(TestGroup.node(peer)),
                        new MeasuredLinks.Link(random.nextInt(253), rate, (short) random.nextInt(0x7C00)));
            }
            message.setLinks(ByteString.copyFrom(new MeasuredLinks(links).encode()));
        }
        return Bytes.of(message.build().toByteArray());
    }

    private static long number(SplittableRandom random) {
        return switch (random.nextInt(4)) {
            case 0 -> EDGES.get(random.nextInt(EDGES.size()));
            case 1 -> random.nextLong();
            case 2 -> random.nextLong(MAX);
            default -> random.nextLong(30);
        };
    }

    @Test
    void aStateClaimLeavesRoomForAStep() {
        var digest = Bytes.of(new byte[StateClaim.DIGEST_BYTES]);
        assertThrows(IllegalArgumentException.class, () -> new StateClaim(MAX + 1, digest, false, List.of()));
        assertThrows(IllegalArgumentException.class, () -> new StateClaim(-1, digest, false, List.of()));
        var last = new StateClaim(MAX, digest, false, List.of());
        assertThrows(IllegalArgumentException.class, last::requireSuccessor);
        assertEquals(
                MAX - 1,
                new StateClaim(MAX - 1, digest, false, List.of())
                        .requireSuccessor()
                        .revision());
    }

    /** NaN marks an unknown time in a ballot; a cost must not be NaN, and no number may be infinite. */
    @Test
    void aBallotWithNoNumbersIsMalformed() throws Exception {
        var cost = new CodecCost(true, 10, 1, 1, 1);
        var ballot = new CodecMeasurements(100, 1, List.of(Double.NaN, 5.0, Double.NaN, 7.0), List.of(cost));
        MemorySegment wire = MemorySegment.ofArray(new byte[(int) CodecMeasurements.bytes(1)]);
        ballot.writeTo(wire);
        assertEquals(ballot, CodecMeasurements.readFrom(wire, 1));
        var place = ValueLayout.JAVA_DOUBLE_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
        for (long at : List.of(56L, 64L, 72L, 80L)) {
            for (double lie : List.of(Double.NaN, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY, -1.0)) {
                double before = wire.get(place, at);
                wire.set(place, at, lie);
                assertThrows(
                        MalformedMessageException.class, () -> CodecMeasurements.readFrom(wire, 1), at + ": " + lie);
                wire.set(place, at, before);
            }
        }
        for (double lie : List.of(Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY, -1.0, 0.0, 1e30)) {
            wire.set(place, 40, lie);
            assertThrows(MalformedMessageException.class, () -> CodecMeasurements.readFrom(wire, 1), "time " + lie);
        }
    }

    @Test
    void noElementsBeyondTheBoundAreAskedForOrOffered() {
        assertThrows(
                IllegalArgumentException.class,
                () -> Signature.allReduce(ReduceOp.SUM, DataType.FLOAT32, MAX / 4 + 1, "none"));
        assertEquals(
                MAX,
                Signature.allReduce(ReduceOp.SUM, DataType.FLOAT32, MAX / 4, "none")
                        .bytes());
        assertThrows(IllegalArgumentException.class, () -> new TransferSpec(DataType.INT64, MAX / 8 + 1));
        assertEquals(MAX, new TransferSpec(DataType.INT64, MAX / 8).bytes());
    }

    private static List<Bytes> encoded(List<Status> statuses) {
        return statuses.stream().map(CollectiveMessages::encode).toList();
    }

    private static Resolution resolved(List<Bytes> reports) throws MalformedMessageException {
        return CollectiveMessages.resolution(RESOLVER.resolve("g", members(reports.size()), reports(reports)));
    }

    private static List<Member> members(int count) {
        return IntStream.range(0, count)
                .mapToObj(rank -> new Member(TestGroup.node(rank), 1, 1, Role.TRAINER, "g", 1))
                .toList();
    }

    private static List<Resolver.Report> reports(List<Bytes> said) {
        return IntStream.range(0, said.size())
                .mapToObj(rank -> new Resolver.Report(members(said.size()).get(rank), said.get(rank)))
                .toList();
    }
}
