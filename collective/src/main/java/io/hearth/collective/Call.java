package io.hearth.collective;

import io.hearth.core.CollectiveException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** One collective of the application on its way; all fields that change are guarded by the group's lock. */
final class Call {
    private final Signature signature;
    private final MemorySegment values;
    private final Contribution contribution;
    private final Buffers.Buffer work;
    private final long dueNanos;

    /** Given by the machine when the call begins. */
    long number;
    /** Set when the machine says run; taken by the calling thread. */
    @Nullable
    Attempt attempt;
    /** How the number ended on all ranks. */
    Status.@Nullable Kept outcome;
    /** How the call ended on this rank alone. */
    @Nullable
    CollectiveException error;
    /** Ring of the last attempt begun. */
    @Nullable
    Ring ran;
    /** What the machine said about error feedback; carried out by the calling thread, which alone touches that memory. */
    final List<Runnable> feedback = new ArrayList<>();

    /** Counted by the calling thread alone. */
    long bytesSent;

    Call(Signature signature, MemorySegment values, Contribution contribution, Buffers.Buffer work, long dueNanos) {
        this.signature = signature;
        this.values = values;
        this.contribution = contribution;
        this.work = work;
        this.dueNanos = dueNanos;
    }

    /**
     * One try in one group epoch.
     *
     * @param ring of that epoch
     * @param doomed runs only to tell all ranks this
     */
    record Attempt(Ring ring, Optional<Refusal> doomed) {}

    /** Carries out what the machine said about error feedback. */
    void settle() {
        feedback.forEach(Runnable::run);
        feedback.clear();
        if (error != null) {
            contribution.rollBack();
        }
    }

    Signature signature() {
        return signature;
    }

    /** The application's buffer: input, untouched until the call returns. */
    MemorySegment values() {
        return values;
    }

    Contribution contribution() {
        return contribution;
    }

    /** Where the result comes into being, and is kept. */
    Buffers.Buffer work() {
        return work;
    }

    long dueNanos() {
        return dueNanos;
    }
}
