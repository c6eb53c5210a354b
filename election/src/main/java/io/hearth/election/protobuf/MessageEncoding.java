package io.hearth.election.protobuf;

import com.google.protobuf.ByteString;
import com.google.protobuf.GeneratedMessage;
import io.hearth.core.BoundedDecoder;
import io.hearth.core.Bytes;
import io.hearth.core.MalformedMessageException;
import io.hearth.election.Ballot;
import io.hearth.election.Beat;
import io.hearth.election.GroupPhase;
import io.hearth.election.Lineage;
import io.hearth.election.Message;
import io.hearth.election.Presence;
import io.hearth.election.Proposal;
import io.hearth.election.Role;
import io.hearth.election.View;
import io.hearth.election.ViewRules;
import io.hearth.election.wire.AcceptFrame;
import io.hearth.election.wire.AcceptedFrame;
import io.hearth.election.wire.BallotFrame;
import io.hearth.election.wire.CommitFrame;
import io.hearth.election.wire.GoneFrame;
import io.hearth.election.wire.HeartbeatFrame;
import io.hearth.election.wire.HereFrame;
import io.hearth.election.wire.JoinFrame;
import io.hearth.election.wire.LeaveFrame;
import io.hearth.election.wire.NotYetFrame;
import io.hearth.election.wire.PhaseFrame;
import io.hearth.election.wire.PrepareFrame;
import io.hearth.election.wire.PromiseFrame;
import io.hearth.election.wire.RefuseFrame;
import io.hearth.election.wire.StatusFrame;
import io.hearth.election.wire.ViewFrame;
import io.hearth.identity.Labels;
import io.hearth.identity.NodeId;
import java.util.ArrayList;
import java.util.Optional;

/** Messages to and from (kind, bytes) of a control link. */
public final class MessageEncoding {
    public static final int HEARTBEAT = 16;
    public static final int PREPARE = 17;
    public static final int PROMISE = 18;
    public static final int ACCEPT = 19;
    public static final int ACCEPTED = 20;
    public static final int REFUSE = 21;
    public static final int COMMIT = 22;
    public static final int JOIN = 23;
    public static final int NOT_YET = 24;
    public static final int LEAVE = 25;
    public static final int HERE = 26;
    public static final int GONE = 27;

    private MessageEncoding() {}

    /** The message's number on the wire. */
    public static int kind(Message message) {
        return switch (message) {
            case Message.Heartbeat _ -> HEARTBEAT;
            case Message.Prepare _ -> PREPARE;
            case Message.Here _ -> HERE;
            case Message.Gone _ -> GONE;
            case Message.Promise _ -> PROMISE;
            case Message.Accept _ -> ACCEPT;
            case Message.Accepted _ -> ACCEPTED;
            case Message.Refuse _ -> REFUSE;
            case Message.Commit _ -> COMMIT;
            case Message.Join _ -> JOIN;
            case Message.NotYet _ -> NOT_YET;
            case Message.Leave _ -> LEAVE;
        };
    }

    /** Whether {@link #decode} knows this kind. */
    public static boolean isKind(int kind) {
        return kind >= HEARTBEAT && kind <= GONE;
    }

    /** The message's bytes, without its kind. */
    public static byte[] encode(Message message) {
        return frame(message).toByteArray();
    }

    private static GeneratedMessage frame(Message message) {
        return switch (message) {
            case Message.Heartbeat heartbeat -> frame(heartbeat);
            case Message.Prepare(View view, Ballot ballot) ->
                PrepareFrame.newBuilder()
                        .setView(Frames.of(view))
                        .setBallot(Frames.of(ballot))
                        .build();
            case Message.Promise promise -> frame(promise);
            case Message.Accept(View view, Ballot ballot, View next) ->
                AcceptFrame.newBuilder()
                        .setView(Frames.of(view))
                        .setBallot(Frames.of(ballot))
                        .setNext(Frames.of(next))
                        .build();
            case Message.Accepted(Lineage lineage, long epoch, Ballot ballot) ->
                AcceptedFrame.newBuilder()
                        .setLineage(Frames.of(lineage))
                        .setEpoch(epoch)
                        .setBallot(Frames.of(ballot))
                        .build();
            case Message.Refuse(Lineage lineage, long epoch, Ballot promised) ->
                RefuseFrame.newBuilder()
                        .setLineage(Frames.of(lineage))
                        .setEpoch(epoch)
                        .setPromised(Frames.of(promised))
                        .build();
            case Message.Commit(View view) ->
                CommitFrame.newBuilder().setView(Frames.of(view)).build();
            case Message.Here here -> frame(here);
            case Message.Gone(Lineage lineage, long epoch, long seat) ->
                GoneFrame.newBuilder()
                        .setLineage(Frames.of(lineage))
                        .setEpoch(epoch)
                        .setSeat(seat)
                        .build();
            case Message.Join(Lineage lineage, long seat, Role role, String group, GroupPhase phase) ->
                JoinFrame.newBuilder()
                        .setLineage(Frames.of(lineage))
                        .setSeat(seat)
                        .setTrainer(role == Role.TRAINER)
                        .setGroup(group)
                        .setPhase(frame(phase))
                        .build();
            case Message.NotYet(Lineage lineage, String reason) ->
                NotYetFrame.newBuilder()
                        .setLineage(Frames.of(lineage))
                        .setReason(reason)
                        .build();
            case Message.Leave(Lineage lineage, long entryEpoch, boolean returns) ->
                LeaveFrame.newBuilder()
                        .setLineage(Frames.of(lineage))
                        .setEntryEpoch(entryEpoch)
                        .setReturns(returns)
                        .build();
        };
    }

    private static HeartbeatFrame frame(Message.Heartbeat heartbeat) {
        Presence presence = heartbeat.presence();
        var frame = HeartbeatFrame.newBuilder()
                .setLineage(Frames.of(presence.lineage()))
                .setEpoch(presence.epoch())
                .setMemberCount(presence.memberCount())
                .setStalled(presence.stalled())
                .setGroup(presence.group())
                .setPhase(frame(presence.phase()))
                .setDoneUpTo(presence.doneUpTo())
                .setSequence(heartbeat.beat().sequence())
                .setEcho(heartbeat.beat().echo())
                .setEchoHeldNanos(heartbeat.beat().echoHeldNanos())
                .setSilenceNanos(heartbeat.beat().silenceNanos());
        presence.broken().forEach(node -> frame.addBroken(Frames.of(node)));
        return frame.build();
    }

    private static PromiseFrame frame(Message.Promise promise) {
        var frame = PromiseFrame.newBuilder()
                .setLineage(Frames.of(promise.lineage()))
                .setEpoch(promise.epoch())
                .setBallot(Frames.of(promise.ballot()));
        promise.accepted()
                .ifPresent(accepted -> frame.setAcceptedBallot(Frames.of(accepted.ballot()))
                        .setAcceptedView(Frames.of(accepted.view())));
        return frame.build();
    }

    private static HereFrame frame(Message.Here here) {
        var frame = HereFrame.newBuilder()
                .setLineage(Frames.of(here.lineage()))
                .setEpoch(here.epoch())
                .setBallot(Frames.of(here.ballot()));
        here.status()
                .ifPresent(status -> frame.setStatus(StatusFrame.newBuilder()
                        .setLeaving(status.leaving())
                        .setCollective(ByteString.copyFrom(status.collective().toArray()))));
        return frame.build();
    }

    /**
     * Reads a message; every view in it keeps {@link ViewRules}.
     *
     * @param kind one that {@link #isKind} knows
     * @throws MalformedMessageException if {@code bytes} are not such a message; the caller should close their link
     */
    public static Message decode(int kind, byte[] bytes) throws MalformedMessageException {
        try {
            return switch (kind) {
                case HEARTBEAT ->
                    heartbeat(BoundedDecoder.parse(HeartbeatFrame.parser(), HeartbeatFrame.getDescriptor(), bytes));
                case PREPARE ->
                    prepare(BoundedDecoder.parse(PrepareFrame.parser(), PrepareFrame.getDescriptor(), bytes));
                case PROMISE ->
                    promise(BoundedDecoder.parse(PromiseFrame.parser(), PromiseFrame.getDescriptor(), bytes));
                case ACCEPT -> accept(BoundedDecoder.parse(AcceptFrame.parser(), AcceptFrame.getDescriptor(), bytes));
                case ACCEPTED ->
                    accepted(BoundedDecoder.parse(AcceptedFrame.parser(), AcceptedFrame.getDescriptor(), bytes));
                case REFUSE -> refuse(BoundedDecoder.parse(RefuseFrame.parser(), RefuseFrame.getDescriptor(), bytes));
                case COMMIT -> commit(BoundedDecoder.parse(CommitFrame.parser(), CommitFrame.getDescriptor(), bytes));
                case JOIN -> join(BoundedDecoder.parse(JoinFrame.parser(), JoinFrame.getDescriptor(), bytes));
                case NOT_YET -> notYet(BoundedDecoder.parse(NotYetFrame.parser(), NotYetFrame.getDescriptor(), bytes));
                case LEAVE -> leave(BoundedDecoder.parse(LeaveFrame.parser(), LeaveFrame.getDescriptor(), bytes));
                case HERE -> here(BoundedDecoder.parse(HereFrame.parser(), HereFrame.getDescriptor(), bytes));
                case GONE -> gone(BoundedDecoder.parse(GoneFrame.parser(), GoneFrame.getDescriptor(), bytes));
                default -> throw new MalformedMessageException("kind " + kind + " is none of the membership's");
            };
        } catch (IllegalArgumentException wrong) {
            throw new MalformedMessageException("kind " + kind + " with a wrong value: " + wrong.getMessage(), wrong);
        }
    }

    private static Message heartbeat(HeartbeatFrame frame) {
        var broken = new ArrayList<NodeId>(frame.getBrokenCount());
        frame.getBrokenList().forEach(node -> broken.add(Frames.node(node)));
        var presence = new Presence(
                lineage(frame.getLineage()),
                number(frame.getEpoch()),
                frame.getMemberCount(),
                frame.getStalled(),
                frame.getGroup(),
                phase(frame.getPhase()),
                frame.getDoneUpTo(),
                broken);
        if (frame.getSequence() > ViewRules.NUMBER_MAX
                || frame.getEcho() > ViewRules.NUMBER_MAX
                || frame.getEchoHeldNanos() > ViewRules.NUMBER_MAX
                || frame.getSilenceNanos() > ViewRules.NUMBER_MAX) {
            throw new IllegalArgumentException("a heartbeat's numbers are out of range");
        }
        return new Message.Heartbeat(
                presence,
                new Beat(frame.getSequence(), frame.getEcho(), frame.getEchoHeldNanos(), frame.getSilenceNanos()));
    }

    private static Message prepare(PrepareFrame frame) throws MalformedMessageException {
        return new Message.Prepare(Frames.view(frame.getView()), Frames.ballot(frame.getBallot()));
    }

    private static Message promise(PromiseFrame frame) throws MalformedMessageException {
        return new Message.Promise(
                lineage(frame.getLineage()),
                number(frame.getEpoch()),
                Frames.ballot(frame.getBallot()),
                proposal(
                        frame.hasAcceptedBallot(),
                        frame.getAcceptedBallot(),
                        frame.hasAcceptedView(),
                        frame.getAcceptedView()));
    }

    private static Message here(HereFrame frame) {
        return new Message.Here(
                lineage(frame.getLineage()),
                number(frame.getEpoch()),
                Frames.ballot(frame.getBallot()),
                frame.hasStatus() ? Optional.of(status(frame.getStatus())) : Optional.empty());
    }

    private static Message gone(GoneFrame frame) {
        return new Message.Gone(lineage(frame.getLineage()), number(frame.getEpoch()), frame.getSeat());
    }

    private static Message.Status status(StatusFrame frame) {
        return new Message.Status(
                frame.getLeaving(), Bytes.of(frame.getCollective().toByteArray()));
    }

    /** A proposal has both parts or neither. */
    static Optional<Proposal> proposal(boolean hasBallot, BallotFrame ballot, boolean hasView, ViewFrame view)
            throws MalformedMessageException {
        if (hasBallot != hasView) {
            throw new MalformedMessageException("half of an accepted proposal");
        }
        return hasView ? Optional.of(new Proposal(Frames.ballot(ballot), Frames.view(view))) : Optional.empty();
    }

    private static Message accept(AcceptFrame frame) throws MalformedMessageException {
        return new Message.Accept(
                Frames.view(frame.getView()), Frames.ballot(frame.getBallot()), Frames.view(frame.getNext()));
    }

    private static Message accepted(AcceptedFrame frame) {
        return new Message.Accepted(
                lineage(frame.getLineage()), number(frame.getEpoch()), Frames.ballot(frame.getBallot()));
    }

    private static Message refuse(RefuseFrame frame) {
        return new Message.Refuse(
                lineage(frame.getLineage()), number(frame.getEpoch()), Frames.ballot(frame.getPromised()));
    }

    private static Message commit(CommitFrame frame) throws MalformedMessageException {
        return new Message.Commit(Frames.view(frame.getView()));
    }

    private static Message join(JoinFrame frame) {
        Role role = Frames.role(frame.getTrainer());
        if ((role == Role.TRAINER) == frame.getGroup().isEmpty() || !ViewRules.isGroupName(frame.getGroup())) {
            throw new IllegalArgumentException(
                    "a " + role + " of a group of " + frame.getGroup().length() + " characters");
        }
        return new Message.Join(
                lineage(frame.getLineage()), frame.getSeat(), role, frame.getGroup(), phase(frame.getPhase()));
    }

    private static Message notYet(NotYetFrame frame) {
        return new Message.NotYet(
                lineage(frame.getLineage()), Labels.clean(frame.getReason(), Message.REASON_CHARACTERS_MAX));
    }

    private static Message leave(LeaveFrame frame) {
        return new Message.Leave(lineage(frame.getLineage()), number(frame.getEntryEpoch()), frame.getReturns());
    }

    private static Lineage lineage(io.hearth.election.wire.LineageFrame frame) {
        Lineage lineage = Frames.lineage(frame);
        if (!ViewRules.isLineage(lineage)) {
            throw new IllegalArgumentException("a lineage's numbers are out of range");
        }
        return lineage;
    }

    private static PhaseFrame frame(GroupPhase phase) {
        return switch (phase) {
            case FRESH -> PhaseFrame.FRESH;
            case BUSY -> PhaseFrame.BUSY;
            case BOUNDARY -> PhaseFrame.BOUNDARY;
        };
    }

    private static GroupPhase phase(PhaseFrame frame) {
        return switch (frame) {
            case FRESH -> GroupPhase.FRESH;
            case BUSY -> GroupPhase.BUSY;
            case BOUNDARY -> GroupPhase.BOUNDARY;
            case UNRECOGNIZED -> throw new IllegalArgumentException("an unknown phase");
        };
    }

    private static long number(long number) {
        if (!ViewRules.isNumber(number)) {
            throw new IllegalArgumentException("epoch " + number);
        }
        return number;
    }
}
