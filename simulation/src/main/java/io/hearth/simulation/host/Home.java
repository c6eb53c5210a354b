package io.hearth.simulation.host;

import java.util.OptionalLong;
import java.util.SplittableRandom;

/** The home folder's disk and the wall clock of one machine, shared by its processes. */
public final class Home {
    private final Disk disk = new Disk();
    private long writeNanosMax;
    private int failuresDue;
    private boolean isFull;
    private long clockStepMillis;

    /** The vote records, and the numbers of starts. */
    Disk disk() {
        return disk;
    }

    /** From now on a write takes between half of that time and all of it. */
    public void slow(long nanos) {
        writeNanosMax = nanos;
    }

    public long writeNanosMax() {
        return writeNanosMax;
    }

    /** The next write fails. */
    public void failOnce() {
        failuresDue = 1;
    }

    public void fill(boolean full) {
        isFull = full;
    }

    /** Whether a process can start here. */
    public boolean hasRoom() {
        return !isFull;
    }

    /** Ends errors and limits the duration of a write. */
    public void heal(long nanosMax) {
        failuresDue = 0;
        isFull = false;
        writeNanosMax = Math.min(writeNanosMax, nanosMax);
    }

    /** The time until a write is durable; empty if it fails. */
    public OptionalLong write(SplittableRandom random) {
        if (isFull || failuresDue > 0) {
            failuresDue = 0;
            return OptionalLong.empty();
        }
        return OptionalLong.of(writeNanosMax == 0 ? 0 : writeNanosMax / 2 + random.nextLong(writeNanosMax / 2));
    }

    /** The wall clock steps. */
    public void stepClock(long millis) {
        clockStepMillis += millis;
    }

    /** The error of the wall clock. */
    public long clockStepMillis() {
        return clockStepMillis;
    }
}
