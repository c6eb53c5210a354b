package io.hearth.simulation.cluster;

import io.hearth.election.Member;
import io.hearth.election.Message;
import io.hearth.election.view.state.ViewEvent;
import io.hearth.identity.NodeId;
import io.hearth.simulation.host.Host;
import io.hearth.simulation.process.ProcessContext;
import io.hearth.simulation.process.Surroundings;
import io.hearth.simulation.setting.WorldSetting;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Supplier;

/** A process that can be paused and can die: it keeps the tasks of a pause until it goes on. */
abstract class PausableProcess implements ProcessContext {
    final WorldSetting setting;
    final Surroundings surroundings;
    final Host host;
    final long incarnation;

    private final Deque<Runnable> backlog = new ArrayDeque<>(); // what came while it stood still
    private long pausedSince = -WorldSetting.WELL_NANOS;
    private long pausedUntil = -WorldSetting.WELL_NANOS;
    private boolean isAlive = true;

    PausableProcess(WorldSetting setting, Surroundings surroundings, Host host, long incarnation) {
        this.setting = setting;
        this.surroundings = surroundings;
        this.host = host;
        this.incarnation = incarnation;
    }

    @Override
    public WorldSetting setting() {
        return setting;
    }

    @Override
    public Surroundings surroundings() {
        return surroundings;
    }

    @Override
    public Host host() {
        return host;
    }

    @Override
    public long incarnation() {
        return incarnation;
    }

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

    @Override
    public boolean isAlive() {
        return isAlive;
    }

    @Override
    public void died() {
        isAlive = false;
    }

    @Override
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

    @Override
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

    @Override
    public void trace(Supplier<String> what) {
        setting.trace(host, incarnation, what);
    }
}
