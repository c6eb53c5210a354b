package io.hearth.bench;

import org.openjdk.jmh.annotations.AuxCounters;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/** Counts what a benchmark went through: JMH prints it as {@code gigabytes}, and its "ops/s" are GB/s. */
@State(Scope.Thread)
@AuxCounters(AuxCounters.Type.OPERATIONS)
public class GigabyteCount {
    /** In units of 1e9 bytes; JMH reads it and sets it back. */
    public double gigabytes;

    void add(long bytes) {
        gigabytes += bytes / 1e9;
    }
}
