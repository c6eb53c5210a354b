package io.hearth.collective.exchange.watch;

import io.hearth.collective.CollectiveTrace;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Forwards to a listener, and catches its exceptions so that they do not reach the collective. It logs the first one and drops the others.
 */
public final class GuardedTrace implements CollectiveTrace {
    private static final Logger LOG = LoggerFactory.getLogger(GuardedTrace.class);

    private final CollectiveTrace listener;
    private final AtomicBoolean threw = new AtomicBoolean();

    private GuardedTrace(CollectiveTrace listener) {
        this.listener = listener;
    }

    /** A guard around {@code listener}; {@link #NONE} needs none. */
    public static CollectiveTrace of(CollectiveTrace listener) {
        return listener.equals(NONE) ? NONE : new GuardedTrace(listener);
    }

    @Override
    public void segment(long number, Phase phase, int rank, long bytes, long sinceNanos, long untilNanos) {
        try {
            listener.segment(number, phase, rank, bytes, sinceNanos, untilNanos);
        } catch (RuntimeException failure) {
            logFirst(failure);
        }
    }

    @Override
    public void ended(Collective collective) {
        try {
            listener.ended(collective);
        } catch (RuntimeException failure) {
            logFirst(failure);
        }
    }

    private void logFirst(RuntimeException failure) {
        if (threw.compareAndSet(false, true)) {
            LOG.warn("a trace listener of collectives failed; further failures are not logged: {}", failure.toString());
        }
    }
}
