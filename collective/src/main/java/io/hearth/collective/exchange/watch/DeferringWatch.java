package io.hearth.collective.exchange.watch;

import io.hearth.collective.CollectiveTrace.Phase;
import io.hearth.collective.schedule.Schedule;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * Forwards to another watch, but holds back the phases of the receiving thread until it has left the gate: listeners are foreign
 * code and may block, and a freeze waits for the threads inside.
 */
public final class DeferringWatch implements ExchangeWatch {
    private final ExchangeWatch other;
    private final Deque<Done> deferred = new ArrayDeque<>(); // accessed by the receiving thread
    private volatile @Nullable Thread inside; // set by the receiving thread, compared by the sender too

    /** A phase that ended inside the gate. */
    private record Done(Phase phase, int rank, long bytes, long sinceNanos, long untilNanos) {}

    public DeferringWatch(ExchangeWatch other) {
        this.other = other;
    }

    @Override
    public long now() {
        return other.now();
    }

    @Override
    public void plays(Schedule schedule) {
        other.plays(schedule);
    }

    @Override
    public boolean isOn() {
        return other.isOn();
    }

    @Override
    public void did(Phase phase, int rank, long bytes, long sinceNanos, long untilNanos) {
        if (Thread.currentThread().equals(inside)) {
            deferred.add(new Done(phase, rank, bytes, sinceNanos, untilNanos));
        } else {
            other.did(phase, rank, bytes, sinceNanos, untilNanos);
        }
    }

    @Override
    public void inside() {
        inside = Thread.currentThread();
    }

    @Override
    public void outside() {
        inside = null;
        while (!deferred.isEmpty()) {
            Done done = deferred.remove();
            other.did(done.phase, done.rank, done.bytes, done.sinceNanos, done.untilNanos);
        }
    }

    @Override
    public void end(boolean completed) {
        other.end(completed);
    }
}
