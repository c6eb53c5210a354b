package io.hearth.election;

import io.hearth.identity.NodeId;
import io.hearth.identity.PeerId;

/** Node ids of tests: machine number and slot. */
public final class Nodes {
    private Nodes() {}

    public static NodeId agent(int machine) {
        return new NodeId(machine(machine), NodeId.AGENT);
    }

    public static NodeId trainer(int machine, int number) {
        return new NodeId(machine(machine), "trainer-" + number);
    }

    private static PeerId machine(int number) {
        byte[] key = new byte[PeerId.KEY_BYTES];
        key[0] = (byte) number;
        key[31] = 7;
        return PeerId.of(key);
    }
}
