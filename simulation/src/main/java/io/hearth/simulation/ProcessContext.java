package io.hearth.simulation;

import io.hearth.core.Bytes;
import io.hearth.election.view.ViewEvent;
import io.hearth.election.view.ViewState;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.function.Supplier;

/** One start of a node as its parts see it: who it is, whether it runs or stands still, and the world around it. */
abstract class ProcessContext {
    final Setting setting;
    final Surroundings surroundings;
    final Host host;
    final long incarnation;

    private final Deque<Runnable> backlog = new ArrayDeque<>(); // what came while it stood still
    private long pausedSince = -Setting.WELL_NANOS;
    private long pausedUntil = -Setting.WELL_NANOS;
    private boolean isAlive = true;

    ProcessContext(Setting setting, Surroundings surroundings, Host host, long incarnation) {
        this.setting = setting;
        this.surroundings = surroundings;
        this.host = host;
        this.incarnation = incarnation;
    }

    /** The state of its view machine. */
    abstract ViewState state();

    /** Steps its view machine. */
    abstract void view(ViewEvent event);

    /** Whether it was asked to leave. */
    abstract boolean isLeaving();

    /** The group epoch of its collectives; empty for an agent. */
    abstract Optional<String> fence();

    /** What its collectives say of themselves when a view changes; empty for an agent. */
    abstract Bytes status(String lineage);

    /** Something was delivered, so that its next tick may come earlier. */
    abstract void scheduleTick();

    boolean isAlive() {
        return isAlive;
    }

    void died() {
        isAlive = false;
    }

    boolean isPaused() {
        return setting.now() < pausedUntil;
    }

    /** When it goes on after a pause, or went on last. */
    long pausedUntil() {
        return pausedUntil;
    }

    /** How long its last pause is or was. */
    long pauseNanos() {
        return pausedUntil - pausedSince;
    }

    void pause(long nanos) {
        if (!isPaused()) {
            pausedSince = setting.now();
        }
        pausedUntil = Math.max(pausedUntil, setting.now() + nanos);
    }

    /** To a process that stands still, things happen when it goes on. */
    void deliver(Runnable what) {
        if (!isAlive()) {
            return;
        }
        if (isPaused() || !backlog.isEmpty()) {
            if (backlog.isEmpty()) {
                setting.after(pausedUntil() - setting.now(), this::goOn);
            }
            backlog.add(what);
            return;
        }
        what.run();
        scheduleTick();
    }

    private void goOn() {
        if (isAlive() && isPaused()) {
            setting.after(pausedUntil() - setting.now(), this::goOn);
            return;
        }
        while (isAlive() && !isPaused() && !backlog.isEmpty()) {
            backlog.remove().run();
        }
        if (isAlive() && !backlog.isEmpty()) {
            setting.after(pausedUntil() - setting.now(), this::goOn);
        }
        scheduleTick();
    }

    void trace(Supplier<String> what) {
        setting.trace(host, incarnation, what);
    }
}
