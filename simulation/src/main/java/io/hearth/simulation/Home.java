package io.hearth.simulation;

import java.util.OptionalLong;
import java.util.SplittableRandom;

/** What all processes of one machine share: the disk under their home folder, and the wall clock. */
final class Home {
    private final Disk disk = new Disk();
    private long writeNanosMax;
    private int failuresDue;
    private boolean isFull;
    private long clockStepMillis;

    /** The vote records, and the numbers of starts. */
    Disk disk() {
        return disk;
    }

    /** From now on a write takes about so long. */
    void slow(long nanos) {
        writeNanosMax = nanos;
    }

    long writeNanosMax() {
        return writeNanosMax;
    }

    /** The next write fails. */
    void failOnce() {
        failuresDue = 1;
    }

    void fill(boolean full) {
        isFull = full;
    }

    /** Whether a process can start here. */
    boolean hasRoom() {
        return !isFull;
    }

    /** Errors end; slowness stays, but as slow as this at most. */
    void heal(long nanosMax) {
        failuresDue = 0;
        isFull = false;
        writeNanosMax = Math.min(writeNanosMax, nanosMax);
    }

    /** How long one write takes until it is durable; empty if it fails. */
    OptionalLong write(SplittableRandom random) {
        if (isFull || failuresDue > 0) {
            failuresDue = 0;
            return OptionalLong.empty();
        }
        return OptionalLong.of(writeNanosMax == 0 ? 0 : writeNanosMax / 2 + random.nextLong(writeNanosMax / 2));
    }

    /** The wall clock steps. */
    void stepClock(long millis) {
        clockStepMillis += millis;
    }

    /** How far the wall clock is from the right time. */
    long clockStepMillis() {
        return clockStepMillis;
    }
}
