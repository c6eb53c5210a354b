package io.hearth.collective;

import io.hearth.identity.NodeId;
import io.hearth.transport.DataStream;
import io.hearth.transport.StreamId;
import io.hearth.transport.StreamSource;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * This rank's two streams in one group epoch, opened at first use. Two members share one duplex stream; from three on there is
 * one stream between any two neighbours, used in ring direction only.
 *
 * <p>Schedules go by {@linkplain #position position} in hop order; people and scripts go by rank.
 */
final class Ring {
    private static final Duration OPEN_AT_ONCE_MAX = Duration.ofSeconds(2);
    private static final long RETRY_MILLIS = 50;

    private final Formation formation;
    private final NodeId self;
    private final int position;
    private final ReentrantLock lock = new ReentrantLock();
    private final CountDownLatch abandoned = new CountDownLatch(1);
    private final Set<Runnable> ends = ConcurrentHashMap.newKeySet(); // added by calling threads, run by abandon()
    /** Under the lock, so that an interrupt cannot hit what this thread does afterwards. */
    private @Nullable Thread opener;

    private volatile @Nullable DataStream toNext; // written by the opener, read by sender and abandon()
    private volatile @Nullable DataStream fromPrevious; // written by the opener, read by receiver and abandon()
    private volatile String waitingFor = "a view"; // written by driving threads, read for error texts

    /** The ring of a formation that {@code self} is in. */
    Ring(Formation formation, NodeId self) {
        this.formation = formation;
        this.self = self;
        this.position = position(self);
    }

    String fence() {
        return formation.fence();
    }

    String lineage() {
        return formation.lineage();
    }

    NodeId self() {
        return self;
    }

    int world() {
        return formation.members().size();
    }

    /** By rank. */
    List<NodeId> members() {
        return formation.members();
    }

    /** This rank's own, 0 to {@code world() - 1}. */
    int position() {
        return position;
    }

    /** Where a member is in hop order; -1 for others. */
    int position(NodeId member) {
        return formation.ring().indexOf(member);
    }

    NodeId next() {
        return formation.ring().get((position + 1) % world());
    }

    NodeId previous() {
        return formation.ring().get(Math.floorMod(position - 1, world()));
    }

    /** {@code rank 2 (ab12cd34)}. */
    String name(NodeId member) {
        return "rank " + members().indexOf(member) + " (" + member.shortText() + ")";
    }

    /** What a call waits for at the moment. */
    String waitingFor() {
        return waitingFor;
    }

    void waitsFor(String what) {
        waitingFor = what;
    }

    DataStream toNext() throws IOException {
        return opened(toNext);
    }

    DataStream fromPrevious() throws IOException {
        return opened(fromPrevious);
    }

    /** Bytes that this rank put on the wire in this ring so far. */
    long bytesSent() {
        DataStream stream = toNext;
        return stream == null ? 0 : stream.bytesSent();
    }

    /** Whether there is nothing left to open. */
    boolean isOpen() {
        return world() == 1 || (toNext != null && fromPrevious != null);
    }

    /**
     * Opens what is not yet open, and asks again until the neighbours have asked too. The first of the ring begins with
     * its next and all others with their previous, so that no circle of waiting ranks can close.
     *
     * @throws IOException the ring was abandoned
     */
    void open(StreamSource source, String group) throws IOException, InterruptedException {
        opener(Thread.currentThread());
        try {
            var id = new StreamId(group, fence(), 0);
            if (world() == 2) {
                toNext = open(source, next(), id);
                fromPrevious = toNext;
            } else if (position == 0) {
                toNext = open(source, next(), id);
                fromPrevious = open(source, previous(), id);
            } else {
                fromPrevious = open(source, previous(), id);
                toNext = open(source, next(), id);
            }
            check();
        } finally {
            opener(null);
            if (isAbandoned()) {
                closeStreams();
            }
        }
    }

    private void opener(@Nullable Thread thread) {
        lock.lock();
        try {
            opener = thread;
        } finally {
            lock.unlock();
        }
    }

    private DataStream open(StreamSource source, NodeId peer, StreamId id) throws IOException, InterruptedException {
        waitsFor(name(peer) + " to make the same call");
        while (true) {
            check();
            try {
                return source.open(peer, id, OPEN_AT_ONCE_MAX);
            } catch (IOException notYet) {
                if (abandoned.await(RETRY_MILLIS, TimeUnit.MILLISECONDS)) {
                    throw notYet;
                }
            }
        }
    }

    boolean isAbandoned() {
        return abandoned.getCount() == 0;
    }

    /**
     * Passes while the ring is in use.
     *
     * @throws IOException it was abandoned
     */
    void check() throws IOException {
        if (isAbandoned()) {
            throw new IOException("the ring of " + fence() + " was abandoned");
        }
    }

    /** When this ring is abandoned, {@code end} runs too, at once if it was already; it must be idempotent and not block. */
    void adopt(Runnable end) {
        ends.add(end);
        if (isAbandoned()) {
            end.run();
        }
    }

    /** What was adopted is over by itself. */
    void release(Runnable end) {
        ends.remove(end);
    }

    /** Ends every use of this ring, from any thread; idempotent. */
    void abandon() {
        abandoned.countDown();
        ends.forEach(Runnable::run);
        lock.lock();
        try {
            if (opener != null) {
                opener.interrupt();
            }
        } finally {
            lock.unlock();
        }
        closeStreams();
    }

    private void closeStreams() {
        for (DataStream stream : new DataStream[] {toNext, fromPrevious}) {
            if (stream != null) {
                stream.close();
            }
        }
    }

    private DataStream opened(@Nullable DataStream stream) throws IOException {
        check();
        if (stream == null) {
            throw new IllegalStateException("the ring of " + fence() + " is not open");
        }
        return stream;
    }
}
