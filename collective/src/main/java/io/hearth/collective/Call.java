package io.hearth.collective;

import io.hearth.core.CollectiveException;
import java.lang.foreign.MemorySegment;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** One collective of the application on its way; all fields that change are guarded by the group's lock. */
final class Call {
    private final Signature signature;
    private final Memory memory;
    private final Contribution contribution;
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
    /** Mesh of the last attempt begun. */
    @Nullable
    Mesh ran;
    /** Of the last attempt begun; of the calling thread alone. */
    ExchangeWatch watch = ExchangeWatch.NONE;
    /** Whether the machine said so of error feedback; carried out by the calling thread, which alone touches that memory. */
    boolean rollsBack;
    /** Likewise, and after that. */
    boolean commits;

    /** Counted by the calling thread alone. */
    long bytesSent;

    Call(Signature signature, Memory memory, Contribution contribution, long dueNanos) {
        this.signature = signature;
        this.memory = memory;
        this.contribution = contribution;
        this.dueNanos = dueNanos;
    }

    /**
     * What a call works on.
     *
     * @param input this rank's contribution, native and open to all threads: the application's own or a copy; not written
     * @param copy memory of the engine that {@code input} is, if it is one
     * @param work where the result comes into being, and is kept
     * @param target where the application wants the result
     */
    record Memory(MemorySegment input, Buffers.@Nullable Buffer copy, Buffers.Buffer work, MemorySegment target) {
        /** Gives back what the engine lent, but for the result. */
        void giveInput(Buffers buffers) {
            if (copy != null) {
                buffers.give(copy);
            }
        }
    }

    /**
     * One try in one group epoch.
     *
     * @param mesh of that epoch
     * @param doomed runs only to tell all ranks this
     */
    record Attempt(Mesh mesh, Optional<Refusal> doomed) {}

    /** Carries out what the machine said about error feedback. */
    void settle() {
        if (rollsBack) {
            contribution.rollBack();
        }
        if (commits) {
            contribution.commit();
        }
        if (error != null) {
            contribution.rollBack();
        }
        rollsBack = false;
        commits = false;
    }

    Signature signature() {
        return signature;
    }

    Memory memory() {
        return memory;
    }

    MemorySegment input() {
        return memory.input();
    }

    /** Where the result comes into being, and is kept. */
    Buffers.Buffer work() {
        return memory.work();
    }

    Contribution contribution() {
        return contribution;
    }

    long dueNanos() {
        return dueNanos;
    }
}
