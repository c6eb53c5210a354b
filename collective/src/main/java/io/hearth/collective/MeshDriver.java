package io.hearth.collective;

import io.hearth.accel.Reducer;
import io.hearth.core.Clock;
import io.hearth.identity.NodeId;
import io.hearth.transport.StreamSource;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Moves bytes in a mesh, for one thread at a time: the caller for its own collective, a forwarder for results that others lack.
 * So an attempt of a former group epoch is over before one of the next touches buffers and companion.
 */
final class MeshDriver implements AutoCloseable {
    private final String group;
    private final StreamSource streams;
    private final Reducer reducer;
    private final Gate gate;
    private final Companion companion;
    private final int inTurnBytesMax;
    private final int segmentBytes;
    private final ReentrantLock driving = new ReentrantLock();
    private volatile CollectiveTrace trace = CollectiveTrace.NONE; // set by anybody, for calls that begin later
    private volatile @Nullable Progress progress; // likewise

    MeshDriver(String group, StreamSource streams, Reducer reducer, Gate gate, CollectiveConfig config) {
        this.group = group;
        this.streams = streams;
        this.reducer = reducer;
        this.gate = gate;
        this.inTurnBytesMax = config.inTurnBytesMax();
        this.segmentBytes = config.segmentBytes();
        this.companion = new Companion("hearth-receive-" + group);
    }

    /** What moves bytes. */
    interface Job<T> {
        T run() throws IOException;
    }

    /** What is done with each other rank. */
    interface RankJob {
        void run(int rank) throws IOException;
    }

    /**
     * Runs a job once nobody else drives.
     *
     * @throws IOException a stream is broken or the mesh abandoned
     */
    <T> T drive(Mesh on, Job<T> job) throws IOException, InterruptedException {
        driving.lockInterruptibly();
        try {
            gate.pass(on);
            return job.run();
        } finally {
            endLoan();
            driving.unlock();
        }
    }

    /** As {@link StreamSource#endLoan}: nobody looks at what arrived once a job is over. */
    void endLoan() {
        streams.endLoan();
    }

    /** Does something while nobody drives. Waits for whoever does: not for long, if that mesh was abandoned. */
    void whenIdle(Runnable action) {
        driving.lock();
        try {
            action.run();
        } finally {
            driving.unlock();
        }
    }

    /** As in {@link CollectiveConfig}. */
    int inTurnBytesMax() {
        return inTurnBytesMax;
    }

    /** As in {@link CollectiveConfig}. */
    int segmentBytes() {
        return segmentBytes;
    }

    /** Tells {@code listener} of all calls that begin from now on, and nobody else. */
    void trace(CollectiveTrace listener) {
        trace = listener;
    }

    /** Tells {@code listener} how far long broadcasts are that begin from now on, and nobody else. */
    void progress(CollectiveProgress listener, NodeId self, Clock clock) {
        progress = new Progress(listener, self, clock);
    }

    /** Who is told of progress. */
    private record Progress(CollectiveProgress listener, NodeId self, Clock clock) {}

    /** What watches a call that begins now. */
    ExchangeWatch watch(long number, Signature signature, int world) {
        ExchangeWatch watch = ExchangeWatch.of(trace, number, signature, world);
        Progress to = progress;
        if (to == null || signature.kind() != Signature.Kind.BROADCAST) {
            return watch;
        }
        boolean isRoot = signature.root().filter(to.self()::equals).isPresent();
        var what = isRoot ? CollectiveProgress.What.BROADCAST_FROM_HERE : CollectiveProgress.What.BROADCAST;
        return new BroadcastWatch(
                watch, new ProgressTeller(to.listener(), to.clock(), what), isRoot, signature.bytes());
    }

    Gate gate() {
        return gate;
    }

    Companion companion() {
        return companion;
    }

    Reducer reducer() {
        return reducer;
    }

    /** Sees to it that streams are open: to the two neighbours of an order, or to all. */
    void open(Mesh on, Exchange.Order order, boolean neighboursOnly) throws IOException {
        int[] ranks = order.ranks();
        int own = order.position(on.rank());
        var missing = new ArrayList<Integer>();
        for (int position = 0; position < ranks.length; position++) {
            boolean isWanted = position != own
                    && (!neighboursOnly
                            || position == (own + 1) % ranks.length
                            || own == (position + 1) % ranks.length);
            if (isWanted && !on.isOpen(ranks[position])) {
                missing.add(ranks[position]);
            }
        }
        if (missing.isEmpty()) {
            return;
        }
        try {
            on.open(streams, group, missing);
        } catch (InterruptedException stop) {
            on.abandon();
            throw interrupted(stop);
        }
    }

    /** Does something with each other rank, all at once; waits for the last. */
    void forEachOther(Mesh on, RankJob job) throws IOException {
        var failures = new ConcurrentLinkedQueue<Throwable>();
        var threads = new ArrayList<Thread>();
        for (int rank = 0; rank < on.world(); rank++) {
            int other = rank;
            if (other != on.rank()) {
                threads.add(Thread.ofPlatform().daemon().name("hearth-drain").start(() -> {
                    try {
                        job.run(other);
                    } catch (IOException | RuntimeException | Error failed) {
                        failures.add(failed);
                        on.abandon(); // or another one would wait for ever
                    } finally {
                        endLoan();
                    }
                }));
            }
        }
        join(on, threads);
        Throwable failure = failures.peek();
        if (failure != null) {
            throw Companion.rethrown("ending a refused number failed", failure);
        }
    }

    private static void join(Mesh on, List<Thread> threads) throws IOException {
        try {
            for (Thread thread : threads) {
                thread.join();
            }
        } catch (InterruptedException stop) {
            on.abandon();
            StateStreams.join(threads);
            throw interrupted(stop);
        }
    }

    private static IOException interrupted(InterruptedException stop) {
        Thread.currentThread().interrupt();
        var interrupted = new InterruptedIOException("interrupted");
        interrupted.initCause(stop);
        return interrupted;
    }

    /** Waits some seconds for the job of the moment; whether its thread is gone. */
    boolean end() {
        return companion.end();
    }

    @Override
    public void close() {
        end();
    }
}
