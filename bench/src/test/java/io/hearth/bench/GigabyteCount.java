package io.hearth.bench;

import org.openjdk.jmh.annotations.AuxCounters;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/** Counts the bytes that a benchmark processed. JMH prints the count as {@code gigabytes}; its "ops/s" are GB/s. */
@State(Scope.Thread)
@AuxCounters(AuxCounters.Type.OPERATIONS)
public class GigabyteCount {
    /** Count in units of 1e9 bytes. JMH reads and resets it. */
    public double gigabytes;

    void add(long bytes) {
        gigabytes += bytes / 1e9;
    }
}
