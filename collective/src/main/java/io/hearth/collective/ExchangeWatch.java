package io.hearth.collective;

import io.hearth.collective.CollectiveTrace.Phase;
import io.hearth.collective.schedule.Schedule;

/** Sees where the time of one attempt goes; {@link #NONE} does not even look at the clock. */
interface ExchangeWatch {
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

    /** Something that began at {@code sinceNanos} is done now; arguments as in {@link CollectiveTrace#segment}. */
    default void did(Phase phase, int rank, long bytes, long sinceNanos) {
        did(phase, rank, bytes, sinceNanos, now());
    }

    /** The same of something that was done at {@code untilNanos}. */
    void did(Phase phase, int rank, long bytes, long sinceNanos, long untilNanos);

    /** The receiving thread goes into the gate, where nobody may block: what it does there is told by {@link #outside}. */
    default void inside() {}

    /** It is out again. */
    default void outside() {}

    /** Called once, by the thread that owns the attempt, when all others are done with it. */
    void end(boolean completed);

    /** What watches a call: nothing, unless somebody records or traces. */
    static ExchangeWatch of(CollectiveTrace trace, long number, Signature signature, int world) {
        var event = new CollectiveEvent();
        return trace.equals(CollectiveTrace.NONE) && !event.isEnabled()
                ? NONE
                : new ExchangeTally(trace, event, number, signature, world);
    }
}
