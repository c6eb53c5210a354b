package io.hearth.collective.exchange;

import io.hearth.collective.group.CallRejection;
import io.hearth.collective.group.CollectiveMessages;
import io.hearth.collective.group.StreamBrokenException;
import io.hearth.core.MalformedMessageException;
import io.hearth.transport.ReceivedRecord;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * How a number ends without a result on all ranks alike. Whoever knows a refusal sends REFUSED to all others, and takes what comes from
 * each of them until its REFUSED. So each rank sends one to each other and gets one from each, as last record of that number on
 * every stream, and the streams are ready for the next number.
 *
 * <p>The sender may be blocked by a rank that does not read yet, or not any more. So the receiving thread begins to take everything as soon
 * as it knows, or others would be blocked by this rank; and it begins to tell all but the one to whom the sender is sending, which
 * hears it after that. Each is told by a thread of its own, as the first one may not read before the second one has heard.
 */
final class AbortRound {
    private static final int NOBODY = -1;

    private final MeshDriver driver;
    private final Mesh mesh;
    private final Wire wire;
    private final RankThreads threads;
    private final boolean[] over; // by rank, whose REFUSED came; touched by whoever receives from it
    private final boolean[] drained; // by rank; touched by whoever receives, and at the end by the sender
    private final ReentrantLock telling = new ReentrantLock();
    private final boolean[] told; // by rank; under that lock
    private boolean spread;
    private volatile @Nullable CallRejection refusal; // written by the sender and whoever receives, read by both
    private volatile int sendingTo = NOBODY; // a rank; written by the sender, read by whoever tells

    AbortRound(MeshDriver driver, Mesh mesh, Wire wire) {
        this.driver = driver;
        this.mesh = mesh;
        this.wire = wire;
        this.threads = new RankThreads(mesh, driver::endLoan);
        this.over = new boolean[mesh.world()];
        this.drained = new boolean[mesh.world()];
        this.told = new boolean[mesh.world()];
    }

    /** Why the number ends without a result; the first reason that was known here. */
    Optional<CallRejection> refusal() {
        return Optional.ofNullable(refusal);
    }

    boolean isKnown() {
        return refusal != null;
    }

    /** There is a reason, if there was none yet. */
    void refuse(CallRejection why) {
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

    /** Tells all ranks how the number ends, once, and clears the streams of what they sent meanwhile. Nobody receives any more. */
    void spread() throws IOException {
        if (spread || !isKnown()) {
            return;
        }
        spread = true;
        try {
            drain();
            announce(); // those whose streams are not open yet hear it from these
            driver.open(mesh, mesh.byRank(), false);
            drain();
            announce();
        } catch (IOException | RuntimeException | Error broken) {
            throw ReceiverThread.rethrown("ending a refused number failed", end(broken));
        }
        threads.join();
    }

    /** The sender is about to send to a rank: whether it still may. If so, {@link #sent} must follow. */
    boolean mayNowSend(int rank) {
        sendingTo = rank; // before it looks, as who tells looks here after there is something to tell
        if (isKnown()) {
            sendingTo = NOBODY;
            return false;
        }
        return true;
    }

    void sent() {
        sendingTo = NOBODY;
    }

    /**
     * Begins to tell all ranks to which streams are open how the number ends, if it is known, each once; but not the one to whom the sender
     * is sending, which does this again when it is through.
     */
    void announce() {
        CallRejection known = refusal;
        if (known == null) {
            return;
        }
        MemorySegment bytes = MemorySegment.ofArray(CollectiveMessages.encode(known));
        telling.lock();
        try {
            int busy = sendingTo;
            for (int other = 0; other < mesh.world(); other++) {
                if (!told[other] && other != busy && mesh.isOpen(other)) {
                    told[other] = true;
                    threads.start("hearth-refuse", other, rank -> tell(rank, bytes));
                }
            }
        } finally {
            telling.unlock();
        }
    }

    private void tell(int rank, MemorySegment refused) throws IOException {
        wire.send(rank, Wire.REFUSED, 0, 0, Wire.NOTHING, refused, 0, Math.toIntExact(refused.byteSize()));
    }

    /**
     * Begins to take what comes from all ranks to which streams are open until their REFUSED, if the number is refused. By the receiving
     * thread, as the last that it does.
     */
    void drain() {
        for (int other = 0; other < mesh.world() && isKnown(); other++) {
            if (!drained[other] && mesh.isOpen(other)) {
                drained[other] = true;
                if (!over[other]) {
                    threads.start("hearth-drain", other, this::drain);
                }
            }
        }
    }

    private void drain(int rank) throws IOException {
        while (!over[rank]) {
            ReceivedRecord arrived = wire.receive(rank);
            wire.enter(rank, arrived);
            over[rank] = arrived.kind() == Wire.REFUSED;
            wire.leave();
        }
    }

    /** The attempt broke: ends what was begun here. What broke first, {@code known} unless that only saw the mesh being abandoned. */
    Throwable end(Throwable known) {
        threads.end();
        Throwable failure = threads.failure();
        return failure instanceof StreamBrokenException && !(known instanceof StreamBrokenException) ? failure : known;
    }
}
