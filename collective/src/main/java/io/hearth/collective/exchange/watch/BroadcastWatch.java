package io.hearth.collective.exchange.watch;

import io.hearth.collective.CollectiveTrace.Phase;
import io.hearth.collective.schedule.Schedule;

/** Counts the bytes of a broadcast as they arrive, or at the root as they are sent, and forwards everything to another watch. */
public final class BroadcastWatch implements ExchangeWatch {
    private final ExchangeWatch other;
    private final ProgressReporter reporter;
    private final boolean isRoot;
    private final long bytes;

    /** {@code isRoot}: whether this rank is the root. */
    public BroadcastWatch(ExchangeWatch other, ProgressReporter reporter, boolean isRoot, long bytes) {
        this.other = other;
        this.reporter = reporter;
        this.isRoot = isRoot;
        this.bytes = bytes;
    }

    @Override
    public long now() {
        return other.now();
    }

    @Override
    public void plays(Schedule schedule) {
        other.plays(schedule);
        if (!isRoot) {
            reporter.inAll(bytes, 1);
        } else if (schedule.bytesSent() > 0) { // not the completion barrier
            reporter.inAll(schedule.bytesSent(), (int) (schedule.bytesSent() / Math.max(1, bytes)));
        }
    }

    @Override
    public boolean isOn() {
        return other.isOn();
    }

    @Override
    public void did(Phase phase, int rank, long moved, long sinceNanos, long untilNanos) {
        other.did(phase, rank, moved, sinceNanos, untilNanos);
        if (rank >= 0 && phase == (isRoot ? Phase.SEND : Phase.COPY)) {
            reporter.moved(moved);
        }
    }

    @Override
    public void end(boolean completed) {
        other.end(completed);
        reporter.ended();
    }
}
