package io.hearth.collective;

import io.hearth.accel.Reducer;
import io.hearth.collective.GroupMachine.Effect;
import io.hearth.collective.GroupMachine.Event;
import io.hearth.core.Clock;
import io.hearth.core.CollectiveException;
import io.hearth.core.HearthException;
import io.hearth.identity.NodeId;
import io.hearth.transport.StreamSource;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A group's machine with the threads and the memory that carry out its effects: the parts and how they hang together, and the
 * side of whoever runs the view change. The application's side is {@link Caller}.
 */
final class GroupShell implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(GroupShell.class);
    private static final long CLOSE_SECONDS_MAX = 10;

    private final String group;
    private final Gate gate = new Gate();
    private final Buffers buffers;
    private final GroupBoard board;
    private final MeshDriver driver;
    private final Caller caller;
    private final Forwarder forwarder;
    private final Pairs pairs;

    GroupShell(
            String group,
            NodeId self,
            StreamSource streams,
            Reducer reducer,
            EngineOptions options,
            CollectiveListener listener,
            Clock clock) {
        this.group = group;
        this.buffers = new Buffers(reducer::allocate);
        var machine = new GroupMachine(CollectiveEngine.WINDOW, options.policy(), options.ranks());
        this.board = new GroupBoard(self, machine, gate, buffers, listener, clock);
        this.driver = new MeshDriver(group, streams, reducer, gate, options.config());
        this.caller = new Caller(group, board, driver, buffers, options.config(), clock);
        this.forwarder = new Forwarder(group, board, driver, options.config());
        this.pairs = new Pairs(new PairLine.Means(
                group, self, streams, gate, buffers, clock, bug -> board.fail("sending from rank to rank", bug)));
        board.follow(pairs);
    }

    Buffers buffers() {
        return buffers;
    }

    /** Whether all data threads may use this memory. */
    boolean mayTouch(MemorySegment memory) {
        return driver.companion().mayTouch(memory);
    }

    /** Whether the current thread is one that calls need: it may not wait for them. */
    boolean isDataThread() {
        return driver.companion().isCurrent();
    }

    /** As {@link MeshDriver#trace}. */
    void trace(CollectiveTrace listener) {
        driver.trace(listener);
    }

    /** As {@link MeshDriver#progress}. */
    void progress(CollectiveProgress listener, NodeId self, Clock clock) {
        driver.progress(listener, self, clock);
    }

    Caller caller() {
        return caller;
    }

    Pairs pairs() {
        return pairs;
    }

    GroupMachine.State state() {
        return board.snapshot();
    }

    /** Stops every data thread, then says where this member stands; nothing ends until {@link #install}. */
    Status freeze(String lineage, long epoch) {
        gate.freeze();
        board.lock.lock();
        try {
            board.step(new Event.Freeze(new GroupMachine.Frozen(lineage, epoch)));
            board.mesh().ifPresent(mesh -> mesh.waitsFor("the view change"));
            return board.state().status(lineage);
        } finally {
            board.lock.unlock();
        }
    }

    /** Whether every data thread stands still for a while. */
    void rest(boolean resting) {
        if (resting) {
            gate.rest();
        } else {
            gate.resume();
        }
    }

    /** Whether the next step has to wait. */
    void hold(boolean held) {
        board.lock.lock();
        try {
            board.hold(held);
        } finally {
            board.lock.unlock();
        }
    }

    void install(Event.Installed view) {
        board.lock.lock();
        try {
            board.remember(view);
            if (board.over().isPresent()) {
                return;
            }
            List<Effect.Forward> forwards = board.install(view);
            if (!forwards.isEmpty()) {
                board.mesh().ifPresent(on -> forwarder.start(on, forwards));
            }
            if (board.state().frozen().isEmpty()) {
                gate.thaw();
            }
        } finally {
            board.lock.unlock();
        }
    }

    /** What is known of the group's other members. */
    void hear(GroupActivity elsewhere, boolean meetsStep, boolean spare) {
        board.lock.lock();
        try {
            board.hear(elsewhere, meetsStep, spare);
        } finally {
            board.lock.unlock();
        }
    }

    /** How far this member is on its way into the group's work. */
    GroupActivity activity() {
        board.lock.lock();
        try {
            return board.over().isPresent() ? GroupActivity.IDLE : board.state().activity();
        } finally {
            board.lock.unlock();
        }
    }

    /** Whether this member is out, and its application was told so or will be. */
    boolean isOver() {
        board.lock.lock();
        try {
            return board.over().isPresent();
        } finally {
            board.lock.unlock();
        }
    }

    /** Ends everything with {@code why}; a group that has not started just waits for the next view. */
    void removed(HearthException why) {
        board.lock.lock();
        try {
            if (board.state().next() > 1 && !board.state().isStarting()) {
                board.finish(why);
            }
        } finally {
            board.lock.unlock();
        }
    }

    /** Ends everything with {@code why}, for good. */
    void fail(HearthException why) {
        board.lock.lock();
        try {
            board.close(why);
        } finally {
            board.lock.unlock();
        }
    }

    /** Ends everything, in bounded time. Where a thread does not end, the memory that it may be using is kept. */
    @Override
    public void close() {
        end();
    }

    /** As {@link #close}; whether every thread ended. */
    boolean end() {
        boolean idle;
        board.lock.lock();
        try {
            board.close(new CollectiveException("the backend of group '" + group + "' is closed"));
            idle = awaitNoCall();
        } finally {
            board.lock.unlock();
        }
        idle &= driver.end();
        caller.close();
        idle &= forwarder.end(CLOSE_SECONDS_MAX);
        idle &= pairs.end();
        if (!idle) {
            LOG.warn("group {} is closed, but a thread is still inside; its memory is kept", group);
            return false;
        }
        board.lock.lock();
        try {
            board.releaseAll();
        } finally {
            board.lock.unlock();
        }
        buffers.close();
        return true;
    }

    private boolean awaitNoCall() {
        long left = TimeUnit.SECONDS.toNanos(CLOSE_SECONDS_MAX);
        try {
            while (board.call().isPresent() && left > 0) {
                left = board.changed.awaitNanos(left);
            }
        } catch (InterruptedException impatient) {
            Thread.currentThread().interrupt();
        }
        return board.call().isEmpty();
    }
}
