package io.hearth.agent.status;

import io.hearth.core.Clock;
import java.util.concurrent.atomic.AtomicLong;

/** A clock that a test moves. */
public final class HandClock implements Clock {
    private final AtomicLong nanos = new AtomicLong(1_000_000_000_000L);

    @Override
    public long nanoTime() {
        return nanos.get();
    }

    @Override
    public long epochMillis() {
        return nanos.get() / 1_000_000;
    }

    public void pass(long seconds) {
        var _ = nanos.addAndGet(seconds * 1_000_000_000L);
    }
}
