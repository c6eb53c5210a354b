package io.hearth.simulation.host;

import io.hearth.identity.NodeId;
import io.hearth.identity.PeerId;
import java.util.stream.IntStream;

/** The node ids of simulated machines; made once, because their text form is expensive. */
public final class NodeIds {
    /** Most machines of one world. */
    public static final int MACHINES_MAX = 8;

    private static final PeerId[] MACHINES =
            IntStream.rangeClosed(1, MACHINES_MAX).mapToObj(NodeIds::machine).toArray(PeerId[]::new);

    private NodeIds() {}

    /** {@code machine} from 1. */
    public static NodeId agent(int machine) {
        return new NodeId(MACHINES[machine - 1], NodeId.AGENT);
    }

    /** {@code machine} from 1, {@code number} from 0. */
    public static NodeId trainer(int machine, int number) {
        return new NodeId(MACHINES[machine - 1], "trainer-" + number);
    }

    private static PeerId machine(int number) {
        byte[] key = new byte[PeerId.KEY_BYTES];
        key[0] = (byte) number;
        key[PeerId.KEY_BYTES - 1] = 7;
        return PeerId.of(key);
    }
}
