package io.hearth.collective.exchange;

import io.hearth.accel.Reducer;
import io.hearth.collective.CollectiveConfig;
import io.hearth.collective.CollectiveProgress;
import io.hearth.collective.CollectiveTrace;
import io.hearth.collective.ScheduleChoice;
import io.hearth.collective.Signature;
import io.hearth.collective.exchange.watch.BroadcastWatch;
import io.hearth.collective.exchange.watch.DeferringWatch;
import io.hearth.collective.exchange.watch.ExchangeWatch;
import io.hearth.collective.exchange.watch.GuardedTrace;
import io.hearth.collective.exchange.watch.ProgressReporter;
import io.hearth.collective.group.GroupSettings;
import io.hearth.core.Clock;
import io.hearth.identity.NodeId;
import io.hearth.topology.plan.PlanCosts;
import io.hearth.transport.StreamSource;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Moves bytes in a mesh, for one driving thread at a time: the caller for its own collective, or a forwarder for results that other members
 * lack. So an attempt of a former group epoch has ended before one of the next accesses buffers and receiver thread.
 */
public final class MeshDriver implements AutoCloseable {
    private static final int SPARE_MAX = 4; // number of kinds of calls that a script alternates between

    private final @Nullable Exchange[] spare = new @Nullable Exchange[SPARE_MAX]; // accessed by the thread in a call
    private @Nullable Mesh spareOf; // likewise
    private int nextSpare; // likewise
    private final String group;
    private final StreamSource streams;
    private final Reducer reducer;
    private final Gate gate;
    private final ReceiverThread receiverThread;
    private final int inTurnBytesMax;
    private final int segmentBytes;
    private final GroupSettings settings;
    private final CollectiveConfig config;
    private final LongAdder codecNanos = new LongAdder();
    private ScheduleChoice choice; // of the driving thread, as is its plan
    private PlanCosts choiceCosts = PlanCosts.UNKNOWN;
    private boolean choiceHere;
    private final ReentrantLock driving = new ReentrantLock();
    private volatile CollectiveTrace trace = CollectiveTrace.NONE; // set by any thread, for calls that begin later
    private volatile @Nullable ProgressTarget progress; // likewise

    public MeshDriver(String group, StreamSource streams, Reducer reducer, Gate gate, CollectiveConfig config) {
        this.group = group;
        this.streams = streams;
        this.reducer = reducer;
        this.gate = gate;
        this.inTurnBytesMax = config.inTurnBytesMax();
        this.segmentBytes = config.segmentBytes();
        this.settings = new GroupSettings(
                config.segmentBytes(),
                config.inTurnBytesMax(),
                config.inPlaceBytesMin(),
                config.bucketBytes(),
                config.links());
        this.config = config;
        this.choice = config.choice(false, PlanCosts.UNKNOWN);
        this.receiverThread = new ReceiverThread("hearth-receive-" + group);
    }

    /** Work that moves bytes. */
    public interface Job<T> {
        T run() throws IOException;
    }

    /**
     * Runs a job once no other thread drives.
     *
     * @throws IOException a stream is broken or the mesh abandoned
     */
    public <T> T drive(Mesh on, Job<T> job) throws IOException, InterruptedException {
        driving.lockInterruptibly();
        return driven(on, job);
    }

    /**
     * As {@link #drive(Mesh, Job)}, if it may wait.
     *
     * @throws PausedException it may not wait and would have to: the job did not run. Or the job threw it
     */
    public <T> T drive(Mesh on, Job<T> job, boolean mayWait) throws IOException, InterruptedException {
        if (mayWait) {
            return drive(on, job);
        }
        if (!gate.isOpen() || !driving.tryLock()) {
            throw new PausedException();
        }
        return driven(on, job);
    }

    private <T> T driven(Mesh on, Job<T> job) throws IOException {
        try {
            gate.pass(on);
            return job.run();
        } finally {
            endLoan();
            driving.unlock();
        }
    }

    /** As {@link StreamSource#endLoan}: received records are not used after the end of a job. */
    void endLoan() {
        streams.endLoan();
    }

    /** Runs an action while no thread drives. Waits for a thread that does; the wait is short if that thread's mesh was abandoned. */
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

    /** Chooses the schedules of calls with {@code AUTO}. */
    ScheduleChoice choice(Mesh on) {
        PlanCosts costs = on.plan().costs();
        if (on.isOnOneMachine() != choiceHere || !costs.equals(choiceCosts)) {
            choiceHere = on.isOnOneMachine();
            choiceCosts = costs;
            choice = config.choice(choiceHere, costs);
        }
        return choice;
    }

    /** The settings that must be the same on all members. */
    GroupSettings settings() {
        return settings;
    }

    /** Makes {@code listener} the only listener of all calls that begin from now on. */
    public void trace(CollectiveTrace listener) {
        trace = GuardedTrace.of(listener);
    }

    /** Makes {@code listener} the only one that receives the progress of long broadcasts that begin from now on. */
    public void progress(CollectiveProgress listener, NodeId self, Clock clock) {
        progress = new ProgressTarget(listener, self, clock);
    }

    /** The listener of progress. */
    private record ProgressTarget(CollectiveProgress listener, NodeId self, Clock clock) {}

    /** The watch of a call that begins now. */
    ExchangeWatch watch(long number, Signature signature, int world) {
        ExchangeWatch watch = ExchangeWatch.of(trace, number, signature, world, codecNanos);
        ProgressTarget to = progress;
        if (to == null || signature.kind() != Signature.Kind.BROADCAST) {
            return watch.isOn() ? new DeferringWatch(watch) : watch;
        }
        boolean isRoot = signature.root().filter(to.self()::equals).isPresent();
        var what = isRoot ? CollectiveProgress.What.BROADCAST_FROM_HERE : CollectiveProgress.What.BROADCAST;
        var reporter = new ProgressReporter(to.listener(), to.clock(), what);
        return new DeferringWatch(new BroadcastWatch(watch, reporter, isRoot, signature.bytes()));
    }

    /** Total time that this member's codecs took so far, in nanoseconds. From any thread. */
    public long codecNanos() {
        return codecNanos.sum();
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

    /** Ensures that streams are open: to the two neighbours of an order, or to all ranks. */
    void open(Mesh on, RankOrder order, boolean neighboursOnly) throws IOException {
        List<Integer> missing = missing(on, order, neighboursOnly);
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

    /** Whether {@link #open} has nothing to do. */
    boolean isOpen(Mesh on, RankOrder order, boolean neighboursOnly) {
        return missing(on, order, neighboursOnly).isEmpty();
    }

    private static List<Integer> missing(Mesh on, RankOrder order, boolean neighboursOnly) {
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
        return missing;
    }

    /** Converts an interrupt to an IOException; the thread's interrupt status is kept. */
    static IOException interrupted(InterruptedException stop) {
        Thread.currentThread().interrupt();
        var interrupted = new InterruptedIOException("interrupted");
        interrupted.initCause(stop);
        return interrupted;
    }

    /** Waits some seconds for the present job; returns whether the receiver thread has ended. */
    public boolean end() {
        return receiverThread.end();
    }

    @Override
    public void close() {
        end();
    }

    /** A spare exchange of the mesh {@code on} for a call with this signature; {@code null} if there is none. For the thread in a call. */
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

    /**
     * Keeps an exchange that ended. It replaces the oldest one if all places are taken, and all exchanges of other meshes. For the thread
     * in a call.
     */
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
