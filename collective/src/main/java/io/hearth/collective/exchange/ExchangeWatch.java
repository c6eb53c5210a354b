package io.hearth.collective.exchange;

import io.hearth.collective.CollectiveEvent;
import io.hearth.collective.CollectiveTrace;
import io.hearth.collective.CollectiveTrace.Phase;
import io.hearth.collective.Signature;
import io.hearth.collective.schedule.Schedule;

/** Sees where the time of one attempt goes; {@link #NONE} does not even look at the clock. */
public interface ExchangeWatch {
    ExchangeWatch NONE = new ExchangeWatch() {
        @Override
        public long now() {
            return 0;
        }

        @Override
        public void plays(Schedule schedule) {
            // nobody looks
        }

        @Override
        public boolean isOn() {
            return false;
        }

        @Override
        public void did(Phase phase, int rank, long bytes, long sinceNanos, long untilNanos) {
            // nobody looks
        }

        @Override
        public void end(boolean completed) {
            // nobody looks
        }
    };

    /** To be handed to {@link #did}. */
    long now();

    /** Called by the thread that owns the attempt. */
    void plays(Schedule schedule);

    /** Whether anybody wants to know what ciphers take. */
    boolean isOn();

    /** Something that began at {@code sinceNanos} is done now; arguments as in {@link CollectiveTrace#segment}. */
    default void did(Phase phase, int rank, long bytes, long sinceNanos) {
        did(phase, rank, bytes, sinceNanos, now());
    }

    /** The receiving thread goes into the gate, where nobody may block: what it does there is told by {@link #outside}. */
    default void inside() {}

    /** It is out again. */
    default void outside() {}

    /** Something was done; arguments as in {@link CollectiveTrace#segment}. */
    void did(Phase phase, int rank, long bytes, long sinceNanos, long untilNanos);

    /** A record was sealed and then written, by now. */
    default void sent(int rank, long bytes, long sinceNanos, long sealNanos) {
        if (sealNanos > 0) {
            did(Phase.SEAL, rank, bytes, sinceNanos, sinceNanos + sealNanos);
        }
        did(Phase.SEND, rank, bytes, sinceNanos + sealNanos);
    }

    /** A record came and then was opened, by now. */
    default void received(int rank, long bytes, long sinceNanos, long openNanos) {
        long untilNanos = now();
        did(Phase.RECEIVE, rank, bytes, sinceNanos, untilNanos - openNanos);
        if (openNanos > 0) {
            did(Phase.OPEN, rank, bytes, untilNanos - openNanos, untilNanos);
        }
    }

    /** Called once, by the thread that owns the attempt, when all others are done with it. */
    void end(boolean completed);

    /** What watches a call: nothing, unless somebody records or traces. */
    static ExchangeWatch of(CollectiveTrace trace, long number, Signature signature, int world) {
        return trace.equals(CollectiveTrace.NONE) && !CollectiveEvent.isWanted()
                ? NONE
                : new ExchangeTally(trace, new CollectiveEvent(), number, signature, world);
    }
}
