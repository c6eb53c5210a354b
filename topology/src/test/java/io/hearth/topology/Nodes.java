package io.hearth.topology;

import io.hearth.identity.NodeId;
import io.hearth.identity.PeerId;
import java.util.Arrays;

/** Nodes by number, in node order. */
public final class Nodes {
    static final NodeProfile PROFILE =
            new NodeProfile("kitchen", "Linux 6.1", "amd64", 8, 1L << 34, "vector-512", "0.1.0");

    private Nodes() {}

    public static NodeId node(int number) {
        byte[] key = new byte[PeerId.KEY_BYTES];
        Arrays.fill(key, (byte) number);
        key[0] = (byte) (number >>> 8);
        return new NodeId(PeerId.of(key), NodeId.AGENT);
    }
}
