package io.hearth.election.protobuf;

import com.google.protobuf.ByteString;
import io.hearth.core.Bytes;
import io.hearth.core.MalformedMessageException;
import io.hearth.election.Ballot;
import io.hearth.election.GroupView;
import io.hearth.election.Lineage;
import io.hearth.election.Member;
import io.hearth.election.Role;
import io.hearth.election.View;
import io.hearth.election.ViewRules;
import io.hearth.election.wire.BallotFrame;
import io.hearth.election.wire.GroupFrame;
import io.hearth.election.wire.LineageFrame;
import io.hearth.election.wire.MemberFrame;
import io.hearth.election.wire.NodeFrame;
import io.hearth.election.wire.ViewFrame;
import io.hearth.identity.NodeId;
import io.hearth.identity.PeerId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Map;

/**
 * The structures that messages and records share, to and from the wire. Readers throw {@link IllegalArgumentException} for invalid
 * values; the codecs turn it into their own error.
 */
public final class Frames {
    private Frames() {}

    public static LineageFrame of(Lineage lineage) {
        return LineageFrame.newBuilder()
                .setContinued(lineage.continued())
                .setBornMillis(lineage.bornMillis())
                .setFounderPeer(key(lineage.founder().peer()))
                .setFounderSlot(lineage.founder().slot())
                .setIncarnation(lineage.incarnation())
                .setCounter(lineage.counter())
                .build();
    }

    static Lineage lineage(LineageFrame frame) {
        return new Lineage(
                frame.getContinued(),
                frame.getBornMillis(),
                node(frame.getFounderPeer(), frame.getFounderSlot()),
                frame.getIncarnation(),
                frame.getCounter());
    }

    public static BallotFrame of(Ballot ballot) {
        return BallotFrame.newBuilder()
                .setRound(ballot.round())
                .setPeer(key(ballot.proposer().peer()))
                .setSlot(ballot.proposer().slot())
                .build();
    }

    static Ballot ballot(BallotFrame frame) {
        return new Ballot(frame.getRound(), node(frame.getPeer(), frame.getSlot()));
    }

    public static NodeFrame of(NodeId node) {
        return NodeFrame.newBuilder()
                .setPeer(key(node.peer()))
                .setSlot(node.slot())
                .build();
    }

    static NodeId node(NodeFrame frame) {
        return node(frame.getPeer(), frame.getSlot());
    }

    public static ViewFrame of(View view) {
        var frame = ViewFrame.newBuilder().setLineage(of(view.lineage())).setEpoch(view.epoch());
        for (Member member : view.members()) {
            frame.addMembers(MemberFrame.newBuilder()
                    .setPeer(key(member.node().peer()))
                    .setSlot(member.node().slot())
                    .setIncarnation(member.incarnation())
                    .setEntryEpoch(member.entryEpoch())
                    .setTrainer(member.role() == Role.TRAINER)
                    .setGroup(member.group())
                    .setSeat(member.seat()));
        }
        for (GroupView group : view.groups()) {
            frame.addGroups(GroupFrame.newBuilder()
                    .setName(group.name())
                    .setEpoch(group.epoch())
                    .setResolution(ByteString.copyFrom(group.resolution().toArray())));
        }
        return frame.build();
    }

    /**
     * Reads a view that keeps all of {@link ViewRules}.
     *
     * @throws MalformedMessageException if it breaks one, with that rule
     */
    static View view(ViewFrame frame) throws MalformedMessageException {
        if (frame.getMembersCount() > View.MEMBERS_MAX) {
            throw new MalformedMessageException("a view of " + frame.getMembersCount() + " members");
        }
        Map<ByteString, PeerId> known = new HashMap<>(); // an id computes its text form once
        var members = new ArrayList<Member>(frame.getMembersCount());
        for (MemberFrame member : frame.getMembersList()) {
            PeerId peer = known.computeIfAbsent(member.getPeer(), key -> PeerId.of(key.toByteArray()));
            members.add(new Member(
                    new NodeId(peer, member.getSlot()),
                    member.getIncarnation(),
                    member.getEntryEpoch(),
                    role(member.getTrainer()),
                    member.getGroup(),
                    member.getSeat()));
        }
        var groups = new ArrayList<GroupView>(frame.getGroupsCount());
        for (GroupFrame group : frame.getGroupsList()) {
            groups.add(new GroupView(
                    group.getName(),
                    group.getEpoch(),
                    Bytes.of(group.getResolution().toByteArray())));
        }
        var view = new View(lineage(frame.getLineage()), frame.getEpoch(), members, groups);
        var fault = ViewRules.fault(view);
        if (fault.isPresent()) {
            throw new MalformedMessageException("a view that breaks the rules: " + fault.get());
        }
        return view;
    }

    static Role role(boolean trainer) {
        return trainer ? Role.TRAINER : Role.AGENT;
    }

    private static NodeId node(ByteString peer, String slot) {
        return new NodeId(PeerId.of(peer.toByteArray()), slot);
    }

    private static ByteString key(PeerId peer) {
        return ByteString.copyFrom(peer.publicKey());
    }
}
