package io.hearth.collective.engine;

import io.hearth.collective.Signature;
import io.hearth.collective.call.Call;
import io.hearth.collective.exchange.Buffers;
import io.hearth.collective.exchange.Gate;
import io.hearth.collective.exchange.Mesh;
import io.hearth.collective.exchange.MeshFollower;
import io.hearth.collective.group.CallRejection;
import io.hearth.collective.group.GroupActivity;
import io.hearth.collective.group.GroupLayout;
import io.hearth.collective.group.GroupMachine;
import io.hearth.collective.group.GroupMachine.Effect;
import io.hearth.collective.group.GroupMachine.Event;
import io.hearth.collective.group.GroupMachine.State;
import io.hearth.collective.group.Lack;
import io.hearth.collective.group.Status;
import io.hearth.collective.group.StreamBrokenException;
import io.hearth.core.Clock;
import io.hearth.core.CollectiveException;
import io.hearth.core.CollectiveExceptions;
import io.hearth.core.HearthException;
import io.hearth.core.LeftGroupException;
import io.hearth.core.Step;
import io.hearth.election.GroupPhase;
import io.hearth.identity.NodeId;
import io.hearth.topology.plan.Plan;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The shared data of a group's threads: the machine's state, and the mesh, the call and the results that belong to it.
 *
 * <p>Everything here is guarded by {@link #lock}, which is held for moments only. The caller of a method holds it, unless the
 * method says that it takes it. {@link #changed} is signalled after every change.
 */
final class GroupMonitor {
    private static final Logger LOG = LoggerFactory.getLogger(GroupMonitor.class);

    final ReentrantLock lock = new ReentrantLock();
    final Condition changed = lock.newCondition();

    private final NodeId self;
    private final GroupMachine machine;
    private final Gate gate;
    private final Buffers buffers;
    private final CollectiveListener listener;
    private final Clock clock;
    private final KeptResults results = new KeptResults();
    private State state = State.START;
    private @Nullable Mesh mesh;
    private @Nullable MeshFollower follower;
    private @Nullable Call call;
    private @Nullable HearthException over;
    private boolean closed;
    private GroupActivity elsewhere = GroupActivity.IDLE;
    private Event.@Nullable Installed newest;

    GroupMonitor(
            NodeId self, GroupMachine machine, Gate gate, Buffers buffers, CollectiveListener listener, Clock clock) {
        this.self = self;
        this.machine = machine;
        this.gate = gate;
        this.buffers = buffers;
        this.listener = listener;
        this.clock = clock;
    }

    /** Sets the follower of meshes, instead of the former one. */
    void follow(MeshFollower who) {
        follower = who;
    }

    /** Runs an action with the lock, which it takes. */
    void locked(Runnable action) {
        lock.lock();
        try {
            action.run();
        } finally {
            lock.unlock();
        }
    }

    /** Returns a result that was computed with the lock, which it takes. */
    <T> T read(Supplier<T> action) {
        lock.lock();
        try {
            return action.get();
        } finally {
            lock.unlock();
        }
    }

    /** Takes the lock. */
    State snapshot() {
        lock.lock();
        try {
            return state;
        } finally {
            lock.unlock();
        }
    }

    State state() {
        return state;
    }

    /** The mesh of the current group epoch; empty before the first view. */
    Optional<Mesh> mesh() {
        return Optional.ofNullable(mesh);
    }

    /** The reason why this member's calls have ended; empty while they go on. */
    Optional<HearthException> over() {
        return Optional.ofNullable(over);
    }

    /** Whether this member can return to its group when it begins a step. */
    boolean mayReturn() {
        return over != null && !closed;
    }

    /** The application's open call. */
    Optional<Call> call() {
        return Optional.ofNullable(call);
    }

    /** The open call if it has that number; otherwise {@code null}. */
    @Nullable
    Call call(long number) {
        Call open = call;
        return open != null && open.number == number ? open : null;
    }

    /** The result of an ended call, as long as a member may lack it. */
    Optional<Buffers.Buffer> result(long number) {
        return Optional.ofNullable(results.of(number));
    }

    /** Opens a call and gives it its number. */
    void enter(Call asked) {
        call = asked;
        asked.number = state.next();
        step(new Event.Called(asked.signature(), asked.operation().leastRanks()));
    }

    /** Returns to the group after the end, in the newest known view. No thread may be using a result. */
    void comeBack() {
        over = null;
        releaseAll();
        state = state.returned();
        if (newest != null) {
            step(newest);
        }
        if (state.frozen().isEmpty()) {
            gate.thaw();
        }
    }

    /** As {@link State#begun}. */
    void begun() {
        state = state.begun();
    }

    /** Sets whether the next step must wait; a member that is out only stores it. */
    void hold(boolean held) {
        if (over == null) {
            step(new Event.Held(held));
        } else {
            state = state.held(held);
        }
    }

    /** As {@link CollectiveEngine#hear}. */
    void hear(GroupActivity others, boolean meetsStep, boolean spare) {
        elsewhere = others;
        boolean isAtWork = others == GroupActivity.WORKING || others == GroupActivity.STEPPING;
        if (over == null) {
            step(new Event.Heard(isAtWork, meetsStep, spare));
        } else {
            state = state.in(state.company().withOthers(isAtWork, meetsStep, spare));
        }
    }

    /**
     * Withdraws the start for which the application waits, if the other trainers begin steps: then this member joins with a step.
     * Returns whether it did.
     */
    boolean withdraw(Call asked) {
        boolean isFutile = asked.signature().kind() == Signature.Kind.START
                && elsewhere == GroupActivity.STEPPING
                && over == null
                && asked.outcome == null
                && asked.error == null
                && state.mayWithdraw();
        if (isFutile) {
            step(new Event.Withdrawn());
        }
        return isFutile;
    }

    /** The reason why the open call may not run with the current members; empty if it may, or runs. */
    Optional<Lack> lack() {
        return machine.lack(state);
    }

    /** Stores the newest view, for a return after the end. */
    void remember(Event.Installed view) {
        newest = view;
    }

    /** Closes the call; the application's thread has left it. */
    void leave() {
        call = null;
        changed.signalAll();
    }

    /** Steps the machine with an event that is not a view, and carries out its effects. */
    void step(Event event) {
        install(event);
    }

    /**
     * Steps the machine and carries out its effects, except forwards, which need a thread of their own.
     *
     * @return the results to forward over the new mesh, in this order
     */
    List<Effect.Forward> install(Event event) {
        Step<State, Effect> step = machine.step(state, event, clock.nanoTime());
        state = step.state();
        List<Effect.Forward> forwards = List.of();
        for (Effect effect : step.effects()) {
            switch (effect) {
                case Effect.Abandon() -> renewRing();
                case Effect.Replan() -> replan();
                case Effect.Renumber(long from, long to) -> renumber(from, to);
                case Effect.RollBack(long number) -> rollBack(number);
                case Effect.Commit(long number) -> commit(number);
                case Effect.Run(long number, Optional<CallRejection> doomed) -> run(number, doomed);
                case Effect.Forward forward -> {
                    forwards = forwards.isEmpty() ? new ArrayList<>() : forwards;
                    forwards.add(forward);
                }
                case Effect.End(Status.Kept outcome) -> end(outcome);
                case Effect.Release(long number) -> release(number);
                case Effect.ReportLack(Optional<Lack> lack) -> logLack(lack);
                case Effect.ReportBroken(NodeId peer, String why) -> listener.streamBroken(peer, why);
                case Effect.ReportProgress(long doneUpTo, GroupPhase phase) -> listener.progress(doneUpTo, phase);
            }
        }
        changed.signalAll();
        return forwards;
    }

    private void renewRing() {
        if (mesh != null) {
            mesh.abandon();
        }
        gate.wake();
        GroupLayout layout = state.layout();
        mesh = new Mesh(layout, self);
        logPlan(mesh, layout);
        Call newest = call(state.next() - 1);
        if (newest != null) {
            newest.attempt = null;
        }
        if (follower != null) {
            follower.renewed(mesh);
        }
    }

    private void replan() {
        if (mesh != null) {
            mesh.replan(state.layout());
            logPlan(mesh, state.layout());
        }
    }

    private static void logPlan(Mesh mesh, GroupLayout layout) {
        Plan plan = layout.plan();
        if (!plan.order().isEmpty()) {
            LOG.info(
                    "plan: ring {}",
                    String.join(" -> ", layout.ring().stream().map(mesh::name).toList()));
        }
        if (!plan.weights().isEmpty()) {
            LOG.info("plan: shares by rank {} of {}", plan.weights(), Plan.WEIGHTS_SUM);
        }
        if (!plan.islands().isEmpty()) {
            LOG.info("plan: leaders of islands by rank {}", plan.islands());
        }
    }

    private void logLack(Optional<Lack> lack) {
        String what = call == null ? "the next call" : call.signature().text();
        if (lack.isPresent()) {
            LOG.warn("{} waits: {}", what, lack.get().text());
            mesh().ifPresent(on -> on.waitsFor("enough ranks: " + lack.get().text()));
        } else if (call != null) {
            LOG.info(
                    "{} has enough ranks now: {}",
                    what,
                    state.layout().members().size());
        }
    }

    private void renumber(long from, long to) {
        Call open = call(from);
        if (open != null) {
            open.number = to;
            open.attempt = null;
        }
    }

    private void rollBack(long number) {
        Call open = call(number);
        if (open != null) {
            open.rollsBack = true;
        }
    }

    private void commit(long number) {
        Call open = call(number);
        if (open != null) {
            open.commits = true;
        }
    }

    private void run(long number, Optional<CallRejection> doomed) {
        Mesh on = mesh;
        Call open = call(number);
        if (on != null && open != null) {
            open.attempt = new Call.Attempt(on, doomed, false);
        }
    }

    private void end(Status.Kept outcome) {
        Call open = call(outcome.number());
        if (open != null) {
            open.attempt = null;
            open.outcome = outcome;
            if (outcome.bytes() > 0) {
                results.put(outcome.number(), open.work());
            }
        }
    }

    private void release(long number) {
        Buffers.Buffer result = results.remove(number);
        if (result != null) {
            buffers.give(result);
        }
    }

    /** Gives back the memory of all results; no thread may be using one. */
    void releaseAll() {
        results.removeAll(buffers::give);
    }

    /** Waits until no view change is in progress. Returns whether {@code on} is still in use. */
    boolean awaitThaw(Mesh on) throws InterruptedException {
        while (state.frozen().isPresent() && !on.isAbandoned()) {
            changed.await();
        }
        return !on.isAbandoned();
    }

    /** The attempt goes on later, unless a view change has ended it. */
    void paused(Call asked, Call.Attempt attempt) {
        if (asked.attempt == null && asked.outcome == null && !attempt.mesh().isAbandoned()) {
            asked.attempt = new Call.Attempt(attempt.mesh(), attempt.doomed(), asked.exchange != null);
        }
    }

    /** Reports that a stream of {@code on} is broken, unless that is known already. */
    void broken(Mesh on, IOException broken) throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        if (on == mesh && over == null && state.broken().isEmpty()) {
            NodeId peer = broken instanceof StreamBrokenException known ? known.peer() : on.previous();
            String why = broken.getMessage() == null ? broken.toString() : broken.getMessage();
            on.waitsFor("the view change after: " + why);
            step(new Event.StreamBroken(on.fence(), peer, why));
            on.abandon(); // so that the neighbours notice
        }
    }

    /** Ends everything for good. */
    void close(HearthException why) {
        if (!closed) {
            closed = true;
            over = null; // calls now throw this error, not the reason why the group was left before
        }
        finish(why);
    }

    /** Ends everything for good because of a data thread's error, and reports it to the owner. Takes the lock. */
    void fail(String what, Throwable error) {
        locked(() -> {
            close(new CollectiveException(what + " failed: " + error, error));
            listener.failed(error);
        });
    }

    /** Ends everything with {@code why}, including the open call, until this member returns. */
    void finish(HearthException why) {
        if (over == null) {
            over = why;
            newest = null; // this member cannot return to the view in which it ended
            listener.progress(
                    state.doneUpTo(), state.next() == 1 ? GroupPhase.FRESH : GroupPhase.BUSY); // it waits for no step
        }
        if (call != null && call.outcome == null && call.error == null) {
            call.error = CollectiveExceptions.again(why);
        }
        if (mesh != null) {
            mesh.abandon();
        }
        gate.wake();
        if (follower != null) {
            follower.over(why);
        }
        changed.signalAll();
    }

    /** This member leaves its group, because its application gets an error that the other members do not have. */
    void giveUp(Call asked, CollectiveException error) {
        if (call == asked && asked.outcome == null && asked.error == null && over == null) {
            asked.error = error;
            giveUp(error);
        }
    }

    /** This member leaves its group. */
    void giveUp(CollectiveException error) {
        if (over == null) {
            finish(new LeftGroupException(
                    error.getMessage() + "; this member left its group: beginStep() enters it again"));
            listener.gaveUp(String.valueOf(error.getMessage()));
        }
    }
}
