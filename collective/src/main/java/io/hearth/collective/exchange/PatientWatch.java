package io.hearth.collective.exchange;

import io.hearth.collective.CollectiveTrace.Phase;
import io.hearth.collective.schedule.Schedule;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * Tells another watch outside the {@link Gate} what the receiving thread did inside: listeners are somebody else's code and may block,
 * and a freeze waits for those inside.
 */
final class PatientWatch implements ExchangeWatch {
    private final ExchangeWatch other;
    private final Deque<Done> untold = new ArrayDeque<>(); // of the receiving thread
    private volatile @Nullable Thread inside; // set by the receiving thread, compared by the sender too

    /** What was done inside. */
    private record Done(Phase phase, int rank, long bytes, long sinceNanos, long untilNanos) {}

    PatientWatch(ExchangeWatch other) {
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
            untold.add(new Done(phase, rank, bytes, sinceNanos, untilNanos));
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
        while (!untold.isEmpty()) {
            Done done = untold.remove();
            other.did(done.phase, done.rank, done.bytes, done.sinceNanos, done.untilNanos);
        }
    }

    @Override
    public void end(boolean completed) {
        other.end(completed);
    }
}
