package io.hearth.replicated.protobuf;

import com.google.protobuf.ByteString;
import io.hearth.core.Bytes;
import io.hearth.election.Ballot;
import io.hearth.election.Lineage;
import io.hearth.identity.NodeId;
import io.hearth.identity.PeerId;
import io.hearth.replicated.CommandKey;
import io.hearth.replicated.Content;
import io.hearth.replicated.Entry;
import io.hearth.replicated.Position;
import io.hearth.replicated.ReplicaId;
import io.hearth.replicated.Replicas;
import io.hearth.replicated.StoreId;
import io.hearth.replicated.wire.AbsorbFrame;
import io.hearth.replicated.wire.BallotFrame;
import io.hearth.replicated.wire.BeginFrame;
import io.hearth.replicated.wire.CommandFrame;
import io.hearth.replicated.wire.EntryFrame;
import io.hearth.replicated.wire.LineageFrame;
import io.hearth.replicated.wire.PositionFrame;
import io.hearth.replicated.wire.ReplicaFrame;
import io.hearth.replicated.wire.ReplicasFrame;
import io.hearth.replicated.wire.StoreFrame;

/**
 * The structures that messages and records share, to and from the wire. Readers throw {@link IllegalArgumentException} for invalid values;
 * their callers turn it into an error of their own.
 */
public final class ReplicaFrames {
    private ReplicaFrames() {}

    public static ByteString of(Bytes bytes) {
        return ByteString.copyFrom(bytes.toArray());
    }

    public static Bytes bytes(ByteString bytes) {
        return Bytes.of(bytes.toByteArray());
    }

    public static ByteString of(PeerId peer) {
        return ByteString.copyFrom(peer.publicKey());
    }

    public static NodeId node(ByteString peer, String slot) {
        return new NodeId(PeerId.of(peer.toByteArray()), slot);
    }

    public static StoreFrame of(StoreId store) {
        return StoreFrame.newBuilder()
                .setBornMillis(store.bornMillis())
                .setFounder(of(store.founder()))
                .setNonce(store.nonce())
                .build();
    }

    public static StoreId store(StoreFrame frame) {
        return new StoreId(frame.getBornMillis(), PeerId.of(frame.getFounder().toByteArray()), frame.getNonce());
    }

    static BallotFrame of(Ballot ballot) {
        return BallotFrame.newBuilder()
                .setRound(ballot.round())
                .setPeer(of(ballot.proposer().peer()))
                .setSlot(ballot.proposer().slot())
                .build();
    }

    static Ballot ballot(BallotFrame frame) {
        return new Ballot(frame.getRound(), node(frame.getPeer(), frame.getSlot()));
    }

    static LineageFrame of(Lineage lineage) {
        return LineageFrame.newBuilder()
                .setContinued(lineage.continued())
                .setBornMillis(lineage.bornMillis())
                .setFounderPeer(of(lineage.founder().peer()))
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

    static PositionFrame of(Position position) {
        return PositionFrame.newBuilder()
                .setNumber(position.number())
                .setRound(position.ballot().round())
                .setPeer(of(position.ballot().proposer().peer()))
                .setSlot(position.ballot().proposer().slot())
                .build();
    }

    static Position position(PositionFrame frame) {
        return new Position(frame.getNumber(), new Ballot(frame.getRound(), node(frame.getPeer(), frame.getSlot())));
    }

    static ReplicasFrame of(Replicas replicas) {
        var frame = ReplicasFrame.newBuilder();
        for (ReplicaId replica : replicas.list()) {
            frame.addReplicas(
                    ReplicaFrame.newBuilder().setMachine(of(replica.machine())).setSeat(replica.seat()));
        }
        return frame.build();
    }

    static Replicas replicas(ReplicasFrame frame) {
        if (frame.getReplicasCount() > Replicas.MAX) {
            throw new IllegalArgumentException(frame.getReplicasCount() + " replicas");
        }
        return new Replicas(frame.getReplicasList().stream()
                .map(replica -> new ReplicaId(PeerId.of(replica.getMachine().toByteArray()), replica.getSeat()))
                .toList());
    }

    static EntryFrame of(Entry entry) {
        var frame = EntryFrame.newBuilder().setPosition(of(entry.position()));
        switch (entry.content()) {
            case Content.Begin _ -> frame.setBegin(BeginFrame.getDefaultInstance());
            case Content.Configure(Replicas replicas) -> frame.setConfigure(of(replicas));
            case Content.End(StoreId into) -> frame.setEnd(of(into));
            case Content.Absorb absorb ->
                frame.setAbsorb(AbsorbFrame.newBuilder()
                        .setStore(of(absorb.other()))
                        .setTotal(absorb.total())
                        .setOffset(absorb.offset())
                        .setPart(of(absorb.part())));
            case Content.Command(CommandKey key, Bytes body) ->
                frame.setCommand(CommandFrame.newBuilder()
                        .setPeer(of(key.origin().peer()))
                        .setSlot(key.origin().slot())
                        .setIncarnation(key.incarnation())
                        .setNumber(key.number())
                        .setAnswered(key.answered())
                        .setBody(of(body)));
        }
        return frame.build();
    }

    static Entry entry(EntryFrame frame) {
        Content content = switch (frame.getContentCase()) {
            case BEGIN -> new Content.Begin();
            case CONFIGURE -> new Content.Configure(replicas(frame.getConfigure()));
            case END -> new Content.End(store(frame.getEnd()));
            case ABSORB -> absorb(frame.getAbsorb());
            case COMMAND -> command(frame.getCommand());
            case CONTENT_NOT_SET -> throw new IllegalArgumentException("an entry without content");
        };
        return new Entry(position(frame.getPosition()), content);
    }

    private static Content absorb(AbsorbFrame frame) {
        return new Content.Absorb(store(frame.getStore()), frame.getTotal(), frame.getOffset(), bytes(frame.getPart()));
    }

    private static Content command(CommandFrame frame) {
        var key = new CommandKey(
                node(frame.getPeer(), frame.getSlot()), frame.getIncarnation(), frame.getNumber(), frame.getAnswered());
        return new Content.Command(key, bytes(frame.getBody()));
    }
}
