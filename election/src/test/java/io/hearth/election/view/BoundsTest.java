package io.hearth.election.view;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.GeneratedMessage;
import io.hearth.core.Bytes;
import io.hearth.core.MalformedMessageException;
import io.hearth.election.Ballot;
import io.hearth.election.Beat;
import io.hearth.election.GroupPhase;
import io.hearth.election.GroupView;
import io.hearth.election.Lineage;
import io.hearth.election.LineageRecord;
import io.hearth.election.Member;
import io.hearth.election.Message;
import io.hearth.election.Nodes;
import io.hearth.election.Presence;
import io.hearth.election.Resolver;
import io.hearth.election.Role;
import io.hearth.election.View;
import io.hearth.election.ViewRules;
import io.hearth.election.protobuf.Frames;
import io.hearth.election.protobuf.MessageEncoding;
import io.hearth.election.protobuf.RecordEncoding;
import io.hearth.election.wire.AcceptedFrame;
import io.hearth.election.wire.CommitFrame;
import io.hearth.election.wire.GoneFrame;
import io.hearth.election.wire.HeartbeatFrame;
import io.hearth.election.wire.HereFrame;
import io.hearth.election.wire.JoinFrame;
import io.hearth.election.wire.LeaveFrame;
import io.hearth.election.wire.NotYetFrame;
import io.hearth.election.wire.PrepareFrame;
import io.hearth.election.wire.RefuseFrame;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Each number of each message and of each view at its bounds: one below, the bound itself, one above, and the ends of the type. */
final class BoundsTest {
    private static final long MAX = ViewRules.NUMBER_MAX;
    private static final Lineage LINEAGE = new Lineage(false, 1_000, Nodes.agent(1), 5, 0);
    private static final Ballot BALLOT = new Ballot(3, Nodes.agent(1));
    private static final View VIEW = view(4, member(5, 1, 71));

    /** Least and most of a number on the wire, by the name of its field. */
    private static final Map<String, long[]> BOUNDS = Map.ofEntries(
            Map.entry("epoch", new long[] {1, MAX}),
            Map.entry("entry_epoch", new long[] {1, MAX}),
            Map.entry("round", new long[] {1, MAX}),
            Map.entry("born_millis", new long[] {-MAX, MAX}),
            Map.entry("incarnation", new long[] {1, MAX}),
            Map.entry("counter", new long[] {0, Integer.MAX_VALUE}),
            Map.entry("member_count", new long[] {0, View.MEMBERS_MAX}),
            Map.entry("done_up_to", new long[] {-1, MAX}),
            Map.entry("sequence", new long[] {1, MAX}),
            Map.entry("echo", new long[] {0, MAX}),
            Map.entry("echo_held_nanos", new long[] {0, MAX}),
            Map.entry("silence_nanos", new long[] {0, MAX}),
            Map.entry("seat", new long[] {1, Long.MAX_VALUE}));

    /** Invalid names of groups: a person would read them as another name. */
    private static final List<String> NO_NAMES = List.of(
            "jo\u0007b",
            "\u001b[2Jjob",
            "job\n",
            "job\u202e",
            "jo\u200bb",
            "job\u2028",
            "j\u00f6b",
            "Job",
            "a b",
            "a_b",
            "a.b",
            "\ud83d\udd25");

    private static Member member(long incarnation, long entryEpoch, long seat) {
        return new Member(Nodes.agent(1), incarnation, entryEpoch, Role.AGENT, "", seat);
    }

    private static View view(long epoch, Member... members) {
        return new View(LINEAGE, epoch, List.of(members), List.of());
    }

    @Test
    void eachNumberOnTheWireHasItsBounds() throws MalformedMessageException {
        var presence = new Presence(LINEAGE, 5, 4, true, "job", GroupPhase.BUSY, 7, List.of());
        int checked = bounds(
                        MessageEncoding.HEARTBEAT,
                        new Message.Heartbeat(presence, new Beat(3, 2, 1, 4)),
                        HeartbeatFrame.getDefaultInstance())
                + bounds(
                        MessageEncoding.HERE,
                        new Message.Here(LINEAGE, 4, BALLOT, Optional.empty()),
                        HereFrame.getDefaultInstance())
                + bounds(
                        MessageEncoding.ACCEPTED,
                        new Message.Accepted(LINEAGE, 4, BALLOT),
                        AcceptedFrame.getDefaultInstance())
                + bounds(
                        MessageEncoding.REFUSE,
                        new Message.Refuse(LINEAGE, 4, BALLOT),
                        RefuseFrame.getDefaultInstance())
                + bounds(MessageEncoding.GONE, new Message.Gone(LINEAGE, 4, 71), GoneFrame.getDefaultInstance())
                + bounds(
                        MessageEncoding.JOIN,
                        new Message.Join(LINEAGE, 71, Role.AGENT, "", GroupPhase.FRESH),
                        JoinFrame.getDefaultInstance())
                + bounds(MessageEncoding.NOT_YET, new Message.NotYet(LINEAGE, "wait"), NotYetFrame.getDefaultInstance())
                + bounds(MessageEncoding.LEAVE, new Message.Leave(LINEAGE, 4, false), LeaveFrame.getDefaultInstance());
        assertEquals(14 + 8 * 3 + 3, checked, "a number has no bounds here, or another name");
    }

    /** Numbers of the message itself, and of the lineage and ballot in it. */
    private static int bounds(int kind, Message good, GeneratedMessage frame) throws MalformedMessageException {
        byte[] bytes = MessageEncoding.encode(good);
        int checked = 0;
        try {
            for (FieldDescriptor field : frame.getDescriptorForType().getFields()) {
                com.google.protobuf.Message.Builder builder =
                        frame.newBuilderForType().mergeFrom(bytes);
                if (field.getJavaType() == FieldDescriptor.JavaType.MESSAGE
                        && !field.isRepeated()
                        && builder.hasField(field)) {
                    for (FieldDescriptor inner : field.getMessageType().getFields()) {
                        checked += isNumber(inner) ? bounds(kind, bytes, frame, field, inner) : 0;
                    }
                } else if (isNumber(field)) {
                    checked += bounds(kind, bytes, frame, null, field);
                }
            }
        } catch (com.google.protobuf.InvalidProtocolBufferException wrong) {
            throw new AssertionError(wrong);
        }
        return checked;
    }

    private static boolean isNumber(FieldDescriptor field) {
        return field.getJavaType() == FieldDescriptor.JavaType.LONG
                || field.getJavaType() == FieldDescriptor.JavaType.INT;
    }

    private static int bounds(
            int kind,
            byte[] good,
            GeneratedMessage frame,
            @org.jspecify.annotations.Nullable FieldDescriptor outer,
            FieldDescriptor field)
            throws com.google.protobuf.InvalidProtocolBufferException {
        boolean isInt = field.getJavaType() == FieldDescriptor.JavaType.INT;
        long[] bounds = Optional.ofNullable(BOUNDS.get(field.getName())).orElseThrow(() -> new AssertionError(field));
        var candidates = new ArrayList<Long>();
        for (long near : List.of(
                bounds[0],
                bounds[1],
                0L,
                isInt ? Integer.MIN_VALUE : Long.MIN_VALUE,
                isInt ? Integer.MAX_VALUE : Long.MAX_VALUE)) {
            candidates.addAll(List.of(near - 1, near, near + 1));
        }
        for (long value : candidates) {
            if (isInt && value != (int) value) {
                continue;
            }
            Object boxed = isInt ? (Object) (int) value : (Object) value;
            com.google.protobuf.Message.Builder builder =
                    frame.newBuilderForType().mergeFrom(good);
            if (outer == null) {
                builder.setField(field, boxed);
            } else {
                builder.setField(
                        outer,
                        ((com.google.protobuf.Message) builder.getField(outer))
                                .toBuilder().setField(field, boxed).build());
            }
            byte[] bytes = builder.build().toByteArray();
            String what = frame.getDescriptorForType().getName() + "." + field.getName() + " = " + value;
            if (value >= bounds[0] && value <= bounds[1]) {
                assertDoesNotThrow(() -> MessageEncoding.decode(kind, bytes), what);
            } else {
                assertThrows(MalformedMessageException.class, () -> MessageEncoding.decode(kind, bytes), what);
            }
        }
        return 1;
    }

    @Test
    void aStatusIsBounded() {
        assertDoesNotThrow(() -> new Message.Status(false, Bytes.of(new byte[Resolver.BYTES_MAX])));
        assertThrows(
                IllegalArgumentException.class,
                () -> new Message.Status(false, Bytes.of(new byte[Resolver.BYTES_MAX + 1])));
        assertThrows(
                IllegalArgumentException.class,
                () -> new Presence(
                        LINEAGE, 1, 1, false, "", GroupPhase.FRESH, -1, brokenPairs(Presence.BROKEN_MAX + 1)));
        assertEquals(
                Presence.BROKEN_MAX,
                new Presence(LINEAGE, 1, 1, false, "", GroupPhase.FRESH, -1, brokenPairs(Presence.BROKEN_MAX))
                        .broken()
                        .size());
    }

    private static List<io.hearth.identity.NodeId> brokenPairs(int count) {
        return java.util.stream.IntStream.range(0, count).mapToObj(Nodes::agent).toList();
    }

    private static void breaks(View view) {
        assertTrue(ViewRules.fault(view).isPresent(), view.toString());
        byte[] bytes = CommitFrame.newBuilder().setView(Frames.of(view)).build().toByteArray();
        assertThrows(MalformedMessageException.class, () -> MessageEncoding.decode(MessageEncoding.COMMIT, bytes));
        byte[] prepare = PrepareFrame.newBuilder()
                .setView(Frames.of(view))
                .setBallot(Frames.of(BALLOT))
                .build()
                .toByteArray();
        assertThrows(MalformedMessageException.class, () -> MessageEncoding.decode(MessageEncoding.PREPARE, prepare));
    }

    /** A view that keeps the rules survives the wire and the disk. */
    private static void keeps(View view) {
        assertEquals(Optional.empty(), ViewRules.fault(view));
        assertDoesNotThrow(() -> {
            var commit = new Message.Commit(view);
            assertEquals(commit, MessageEncoding.decode(MessageEncoding.COMMIT, MessageEncoding.encode(commit)));
            LineageRecord record =
                    LineageRecord.fresh(view.lineage(), 1).learned(view).promise(BALLOT);
            assertEquals(record, RecordEncoding.decode(RecordEncoding.encode(record)));
        });
    }

    @Test
    void eachNumberOfAViewHasItsBounds() {
        assertThrows(IllegalArgumentException.class, () -> view(0, member(5, 1, 71)));
        keeps(view(1, member(5, 1, 71)));
        keeps(view(MAX - 1, member(5, MAX - 1, 71)));
        breaks(view(MAX, member(5, 1, 71)));
        breaks(view(MAX + 1, member(5, 1, 71)));
        for (long incarnation : new long[] {1, MAX}) {
            keeps(view(4, member(incarnation, 1, 71)));
        }
        for (long bad : new long[] {Long.MIN_VALUE, -1, 0, MAX + 1, Long.MAX_VALUE}) {
            breaks(view(4, member(bad, 1, 71)));
            breaks(view(4, member(5, bad, 71)));
        }
        keeps(view(4, member(5, 4, 71)));
        breaks(view(4, member(5, 5, 71)));
        for (long seat : new long[] {1, Long.MAX_VALUE}) {
            keeps(view(4, member(5, 1, seat)));
        }
        for (long seat : new long[] {0, -1, Long.MIN_VALUE}) {
            breaks(view(4, member(5, 1, seat)));
        }
    }

    @Test
    void eachNumberOfALineageHasItsBounds() {
        for (long millis : new long[] {-MAX, 0, MAX}) {
            keeps(new View(new Lineage(false, millis, Nodes.agent(1), 5, 0), 4, List.of(), List.of()));
        }
        for (long millis : new long[] {Long.MIN_VALUE, -MAX - 1, MAX + 1, Long.MAX_VALUE}) {
            breaks(new View(new Lineage(false, millis, Nodes.agent(1), 5, 0), 4, List.of(), List.of()));
        }
        for (long incarnation : new long[] {Long.MIN_VALUE, 0, MAX + 1}) {
            breaks(new View(new Lineage(false, 1, Nodes.agent(1), incarnation, 0), 4, List.of(), List.of()));
        }
        breaks(new View(new Lineage(false, 1, Nodes.agent(1), 5, -1), 4, List.of(), List.of()));
        keeps(new View(new Lineage(false, 1, Nodes.agent(1), 5, Integer.MAX_VALUE), 4, List.of(), List.of()));
    }

    private static View trainers(String name, long groupEpoch, int resolutionBytes) {
        var trainer = new Member(Nodes.trainer(1, 0), 5, 1, Role.TRAINER, name, 71);
        return new View(
                LINEAGE,
                4,
                List.of(trainer),
                List.of(new GroupView(name, groupEpoch, Bytes.of(new byte[resolutionBytes]))));
    }

    @Test
    void eachNumberOfAGroupHasItsBounds() {
        keeps(trainers("job", 1, 0));
        keeps(trainers("job", 4, Resolver.BYTES_MAX));
        breaks(trainers("job", 0, 0));
        breaks(trainers("job", 5, 0));
        breaks(trainers("job", -1, 0));
        assertTrue(ViewRules.fault(trainers("job", 4, Resolver.BYTES_MAX + 1)).isPresent());
        keeps(trainers("j".repeat(ViewRules.GROUP_CHARACTERS_MAX), 1, 0));
        breaks(trainers("j".repeat(ViewRules.GROUP_CHARACTERS_MAX + 1), 1, 0));
        for (String shown : NO_NAMES) {
            breaks(trainers(shown, 1, 0));
        }
        keeps(trainers("0-job-9", 1, 0));
    }

    /** Attack 47. */
    @Test
    void aGroupsNameIsCheckedInARequestForEntryAndInAHeartbeat() throws Exception {
        var presence = new Presence(LINEAGE, 5, 4, true, "job", GroupPhase.BUSY, 7, List.of());
        byte[] beat = MessageEncoding.encode(new Message.Heartbeat(presence, new Beat(3, 2, 1, 4)));
        byte[] join = MessageEncoding.encode(new Message.Join(LINEAGE, 71, Role.TRAINER, "job", GroupPhase.FRESH));
        var noNames = new ArrayList<>(NO_NAMES);
        noNames.add("j".repeat(ViewRules.GROUP_CHARACTERS_MAX + 1));
        for (String name : noNames) {
            byte[] badBeat = HeartbeatFrame.parseFrom(beat).toBuilder()
                    .setGroup(name)
                    .build()
                    .toByteArray();
            byte[] badJoin =
                    JoinFrame.parseFrom(join).toBuilder().setGroup(name).build().toByteArray();
            assertMalformed(MessageEncoding.HEARTBEAT, badBeat, name);
            assertMalformed(MessageEncoding.JOIN, badJoin, name);
        }
        assertMalformed(
                MessageEncoding.JOIN,
                JoinFrame.parseFrom(join).toBuilder().setGroup("").build().toByteArray(),
                "a trainer of no group");
        for (String name : List.of("0-job-9", "j".repeat(ViewRules.GROUP_CHARACTERS_MAX))) {
            byte[] good =
                    JoinFrame.parseFrom(join).toBuilder().setGroup(name).build().toByteArray();
            assertDoesNotThrow(() -> MessageEncoding.decode(MessageEncoding.JOIN, good));
        }
    }

    /** The error goes to logs and to the sender, so it does not repeat the received name. */
    private static void assertMalformed(int kind, byte[] bytes, String name) {
        String why = assertThrows(MalformedMessageException.class, () -> MessageEncoding.decode(kind, bytes), name)
                .toString();
        assertTrue(name.isEmpty() || !why.contains(name), why);
    }

    @Test
    void aMachineHasOneSeatInAView() {
        var other = new Member(Nodes.trainer(1, 0), 5, 2, Role.TRAINER, "job", 71);
        var groups = List.of(new GroupView("job", 2, Bytes.EMPTY));
        keeps(new View(LINEAGE, 4, List.of(member(5, 1, 71), other), groups));
        var beside = new Member(Nodes.trainer(1, 0), 5, 2, Role.TRAINER, "job", 72);
        breaks(new View(LINEAGE, 4, List.of(member(5, 1, 71), beside), groups));
    }

    @Test
    void aLaterViewIsAtMostAMillionAhead() {
        View last = view(VIEW.epoch() + ViewRules.EPOCH_LEAP_MAX, member(5, 1, 71));
        assertEquals(Optional.empty(), ViewRules.descendantFault(VIEW, last));
        View far = view(last.epoch() + 1, member(5, 1, 71));
        assertTrue(ViewRules.descendantFault(VIEW, far).isPresent());
        assertEquals(Optional.empty(), ViewRules.successorFault(VIEW, view(5, member(5, 1, 71))));
        assertTrue(ViewRules.successorFault(VIEW, view(6, member(5, 1, 71))).isPresent());
        assertTrue(ViewRules.successorFault(VIEW, VIEW).isPresent());
    }

    @Test
    void aBallotsRoundHasItsBounds() {
        assertEquals(MAX, new Ballot(MAX, Nodes.agent(1)).round());
        for (long round : new long[] {Long.MIN_VALUE, 0, MAX + 1, Long.MAX_VALUE}) {
            assertThrows(IllegalArgumentException.class, () -> new Ballot(round, Nodes.agent(1)));
        }
    }

    /** More than half of the machines, or half of them with that of rank 0; each machine once. */
    @Test
    void aQuorumIsCountedByMachine() {
        var members = new ArrayList<Member>();
        for (int machine = 1; machine <= 4; machine++) {
            members.add(new Member(Nodes.agent(machine), 1, machine, Role.AGENT, "", 70 + machine));
        }
        members.add(new Member(Nodes.trainer(4, 0), 1, 5, Role.TRAINER, "job", 74));
        members.add(new Member(Nodes.trainer(4, 1), 1, 5, Role.TRAINER, "job", 74));
        View four = new View(LINEAGE, 9, members, List.of(new GroupView("job", 5, Bytes.EMPTY)));
        assertEquals(4, four.machines().size());
        assertTrue(isQuorum(four, 1, 4));
        assertFalse(isQuorum(four, 1));
        assertFalse(isQuorum(four, 3, 4));
        assertTrue(isQuorum(four, 2, 3, 4));
        assertFalse(isQuorum(four, 1, 8, 9), "machines of other views do not count");
        View tombstone = new View(LINEAGE, 10, List.of(), List.of());
        assertFalse(isQuorum(tombstone, 1, 2, 3, 4));
    }

    private static boolean isQuorum(View view, int... machines) {
        return view.isQuorum(java.util.Arrays.stream(machines)
                .mapToObj(machine -> Nodes.agent(machine).peer())
                .collect(java.util.stream.Collectors.toSet()));
    }
}
