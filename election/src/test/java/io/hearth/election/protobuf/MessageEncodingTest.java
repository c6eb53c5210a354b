package io.hearth.election.protobuf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.core.BoundedDecoder;
import io.hearth.core.Bytes;
import io.hearth.core.MalformedMessageException;
import io.hearth.election.Ballot;
import io.hearth.election.Beat;
import io.hearth.election.GroupPhase;
import io.hearth.election.GroupView;
import io.hearth.election.Lineage;
import io.hearth.election.Member;
import io.hearth.election.Message;
import io.hearth.election.Nodes;
import io.hearth.election.Presence;
import io.hearth.election.Proposal;
import io.hearth.election.Role;
import io.hearth.election.View;
import io.hearth.election.wire.CommitFrame;
import io.hearth.election.wire.ViewFrame;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

final class MessageEncodingTest {
    private static final Lineage LINEAGE = new Lineage(true, 1_763_000_000_000L, Nodes.agent(1), 1_763_000_000_001L, 2);
    private static final Ballot BALLOT = new Ballot(3, Nodes.agent(1));

    private static View view(long epoch, int trainers) {
        var members = new ArrayList<Member>();
        members.add(new Member(Nodes.agent(1), 7, 1, Role.AGENT, "", 1));
        for (int i = 0; i < trainers; i++) {
            members.add(new Member(
                    Nodes.trainer(i + 1, i), 1_763_000_000_000L + i, 2, Role.TRAINER, "job", i == 0 ? 1 : 70 + i));
        }
        members.sort(Member.ORDER);
        List<GroupView> groups =
                trainers == 0 ? List.of() : List.of(new GroupView("job", 2, Bytes.of(new byte[] {1, 2, 3})));
        return new View(LINEAGE, epoch, members, groups);
    }

    static Stream<Message> messages() {
        var presence = new Presence(
                LINEAGE, 5, 4, true, "job", GroupPhase.BUSY, 7, List.of(Nodes.agent(2), Nodes.trainer(3, 0)));
        var status = new Message.Status(true, Bytes.of(new byte[] {9, 8}));
        return Stream.of(
                new Message.Heartbeat(presence, new Beat(17, 16, 1_000_000, 8_000_000_000L)),
                new Message.Prepare(view(2, 3), BALLOT),
                new Message.Here(LINEAGE, 2, BALLOT, Optional.empty()),
                new Message.Here(LINEAGE, 2, BALLOT, Optional.of(status)),
                new Message.Promise(LINEAGE, 2, BALLOT, Optional.empty()),
                new Message.Promise(LINEAGE, 2, BALLOT, Optional.of(new Proposal(BALLOT, view(3, 2)))),
                new Message.Gone(LINEAGE, 2, Long.MAX_VALUE),
                new Message.Accept(view(2, 3), BALLOT, view(3, 2)),
                new Message.Accepted(LINEAGE, 2, BALLOT),
                new Message.Refuse(LINEAGE, 2, BALLOT),
                new Message.Commit(view(2, 0)),
                new Message.Commit(new View(LINEAGE, 9, List.of(), List.of())),
                new Message.Join(LINEAGE, 99, Role.TRAINER, "job", GroupPhase.BOUNDARY),
                new Message.Join(LINEAGE, 99, Role.AGENT, "", GroupPhase.FRESH),
                new Message.NotYet(LINEAGE, "wait"),
                new Message.NotYet(LINEAGE, "x".repeat(Message.REASON_CHARACTERS_MAX - 1) + " is cut at its space"),
                new Message.Leave(LINEAGE, 3, true));
    }

    @Test
    void aReasonFromAPeerCannotControlATerminal() throws MalformedMessageException {
        var told = new Message.NotYet(LINEAGE, "wait\u001b[2J a\u202emoment");
        assertEquals(
                new Message.NotYet(LINEAGE, "wait[2J amoment"),
                MessageEncoding.decode(MessageEncoding.NOT_YET, MessageEncoding.encode(told)));
    }

    @ParameterizedTest
    @MethodSource("messages")
    void everyMessageSurvivesTheWire(Message message) throws MalformedMessageException {
        assertEquals(message, MessageEncoding.decode(MessageEncoding.kind(message), MessageEncoding.encode(message)));
        assertTrue(MessageEncoding.isKind(MessageEncoding.kind(message)));
    }

    @Test
    void theLargestViewFitsAFrame() throws MalformedMessageException {
        var accept = new Message.Accept(view(2, View.MEMBERS_MAX - 1), BALLOT, view(3, View.MEMBERS_MAX - 1));
        byte[] bytes = MessageEncoding.encode(accept);
        assertTrue(2 * accept.view().wireBytesMax() >= bytes.length, "the bound of a view's size is too low");
        assertTrue(bytes.length < BoundedDecoder.Limits.CONTROL.frameBytesMax(), bytes.length + " bytes");
        assertEquals(accept, MessageEncoding.decode(MessageEncoding.ACCEPT, bytes));
    }

    @Test
    void aViewThatBreaksTheRulesIsRejectedWithItsReason() {
        ViewFrame good = Frames.of(view(2, 3));
        refused(good.toBuilder().addMembers(good.getMembers(1)).build(), "twice");
        refused(
                good.toBuilder()
                        .setMembers(0, good.getMembers(2))
                        .setMembers(2, good.getMembers(0))
                        .build(),
                "order");
        refused(good.toBuilder().setEpoch(1).build(), "after the view");
        refused(good.toBuilder().setEpoch(0).build(), "epoch");
        refused(good.toBuilder().setEpoch(Long.MAX_VALUE).build(), "out of range");
        refused(good.toBuilder().clearGroups().build(), "group is missing");
        refused(good.toBuilder().addGroups(good.getGroups(0)).build(), "groups are out of order");
        refused(good.toBuilder().clearMembers().build(), "no member");
        var crowd = good.toBuilder();
        for (int i = 0; i < View.MEMBERS_MAX; i++) {
            crowd.addMembers(good.getMembers(0));
        }
        refused(crowd.build(), "members");
        var unknownKey = good.getMembers(0).toBuilder().setPeer(com.google.protobuf.ByteString.copyFromUtf8("short"));
        refused(good.toBuilder().setMembers(0, unknownKey).build(), "32 bytes");
    }

    private static void refused(ViewFrame frame, String why) {
        byte[] bytes = CommitFrame.newBuilder().setView(frame).build().toByteArray();
        String message = assertThrows(
                        MalformedMessageException.class, () -> MessageEncoding.decode(MessageEncoding.COMMIT, bytes))
                .toString();
        assertTrue(message.contains(why), message);
    }

    @Test
    void mutatedFramesAreReadOrRejected() {
        List<Message> good = messages().toList();
        List<byte[]> frames = good.stream().map(MessageEncoding::encode).toList();
        var random = new SplittableRandom(5);
        int refused = 0;
        for (int i = 0; i < 100_000; i++) {
            int which = random.nextInt(good.size());
            byte[] bytes = mutated(frames.get(which), random);
            int kind = random.nextInt(20) == 0
                    ? MessageEncoding.HEARTBEAT + random.nextInt(11)
                    : MessageEncoding.kind(good.get(which));
            try {
                Message read = MessageEncoding.decode(kind, bytes);
                assertEquals(read, MessageEncoding.decode(kind, MessageEncoding.encode(read)));
            } catch (MalformedMessageException expected) {
                refused++;
            }
        }
        assertTrue(refused > 5_000, "only " + refused + " mutations were refused");
    }

    private static byte[] mutated(byte[] good, SplittableRandom random) {
        byte[] bytes =
                random.nextInt(4) == 0 ? java.util.Arrays.copyOf(good, random.nextInt(good.length + 1)) : good.clone();
        for (int flips = random.nextInt(1, 6); flips > 0 && bytes.length > 0; flips--) {
            bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
        }
        return bytes;
    }
}
