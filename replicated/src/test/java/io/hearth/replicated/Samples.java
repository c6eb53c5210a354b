package io.hearth.replicated;

import io.hearth.core.Bytes;
import io.hearth.election.Ballot;
import io.hearth.election.Lineage;
import io.hearth.identity.NodeId;
import io.hearth.identity.PeerId;
import java.util.List;
import java.util.Optional;

/** Values for tests. */
public final class Samples {
    public static final NodeId A = node(1);
    public static final NodeId B = node(2);
    public static final NodeId C = node(3);
    public static final StoreId STORE = new StoreId(1_000, A.peer(), 7);
    public static final StoreId LATER = new StoreId(2_000, A.peer(), 8);
    public static final Lineage LINEAGE = new Lineage(false, 5, A, 1, 0);

    private Samples() {}

    public static NodeId node(int number) {
        byte[] key = new byte[PeerId.KEY_BYTES];
        key[0] = (byte) number;
        return new NodeId(PeerId.of(key), NodeId.AGENT);
    }

    public static ReplicaId replica(NodeId node) {
        return new ReplicaId(node.peer(), 1_000 + node.peer().publicKey()[0]);
    }

    public static Position at(long number, long round, NodeId primary) {
        return new Position(number, new Ballot(round, primary));
    }

    public static CommandKey key(NodeId origin, long incarnation, long number, long answered) {
        return new CommandKey(origin, incarnation, number, answered);
    }

    public static Bytes bytes(int... values) {
        byte[] bytes = new byte[values.length];
        for (int i = 0; i < values.length; i++) {
            bytes[i] = (byte) values[i];
        }
        return Bytes.of(bytes);
    }

    /** A record with a snapshot at 4 and one entry of each kind after it. */
    public static StoreRecord record() {
        var replicas = new Replicas(List.of(replica(A), replica(B)));
        Position base = at(4, 2, A);
        return new StoreRecord(
                STORE,
                Optional.of(new Ballot(3, B)),
                new Snapshot(base, replicas, bytes(1, 2, 3)),
                new Log(
                        base,
                        List.of(
                                new Entry(at(5, 3, B), new Content.Begin()),
                                new Entry(at(6, 3, B), new Content.Command(key(A, 9, 2, 1), bytes(5))),
                                new Entry(at(7, 3, B), new Content.Configure(replicas)),
                                new Entry(at(8, 3, B), new Content.Absorb(LATER, 10, 4, bytes(7, 8))),
                                new Entry(at(9, 3, B), new Content.End(LATER)))));
    }
}
