package io.hearth.replicated.machine;

import io.hearth.core.BoundedDecoder;
import io.hearth.core.Bytes;
import io.hearth.core.MalformedMessageException;
import io.hearth.identity.NodeId;
import io.hearth.replicated.Application;
import io.hearth.replicated.Snapshot;
import io.hearth.replicated.StoreId;
import io.hearth.replicated.protobuf.ReplicaFrames;
import io.hearth.replicated.wire.AnswerFrame;
import io.hearth.replicated.wire.SessionFrame;
import io.hearth.replicated.wire.StateFrame;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;

/** The state of a snapshot: what the store keeps itself, and the state of the application. The same state always has the same bytes. */
final class StateEncoding {
    /** Other members send snapshots: a parsed one must not be many times larger than its bytes. */
    private static final BoundedDecoder.Limits LIMITS =
            new BoundedDecoder.Limits(Snapshot.BYTES_MAX, 3, Sessions.NODES_MAX, 256);

    private StateEncoding() {}

    static <S> Bytes encode(Applied<S> applied, Application<S> application) {
        var frame = StateFrame.newBuilder()
                .setFloor(applied.sessions().floor())
                .setApplication(ReplicaFrames.of(application.encode(applied.state())));
        applied.sessions().byNode().forEach((node, session) -> frame.addSessions(session(node, session)));
        applied.absorbed().forEach(store -> frame.addAbsorbed(ReplicaFrames.of(store)));
        applied.absorbing()
                .ifPresent(parts -> frame.setAbsorbing(ReplicaFrames.of(parts.store()))
                        .setAbsorbingTotal(parts.total())
                        .setAbsorbingParts(ReplicaFrames.of(Bytes.join(parts.list()))));
        applied.into().ifPresent(into -> frame.setInto(ReplicaFrames.of(into)));
        return Bytes.of(frame.build().toByteArray());
    }

    private static SessionFrame session(NodeId node, Session session) {
        var frame = SessionFrame.newBuilder()
                .setPeer(ReplicaFrames.of(node.peer()))
                .setSlot(node.slot())
                .setIncarnation(session.incarnation())
                .setAnswered(session.answered())
                .setUsed(session.used());
        for (Map.Entry<Long, Bytes> answer : session.answers().entrySet()) {
            frame.addAnswers(
                    AnswerFrame.newBuilder().setNumber(answer.getKey()).setAnswer(ReplicaFrames.of(answer.getValue())));
        }
        return frame.build();
    }

    /**
     * The state at a snapshot.
     *
     * @throws IllegalArgumentException if the bytes are no such state
     */
    static <S> Applied<S> decode(Snapshot snapshot, Application<S> application) {
        StateFrame frame;
        try {
            frame = BoundedDecoder.parse(
                    StateFrame.parser(),
                    StateFrame.getDescriptor(),
                    snapshot.state().toArray(),
                    LIMITS);
        } catch (MalformedMessageException broken) {
            throw new IllegalArgumentException("no state of a store: " + broken.getMessage(), broken);
        }
        var sessions = new TreeMap<NodeId, Session>();
        for (SessionFrame session : frame.getSessionsList()) {
            var answers = new TreeMap<Long, Bytes>();
            session.getAnswersList()
                    .forEach(answer -> answers.put(answer.getNumber(), ReplicaFrames.bytes(answer.getAnswer())));
            sessions.put(
                    ReplicaFrames.node(session.getPeer(), session.getSlot()),
                    new Session(session.getIncarnation(), session.getAnswered(), answers, session.getUsed()));
        }
        var absorbed = new TreeSet<StoreId>();
        frame.getAbsorbedList().forEach(store -> absorbed.add(ReplicaFrames.store(store)));
        Optional<Applied.Parts> absorbing = frame.hasAbsorbing()
                ? Optional.of(new Applied.Parts(
                        ReplicaFrames.store(frame.getAbsorbing()),
                        frame.getAbsorbingTotal(),
                        List.of(ReplicaFrames.bytes(frame.getAbsorbingParts()))))
                : Optional.empty();
        return new Applied<>(
                snapshot.at(),
                snapshot.replicas(),
                new Sessions(sessions, frame.getFloor()),
                absorbed,
                absorbing,
                frame.hasInto() ? Optional.of(ReplicaFrames.store(frame.getInto())) : Optional.empty(),
                application.decode(ReplicaFrames.bytes(frame.getApplication())));
    }
}
