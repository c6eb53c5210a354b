package io.hearth.core;

/** The clock port of all shells: monotonic time for decisions, wall time only for time stamps and display. */
public interface Clock {
    /** Monotonic nanoseconds; compare by subtraction only. */
    long nanoTime();

    /** Milliseconds since 1970; may jump. */
    long epochMillis();

    /** The computer's own clocks. */
    static Clock system() {
        return SystemClock.INSTANCE;
    }
}
