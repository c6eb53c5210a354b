package io.hearth.collective.call;

import io.hearth.collective.Signature;
import io.hearth.collective.exchange.Buffers;
import io.hearth.collective.exchange.ExchangeWatch;
import io.hearth.collective.exchange.Mesh;
import io.hearth.collective.group.CallRejection;
import io.hearth.collective.group.Status;
import io.hearth.core.CollectiveException;
import java.lang.foreign.MemorySegment;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** One collective of the application on its way; all fields that change are guarded by the group's lock. */
public final class Call {
    private final Signature signature;
    private final Memory memory;
    private final CollectiveOperation operation;
    private final long dueNanos;

    /** Given by the machine when the call begins. */
    public long number;
    /** Set when the machine says run; taken by the calling thread. */
    @Nullable
    public Attempt attempt;
    /** How the number ended on all ranks. */
    public Status.@Nullable Kept outcome;
    /** How the call ended on this rank alone. */
    @Nullable
    public CollectiveException error;
    /** Mesh of the last attempt begun. */
    @Nullable
    public Mesh ran;
    /** Of the last attempt begun; of the calling thread alone. */
    public ExchangeWatch watch = ExchangeWatch.NONE;
    /** Whether the machine said so of error feedback; carried out by the calling thread, which alone touches that memory. */
    public boolean rollsBack;
    /** Likewise, and after that. */
    public boolean commits;

    /** Counted by the calling thread alone. */
    public long bytesSent;

    public Call(Signature signature, Memory memory, CollectiveOperation operation, long dueNanos) {
        this.signature = signature;
        this.memory = memory;
        this.operation = operation;
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
    public record Memory(
            MemorySegment input, Buffers.@Nullable Buffer copy, Buffers.Buffer work, MemorySegment target) {
        /** Gives back what the engine lent, but for the result. */
        public void giveInput(Buffers buffers) {
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
    public record Attempt(Mesh mesh, Optional<CallRejection> doomed) {}

    /** Carries out what the machine said about error feedback. */
    public void settle() {
        if (rollsBack) {
            operation.rollBack();
        }
        if (commits) {
            operation.commit();
        }
        if (error != null) {
            operation.rollBack();
        }
        rollsBack = false;
        commits = false;
    }

    public Signature signature() {
        return signature;
    }

    public Memory memory() {
        return memory;
    }

    public MemorySegment input() {
        return memory.input();
    }

    /** Where the result comes into being, and is kept. */
    public Buffers.Buffer work() {
        return memory.work();
    }

    public CollectiveOperation operation() {
        return operation;
    }

    public long dueNanos() {
        return dueNanos;
    }
}
