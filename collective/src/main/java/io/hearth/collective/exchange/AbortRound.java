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
 * Ends a number without a result on all ranks. A rank that knows a rejection sends REFUSED to all others, and drains each stream until the
 * REFUSED of its sender. So each rank sends one to each other rank and gets one from each, as the last record of that number on every
 * stream. Then the streams are ready for the next number.
 *
 * <p>The sender may be blocked by a rank that does not read yet, or no longer reads. So the receiving thread starts to drain all streams as
 * soon as it knows the rejection; otherwise this rank would block others. It also starts to notify all ranks, except the one to which the
 * sender is sending; that rank is notified afterwards. Each notification runs on a thread of its own, because one rank may not read before
 * another has been notified.
 */
final class AbortRound {
    private static final int NO_RANK = -1;

    private final MeshDriver driver;
    private final Mesh mesh;
    private final Wire wire;
    private final RankThreads threads;
    private final boolean[] ended; // by rank, whether its REFUSED came; accessed by the thread that receives from it
    private final boolean[] drained; // by rank; accessed by the receiving thread, and at the end by the sender
    private final ReentrantLock notifying = new ReentrantLock();
    private final boolean[] notified; // by rank; under that lock
    private boolean spread;
    private volatile @Nullable CallRejection refusal; // written and read by the sender and the receiving thread
    private volatile int sendingTo = NO_RANK; // a rank; written by the sender, read by the thread that announces

    AbortRound(MeshDriver driver, Mesh mesh, Wire wire) {
        this.driver = driver;
        this.mesh = mesh;
        this.wire = wire;
        this.threads = new RankThreads(mesh, driver::endLoan);
        this.ended = new boolean[mesh.world()];
        this.drained = new boolean[mesh.world()];
        this.notified = new boolean[mesh.world()];
    }

    /** The reason why the number ends without a result: the first one that became known here. */
    Optional<CallRejection> refusal() {
        return Optional.ofNullable(refusal);
    }

    boolean isKnown() {
        return refusal != null;
    }

    /** Sets the rejection, unless one is known already. */
    void refuse(CallRejection why) {
        if (refusal == null) {
            refusal = why;
        }
    }

    /** Handles a received REFUSED. */
    void received(int rank, ReceivedRecord arrived) throws IOException {
        ended[rank] = true;
        try {
            refuse(CollectiveMessages.refusal(arrived.toBytes()));
        } catch (MalformedMessageException malformed) {
            throw new StreamBrokenException(
                    mesh.members().get(rank),
                    wire.name(rank) + " sent a malformed rejection: " + malformed.getMessage(),
                    malformed);
        }
    }

    /** Notifies all ranks of the rejection, once, and drains the streams. Called when no thread receives any more. */
    void spread() throws IOException {
        if (spread || !isKnown()) {
            return;
        }
        spread = true;
        try {
            drain();
            announce(); // ranks without an open stream from here hear it from these ranks
            driver.open(mesh, mesh.byRank(), false);
            drain();
            announce();
        } catch (IOException | RuntimeException | Error broken) {
            throw ReceiverThread.rethrown("ending a rejected number failed", end(broken));
        }
        threads.join();
    }

    /** Called before the sender sends to a rank; returns whether it still may. If so, {@link #sent} must follow. */
    boolean mayNowSend(int rank) {
        sendingTo = rank; // set before the check, because the announcing thread reads it after the rejection is set
        if (isKnown()) {
            sendingTo = NO_RANK;
            return false;
        }
        return true;
    }

    void sent() {
        sendingTo = NO_RANK;
    }

    /**
     * Starts to notify all ranks with open streams of the rejection, if it is known, each once. It skips the rank to which the sender is
     * sending; the sender calls this again afterwards.
     */
    void announce() {
        CallRejection known = refusal;
        if (known == null) {
            return;
        }
        MemorySegment bytes = MemorySegment.ofArray(CollectiveMessages.encode(known));
        notifying.lock();
        try {
            int busy = sendingTo;
            for (int other = 0; other < mesh.world(); other++) {
                if (!notified[other] && other != busy && mesh.isOpen(other)) {
                    notified[other] = true;
                    threads.start("hearth-refuse", other, rank -> sendRefused(rank, bytes));
                }
            }
        } finally {
            notifying.unlock();
        }
    }

    private void sendRefused(int rank, MemorySegment refused) throws IOException {
        wire.send(rank, Wire.REFUSED, 0, 0, Wire.NOTHING, refused, 0, Math.toIntExact(refused.byteSize()));
    }

    /**
     * Starts to drain all open streams until their REFUSED, if the number is rejected. The receiving thread calls this as its last action.
     */
    void drain() {
        for (int other = 0; other < mesh.world() && isKnown(); other++) {
            if (!drained[other] && mesh.isOpen(other)) {
                drained[other] = true;
                if (!ended[other]) {
                    threads.start("hearth-drain", other, this::drain);
                }
            }
        }
    }

    private void drain(int rank) throws IOException {
        while (!ended[rank]) {
            ReceivedRecord arrived = wire.receive(rank);
            wire.enter(rank, arrived);
            ended[rank] = arrived.kind() == Wire.REFUSED;
            wire.leave();
        }
    }

    /**
     * Ends the threads of this round after the attempt broke. Returns the first failure: {@code known}, unless that one only reports that
     * the mesh was abandoned.
     */
    Throwable end(Throwable known) {
        threads.end();
        Throwable failure = threads.failure();
        return failure instanceof StreamBrokenException && !(known instanceof StreamBrokenException) ? failure : known;
    }
}
