package io.hearth.collective.call;

import io.hearth.collective.Signature;
import io.hearth.collective.exchange.Buffers;
import io.hearth.collective.exchange.Exchange;
import io.hearth.collective.exchange.Mesh;
import io.hearth.collective.exchange.watch.ExchangeWatch;
import io.hearth.collective.group.CallRejection;
import io.hearth.collective.group.Status;
import io.hearth.core.CollectiveException;
import java.lang.foreign.MemorySegment;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * One open collective of the application. The group's lock guards all mutable fields, except those that a comment assigns to the calling
 * thread. The calling thread may be another one after a pause.
 */
public final class Call {
    private final Signature signature;
    private final Memory memory;
    private final CollectiveOperation operation;
    private final long dueNanos;

    /** Assigned by the machine when the call begins. */
    public long number;
    /** Set when the machine starts the number; taken by the calling thread. */
    @Nullable
    public Attempt attempt;
    /** Outcome of the number on all ranks. */
    public Status.@Nullable Kept outcome;
    /** Error that ended the call on this rank alone. */
    @Nullable
    public CollectiveException error;
    /** Mesh of the newest attempt. */
    @Nullable
    public Mesh ran;
    /** Watch of the newest attempt; accessed by the calling thread alone. */
    public ExchangeWatch watch = ExchangeWatch.NONE;
    /** Whether the machine requested a rollback of error feedback; the calling thread, which alone accesses that memory, carries it out. */
    public boolean rollsBack;
    /** Whether the machine requested a commit of error feedback; carried out after the rollback. */
    public boolean commits;

    /** Exchange of the newest attempt; accessed by the calling thread alone. */
    public @Nullable Exchange exchange;

    /** Bytes sent by this rank; accessed by the calling thread alone. */
    public long bytesSent;

    public Call(Signature signature, Memory memory, CollectiveOperation operation, long dueNanos) {
        this.signature = signature;
        this.memory = memory;
        this.operation = operation;
        this.dueNanos = dueNanos;
    }

    /**
     * The memory of a call.
     *
     * @param input this rank's contribution, native and accessible to all threads: the application's own or a copy; not written
     * @param copy buffer of the engine behind {@code input}, if that is a copy
     * @param work buffer that receives the result and keeps it
     * @param target the application's memory for the result
     */
    public record Memory(
            MemorySegment input, Buffers.@Nullable Buffer copy, Buffers.Buffer work, MemorySegment target) {
        /** Gives the copy of the input back to the pool; the result's buffer stays. */
        public void giveInput(Buffers buffers) {
            if (copy != null) {
                buffers.give(copy);
            }
        }
    }

    /**
     * One attempt in one group epoch.
     *
     * @param mesh of that epoch
     * @param doomed if present, it runs only to distribute this rejection to all ranks
     * @param isPaused whether it has begun, and goes on with the call's exchange
     */
    public record Attempt(Mesh mesh, Optional<CallRejection> doomed, boolean isPaused) {}

    /** Carries out the machine's requests about error feedback. */
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

    /** The buffer that receives the result and keeps it. */
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
