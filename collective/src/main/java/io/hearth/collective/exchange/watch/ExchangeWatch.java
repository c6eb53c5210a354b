package io.hearth.collective.exchange.watch;

import io.hearth.collective.CollectiveEvent;
import io.hearth.collective.CollectiveTrace;
import io.hearth.collective.CollectiveTrace.Phase;
import io.hearth.collective.Signature;
import io.hearth.collective.schedule.Schedule;
import java.util.concurrent.atomic.LongAdder;
import jdk.jfr.FlightRecorder;

/** Watches the time of one attempt by phase. Without overrides it watches nothing and does not even read the clock. */
public interface ExchangeWatch {
    /** Watches nothing. */
    ExchangeWatch NONE = new ExchangeWatch() {};

    /** The present time, for {@link #did}. */
    default long now() {
        return 0;
    }

    /** A schedule begins; called by the thread that owns the attempt. */
    default void plays(Schedule schedule) {}

    /** Whether the time of ciphers is needed. */
    default boolean isOn() {
        return false;
    }

    /** A phase that began at {@code sinceNanos} has ended now; arguments as in {@link CollectiveTrace#segment}. */
    default void did(Phase phase, int rank, long bytes, long sinceNanos) {
        did(phase, rank, bytes, sinceNanos, now());
    }

    /** The present time, for {@link #coded}. */
    default long codecNow() {
        return now();
    }

    /**
     * A codec encoded or decoded values, from {@code sinceNanos} until now.
     *
     * @param bytes of the values
     */
    default void coded(Phase phase, long bytes, long sinceNanos) {
        did(phase, -1, bytes, sinceNanos);
    }

    /** The receiving thread enters the gate, where no thread may block: listeners hear of phases inside only after {@link #outside}. */
    default void inside() {}

    /** The receiving thread has left the gate. */
    default void outside() {}

    /** A phase has ended; arguments as in {@link CollectiveTrace#segment}. */
    default void did(Phase phase, int rank, long bytes, long sinceNanos, long untilNanos) {}

    /** A record was encrypted and then written; both have ended now. */
    default void sent(int rank, long bytes, long sinceNanos, long sealNanos) {
        if (sealNanos > 0) {
            did(Phase.SEAL, rank, bytes, sinceNanos, sinceNanos + sealNanos);
        }
        did(Phase.SEND, rank, bytes, sinceNanos + sealNanos);
    }

    /** A record arrived and then was decrypted; both have ended now. */
    default void received(int rank, long bytes, long sinceNanos, long openNanos) {
        long untilNanos = now();
        did(Phase.RECEIVE, rank, bytes, sinceNanos, untilNanos - openNanos);
        if (openNanos > 0) {
            did(Phase.OPEN, rank, bytes, untilNanos - openNanos, untilNanos);
        }
    }

    /** The attempt has ended. Called once, by the thread that owns the attempt, after all other threads have finished with it. */
    default void end(boolean completed) {}

    /**
     * The watch of a call: of codecs alone, unless a flight recording or a trace needs more.
     *
     * @param codecNanos gets the time of each coding
     */
    static ExchangeWatch of(CollectiveTrace trace, long number, Signature signature, int world, LongAdder codecNanos) {
        return trace.equals(CollectiveTrace.NONE) && !isRecorded()
                ? new CodecWatch(codecNanos)
                : new ExchangeTally(trace, new CollectiveEvent(), number, signature, world, codecNanos);
    }

    /** Whether a flight recording wants events. To ask their class first would set up the whole recorder in a process that never uses it. */
    private static boolean isRecorded() {
        return FlightRecorder.isInitialized() && CollectiveEvent.isWanted();
    }
}
