package io.hearth.simulation.process;

import io.hearth.election.Member;
import io.hearth.election.Message;
import io.hearth.election.view.ViewEvent;
import io.hearth.identity.NodeId;
import io.hearth.simulation.host.Host;
import io.hearth.simulation.plant.BugHooks;
import io.hearth.simulation.setting.WorldSetting;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.function.Supplier;

/** One start of a node as its parts see it: its identity, whether it runs or is paused, and the world around it. */
public abstract class ProcessContext implements BugHooks.Node {
    public final WorldSetting setting;
    public final Surroundings surroundings;
    public final Host host;
    public final long incarnation;

    private final Deque<Runnable> backlog = new ArrayDeque<>(); // what came while it stood still
    private long pausedSince = -WorldSetting.WELL_NANOS;
    private long pausedUntil = -WorldSetting.WELL_NANOS;
    private boolean isAlive = true;

    public ProcessContext(WorldSetting setting, Surroundings surroundings, Host host, long incarnation) {
        this.setting = setting;
        this.surroundings = surroundings;
        this.host = host;
        this.incarnation = incarnation;
    }

    /** Steps its view machine. */
    public abstract void view(ViewEvent event);

    /** Whether it was asked to leave. */
    public abstract boolean isLeaving();

    /** The group epoch of its collectives; empty for an agent. */
    public abstract Optional<String> fence();

    /** Something was delivered, so that its next tick may come earlier. */
    public abstract void scheduleTick();

    @Override
    public NodeId id() {
        return host.id;
    }

    @Override
    public boolean isFirstOfMachine() {
        return incarnation == 1
                && setting.hosts().stream()
                        .filter(other -> other.machine() == host.machine())
                        .allMatch(other -> other.index >= host.index);
    }

    @Override
    public boolean wouldAnswer(NodeId node) {
        return surroundings.wouldAnswer(this, node);
    }

    @Override
    public void forge(long delayNanos, Member from, Message message) {
        var event = new ViewEvent.Received(from.node(), from.incarnation(), message);
        setting.after(delayNanos, () -> deliver(() -> view(event)));
    }

    public boolean isAlive() {
        return isAlive;
    }

    public void died() {
        isAlive = false;
    }

    public boolean isPaused() {
        return setting.now() < pausedUntil;
    }

    /** When it goes on after a pause, or went on last. */
    public long pausedUntil() {
        return pausedUntil;
    }

    /** How long its last pause is or was. */
    public long pauseNanos() {
        return pausedUntil - pausedSince;
    }

    public void pause(long nanos) {
        if (!isPaused()) {
            pausedSince = setting.now();
        }
        pausedUntil = Math.max(pausedUntil, setting.now() + nanos);
    }

    /** To a process that stands still, things happen when it goes on. */
    public void deliver(Runnable what) {
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

    public void trace(Supplier<String> what) {
        setting.trace(host, incarnation, what);
    }
}
