package io.hearth.collective.exchange;

import io.hearth.accel.Reducer;
import io.hearth.collective.CollectiveConfig;
import io.hearth.collective.CollectiveProgress;
import io.hearth.collective.CollectiveTrace;
import io.hearth.collective.ScheduleChoice;
import io.hearth.collective.Signature;
import io.hearth.collective.group.GroupSettings;
import io.hearth.core.Clock;
import io.hearth.identity.NodeId;
import io.hearth.transport.StreamSource;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Moves bytes in a mesh, for one thread at a time: the caller for its own collective, a forwarder for results that others lack.
 * So an attempt of a former group epoch is over before one of the next touches buffers and companion.
 */
public final class MeshDriver implements AutoCloseable {
    private static final int SPARE_MAX = 4; // kinds of calls that a script makes in turns

    private final @Nullable Exchange[] spare = new @Nullable Exchange[SPARE_MAX]; // of whoever drives
    private @Nullable Mesh spareOf; // likewise
    private int nextSpare; // likewise
    private final String group;
    private final StreamSource streams;
    private final Reducer reducer;
    private final Gate gate;
    private final ReceiverThread receiverThread;
    private final int inTurnBytesMax;
    private final int segmentBytes;
    private final GroupSettings terms;
    private final ScheduleChoice choiceHere;
    private final ScheduleChoice choiceAfar;
    private final ReentrantLock driving = new ReentrantLock();
    private volatile CollectiveTrace trace = CollectiveTrace.NONE; // set by anybody, for calls that begin later
    private volatile @Nullable Progress progress; // likewise

    public MeshDriver(String group, StreamSource streams, Reducer reducer, Gate gate, CollectiveConfig config) {
        this.group = group;
        this.streams = streams;
        this.reducer = reducer;
        this.gate = gate;
        this.inTurnBytesMax = config.inTurnBytesMax();
        this.segmentBytes = config.segmentBytes();
        this.terms = new GroupSettings(
                config.segmentBytes(),
                config.inTurnBytesMax(),
                config.inPlaceBytesMin(),
                config.bucketBytes(),
                config.links());
        this.choiceHere = config.choice(true);
        this.choiceAfar = config.choice(false);
        this.receiverThread = new ReceiverThread("hearth-receive-" + group);
    }

    /** What moves bytes. */
    public interface Job<T> {
        T run() throws IOException;
    }

    /**
     * Runs a job once nobody else drives.
     *
     * @throws IOException a stream is broken or the mesh abandoned
     */
    public <T> T drive(Mesh on, Job<T> job) throws IOException, InterruptedException {
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
    public void whenIdle(Runnable action) {
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

    /** What calls play that leave it open. */
    ScheduleChoice choice(boolean isOnOneMachine) {
        return isOnOneMachine ? choiceHere : choiceAfar;
    }

    /** What all members must have alike. */
    GroupSettings terms() {
        return terms;
    }

    /** Tells {@code listener} of all calls that begin from now on, and nobody else. */
    public void trace(CollectiveTrace listener) {
        trace = GuardedTrace.of(listener);
    }

    /** Tells {@code listener} how far long broadcasts are that begin from now on, and nobody else. */
    public void progress(CollectiveProgress listener, NodeId self, Clock clock) {
        progress = new Progress(listener, self, clock);
    }

    /** Who is told of progress. */
    private record Progress(CollectiveProgress listener, NodeId self, Clock clock) {}

    /** What watches a call that begins now. */
    ExchangeWatch watch(long number, Signature signature, int world) {
        ExchangeWatch watch = ExchangeWatch.of(trace, number, signature, world);
        Progress to = progress;
        if (to == null || signature.kind() != Signature.Kind.BROADCAST) {
            return watch.equals(ExchangeWatch.NONE) ? watch : new PatientWatch(watch);
        }
        boolean isRoot = signature.root().filter(to.self()::equals).isPresent();
        var what = isRoot ? CollectiveProgress.What.BROADCAST_FROM_HERE : CollectiveProgress.What.BROADCAST;
        var teller = new ProgressTeller(to.listener(), to.clock(), what);
        return new PatientWatch(new BroadcastWatch(watch, teller, isRoot, signature.bytes()));
    }

    Gate gate() {
        return gate;
    }

    public ReceiverThread receiverThread() {
        return receiverThread;
    }

    Reducer reducer() {
        return reducer;
    }

    /** Sees to it that streams are open: to the two neighbours of an order, or to all. */
    void open(Mesh on, RankOrder order, boolean neighboursOnly) throws IOException {
        int[] ranks = order.ranks();
        int own = order.position(on.rank());
        List<Integer> missing = List.of();
        for (int position = 0; position < ranks.length; position++) {
            boolean isWanted = position != own
                    && (!neighboursOnly
                            || position == (own + 1) % ranks.length
                            || own == (position + 1) % ranks.length);
            if (isWanted && !on.isOpen(ranks[position])) {
                missing = missing.isEmpty() ? new ArrayList<>() : missing;
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

    /** For who was interrupted and says so by an IOException; the interrupt is kept. */
    static IOException interrupted(InterruptedException stop) {
        Thread.currentThread().interrupt();
        var interrupted = new InterruptedIOException("interrupted");
        interrupted.initCause(stop);
        return interrupted;
    }

    /** Waits some seconds for the job of the moment; whether its thread is gone. */
    public boolean end() {
        return receiverThread.end();
    }

    @Override
    public void close() {
        end();
    }

    /** An exchange that ended in {@code on}, for a call that asks for the same; {@code null} if there is none. For whoever drives. */
    @Nullable
    Exchange takeSpare(Mesh on, Signature signature) {
        for (int place = 0; place < SPARE_MAX && on.equals(spareOf); place++) {
            Exchange candidate = spare[place];
            if (candidate != null && candidate.isOf(signature)) {
                spare[place] = null;
                return candidate;
            }
        }
        return null;
    }

    /** Keeps an exchange that ended, in the place of the eldest if there are many, and of all of other meshes. For whoever drives. */
    void keepSpare(Mesh on, Exchange ended) {
        if (!on.equals(spareOf)) {
            Arrays.fill(spare, null);
            spareOf = on;
        }
        for (int place = 0; place < SPARE_MAX; place++) {
            if (spare[place] == null) {
                spare[place] = ended;
                return;
            }
        }
        spare[nextSpare] = ended;
        nextSpare = (nextSpare + 1) % SPARE_MAX;
    }
}
