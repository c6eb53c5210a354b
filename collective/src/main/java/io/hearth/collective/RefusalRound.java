package io.hearth.collective;

import io.hearth.core.MalformedMessageException;
import io.hearth.transport.ReceivedRecord;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * How a number ends without a result on all ranks alike. Whoever knows a refusal sends REFUSED to all others, and takes what comes from
 * each of them until its REFUSED. So each rank sends one to each other and gets one from each, as last record of that number on
 * every stream, and the streams are ready for the next number.
 */
final class RefusalRound {
    private final MeshDriver driver;
    private final Mesh mesh;
    private final Wire wire;
    private final boolean[] over; // by rank, whose REFUSED came; touched by whoever receives
    private final boolean[] told; // by rank; touched by the sender
    private boolean spread;
    private volatile @Nullable Refusal refusal; // written by whoever receives, or before the start; read by the sender

    RefusalRound(MeshDriver driver, Mesh mesh, Wire wire) {
        this.driver = driver;
        this.mesh = mesh;
        this.wire = wire;
        this.over = new boolean[mesh.world()];
        this.told = new boolean[mesh.world()];
        told[mesh.rank()] = true;
    }

    /** Why the number ends without a result; the first reason that was known here. */
    Optional<Refusal> refusal() {
        return Optional.ofNullable(refusal);
    }

    boolean isKnown() {
        return refusal != null;
    }

    /** There is a reason, if there was none yet. */
    void refuse(Refusal why) {
        if (refusal == null) {
            refusal = why;
        }
    }

    /** A REFUSED came. */
    void heard(int rank, ReceivedRecord arrived) throws IOException {
        over[rank] = true;
        try {
            refuse(CollectiveMessages.refusal(arrived.toBytes()));
        } catch (MalformedMessageException malformed) {
            throw new StreamBrokenException(
                    mesh.members().get(rank),
                    wire.name(rank) + " sent no refusal: " + malformed.getMessage(),
                    malformed);
        }
    }

    /** Tells all ranks how the number ends, once, and clears the streams of what they sent meanwhile. */
    void spread() throws IOException {
        Refusal known = refusal;
        if (spread || known == null) {
            return;
        }
        spread = true;
        announce(); // those whose streams are not open yet hear it from these
        driver.open(mesh, mesh.byRank(), false);
        announce();
        driver.forEachOther(mesh, this::drain);
    }

    /** Tells all ranks to which streams are open how the number ends, if it is known, each once. By the sending thread. */
    void announce() throws IOException {
        Refusal known = refusal;
        if (known == null) {
            return;
        }
        MemorySegment bytes = MemorySegment.ofArray(CollectiveMessages.encode(known));
        for (int rank = 0; rank < mesh.world(); rank++) {
            if (!told[rank] && mesh.isOpen(rank)) {
                told[rank] = true;
                wire.send(rank, Wire.REFUSED, 0, 0, Wire.NOTHING, bytes, 0, Math.toIntExact(bytes.byteSize()));
            }
        }
    }

    /** Takes what a rank sends until its REFUSED. */
    private void drain(int rank) throws IOException {
        while (!over[rank]) {
            ReceivedRecord arrived = wire.receive(rank);
            wire.enter(rank, arrived);
            over[rank] = arrived.kind() == Wire.REFUSED;
            wire.leave();
        }
    }
}
