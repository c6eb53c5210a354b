package io.hearth.collective.exchange.watch;

import io.hearth.collective.CollectiveTrace.Phase;
import io.hearth.collective.schedule.Schedule;
import java.util.concurrent.atomic.LongAdder;

/** Adds up the time of codecs alone, and reads the clock for nothing else. */
final class CodecWatch implements ExchangeWatch {
    private final LongAdder codecNanos;

    /** @param codecNanos gets the time of each coding */
    CodecWatch(LongAdder codecNanos) {
        this.codecNanos = codecNanos;
    }

    @Override
    public long now() {
        return 0;
    }

    @Override
    public long codecNow() {
        return System.nanoTime();
    }

    @Override
    public void coded(Phase phase, long bytes, long sinceNanos) {
        codecNanos.add(System.nanoTime() - sinceNanos);
    }

    @Override
    public void plays(Schedule schedule) {
        // ignored
    }

    @Override
    public boolean isOn() {
        return false;
    }

    @Override
    public void did(Phase phase, int rank, long bytes, long sinceNanos, long untilNanos) {
        // ignored
    }

    @Override
    public void end(boolean completed) {
        // ignored
    }
}
