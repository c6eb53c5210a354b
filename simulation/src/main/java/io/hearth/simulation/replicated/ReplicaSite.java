package io.hearth.simulation.replicated;

import static io.hearth.simulation.time.Timeline.MICRO;
import static io.hearth.simulation.time.Timeline.MILLI;

import io.hearth.core.Step;
import io.hearth.identity.NodeId;
import io.hearth.identity.PeerId;
import io.hearth.replicated.DiskTask;
import io.hearth.replicated.machine.ReplicaEffect;
import io.hearth.replicated.machine.ReplicaEvent;
import io.hearth.replicated.machine.ReplicaState;
import java.util.ArrayDeque;
import java.util.Optional;
import java.util.function.Consumer;

/** A machine: its disk, and the process that runs on it or not. */
final class ReplicaSite {
    private record Task(long ticket, DiskTask task) {}

    final ReplicaHome home;
    final int index;
    final NodeId node;
    ReplicaDisk disk;
    final ReplicaClient client;

    /** Counts starts; what was planned for an earlier life is void. */
    int life;

    private Optional<ReplicaState<Ledger>> state = Optional.empty();
    private final ArrayDeque<Task> tasks = new ArrayDeque<>();
    private boolean isDiskBusy;
    private long wakes;

    ReplicaSite(ReplicaHome home, int index) {
        this.home = home;
        this.index = index;
        this.node = new NodeId(peer(index), NodeId.AGENT);
        this.disk = new ReplicaDisk(home.random.nextLong(1, Long.MAX_VALUE));
        this.client = new ReplicaClient(home, this);
    }

    private static PeerId peer(int index) {
        byte[] key = new byte[PeerId.KEY_BYTES];
        key[0] = (byte) (97 * index + 11); // ids are in another order than indices
        key[1] = (byte) index;
        return PeerId.of(key);
    }

    boolean isUp() {
        return state.isPresent();
    }

    ReplicaState<Ledger> state() {
        return state.orElseThrow();
    }

    /** What the process would know if it started now. */
    ReplicaState<Ledger> restarted() {
        return home.machine.initial(node, disk.seat, disk.record, home.time.now());
    }

    void start() {
        if (isUp()) {
            return;
        }
        life++;
        if (home.bug == ReplicaBug.FORGETS_PROMISES) {
            disk.forgetPromise();
        }
        state = Optional.of(restarted());
        tasks.clear();
        isDiskBusy = false;
        client.restart();
        home.views.lone(this);
    }

    /** Ends the process; of the writes under way some may have reached the disk. */
    void crash() {
        if (!isUp()) {
            return;
        }
        int reached = home.random.nextInt(tasks.size() + 1);
        while (reached-- > 0) {
            disk.write(tasks.remove().task());
        }
        tasks.clear();
        state = Optional.empty();
        life++;
        home.links.lost(this);
    }

    /** Later, unless the process ended meanwhile. */
    void after(long delayNanos, Runnable what) {
        int now = life;
        home.time.after(delayNanos, () -> {
            if (life == now && isUp()) {
                what.run();
            }
        });
    }

    void step(ReplicaEvent event) {
        Step<ReplicaState<Ledger>, ReplicaEffect> step = home.machine.step(state(), event, home.time.now());
        state = Optional.of(step.state());
        step.effects().forEach(this::carryOut);
        home.checker.stepped(this);
        long sleep = home.machine.sleepNanos(state(), home.time.now());
        if (sleep < Long.MAX_VALUE) {
            long wake = ++wakes;
            after(Math.max(sleep, MILLI), () -> {
                if (wake == wakes) {
                    tick();
                }
            });
        }
    }

    private void tick() {
        step(new ReplicaEvent.Tick(home.wallMillis(), home.random.nextLong()));
    }

    private void carryOut(ReplicaEffect effect) {
        switch (effect) {
            case ReplicaEffect.Send(var to, var message) ->
                home.links.send(this, to, other -> other.step(new ReplicaEvent.Received(node, message)));
            case ReplicaEffect.Write write -> write(write);
            case ReplicaEffect.Answered(var key, var answer) -> {
                var store = state().copy().orElseThrow().id();
                reply(key.origin(), other -> other.client.answered(key, answer, store));
            }
            case ReplicaEffect.NotTaken(var key, var why) ->
                reply(key.origin(), other -> other.client.notTaken(key, why));
            case ReplicaEffect.Confirmed(long id) -> home.checker.confirmed(this, id);
            case ReplicaEffect.NotConfirmed _, ReplicaEffect.Deposed _ -> {}
            case ReplicaEffect.Elected _ -> home.checker.elected(this);
        }
    }

    private void reply(NodeId origin, Consumer<ReplicaSite> what) {
        if (origin.equals(node)) {
            after(0, () -> what.accept(this));
        } else {
            home.links.send(this, origin, what);
        }
    }

    private void write(ReplicaEffect.Write write) {
        tasks.add(new Task(write.ticket(), write.task()));
        if (home.bug == ReplicaBug.REPORTS_EARLY) {
            after(0, () -> step(new ReplicaEvent.Written(write.ticket())));
        }
        if (!isDiskBusy) {
            isDiskBusy = true;
            turnDisk();
        }
    }

    private void turnDisk() {
        long slow = home.random.nextInt(20) == 0 ? 300 * MILLI : 8 * MILLI;
        after(home.random.nextLong(100 * MICRO, slow), () -> {
            boolean fails = home.failsDisks && home.isTrouble() && home.random.nextInt(40) == 0;
            Task task = tasks.element();
            if (!fails || home.random.nextBoolean()) {
                disk.write(task.task()); // a failed sync may have written all the same
            }
            tasks.remove();
            if (fails) {
                tasks.clear();
            }
            isDiskBusy = !tasks.isEmpty();
            if (isDiskBusy) {
                turnDisk();
            }
            if (fails) {
                step(new ReplicaEvent.WriteFailed(task.ticket(), "no room"));
            } else if (home.bug != ReplicaBug.REPORTS_EARLY) {
                step(new ReplicaEvent.Written(task.ticket()));
            }
        });
    }
}
