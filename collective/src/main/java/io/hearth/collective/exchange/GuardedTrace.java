package io.hearth.collective.exchange;

import io.hearth.collective.CollectiveTrace;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Tells a listener, and keeps what it throws away from the collective: the first is logged, the others are forgotten. */
final class GuardedTrace implements CollectiveTrace {
    private static final Logger LOG = LoggerFactory.getLogger(GuardedTrace.class);

    private final CollectiveTrace listener;
    private final AtomicBoolean threw = new AtomicBoolean();

    private GuardedTrace(CollectiveTrace listener) {
        this.listener = listener;
    }

    /** Around {@code listener}, unless that wants to know nothing. */
    static CollectiveTrace of(CollectiveTrace listener) {
        return listener.equals(NONE) ? NONE : new GuardedTrace(listener);
    }

    @Override
    public void segment(long number, Phase phase, int rank, long bytes, long sinceNanos, long untilNanos) {
        try {
            listener.segment(number, phase, rank, bytes, sinceNanos, untilNanos);
        } catch (RuntimeException theirs) {
            say(theirs);
        }
    }

    @Override
    public void ended(Collective collective) {
        try {
            listener.ended(collective);
        } catch (RuntimeException theirs) {
            say(theirs);
        }
    }

    private void say(RuntimeException theirs) {
        if (threw.compareAndSet(false, true)) {
            LOG.warn("whoever traces collectives failed, and may fail again without a word: {}", theirs.toString());
        }
    }
}
