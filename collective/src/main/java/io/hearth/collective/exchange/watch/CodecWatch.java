package io.hearth.collective.exchange.watch;

import io.hearth.collective.CollectiveTrace.Phase;
import java.util.concurrent.atomic.LongAdder;

/** Adds up the time of codecs alone, and reads the clock for nothing else. */
final class CodecWatch implements ExchangeWatch {
    private final LongAdder codecNanos;

    /** @param codecNanos gets the time of each coding */
    CodecWatch(LongAdder codecNanos) {
        this.codecNanos = codecNanos;
    }

    @Override
    public long codecNow() {
        return System.nanoTime();
    }

    @Override
    public void coded(Phase phase, long bytes, long sinceNanos) {
        codecNanos.add(System.nanoTime() - sinceNanos);
    }
}
