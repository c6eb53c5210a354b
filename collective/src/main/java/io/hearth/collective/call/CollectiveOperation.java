package io.hearth.collective.call;

import io.hearth.collective.CollectiveTrace.Phase;
import io.hearth.collective.Signature;
import io.hearth.collective.exchange.Buffers;
import io.hearth.collective.exchange.Mesh;
import io.hearth.collective.group.CallRejection;
import io.hearth.collective.schedule.RingAllReduce;
import io.hearth.topology.plan.Plan;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.Optional;

/** Runs one kind of call: plain sums, broadcasts, encoded sums, … Each attempt starts from the original input. */
public interface CollectiveOperation {
    /**
     * Checks limits before the call begins; a failure in the middle of it would occur on this rank alone.
     *
     * @throws IllegalStateException the call would exceed a limit
     */
    default void requireRoom() {}

    /**
     * Runs one attempt on the calling thread.
     *
     * @return the rejection with which the number ended on all ranks, if any
     * @throws IOException a stream is broken or the mesh abandoned
     */
    Optional<CallRejection> attempt(OperationContext context) throws IOException;

    /**
     * Copies this rank's part of the result to the application's memory.
     *
     * @param ran mesh of the last attempt
     */
    default void deliver(Call call, Mesh ran) {
        MemorySegment.copy(
                call.work().bytes(),
                0,
                call.memory().target(),
                0,
                call.signature().bytes());
    }

    /** The main phase of {@link #deliver}, for traces. */
    default Phase delivery() {
        return Phase.COPY;
    }

    /**
     * Memory for a call of {@code signature}; the runner of the call gives it back. Input that not all threads may access is copied.
     *
     * @param input the application's values; no other code accesses them before the call ends
     * @param target the application's memory for the result
     */
    default Call.Memory memory(Signature signature, MemorySegment input, MemorySegment target, Workspace workspace) {
        Buffers buffers = workspace.buffers();
        Buffers.Buffer work = buffers.take(workBytes(signature, target));
        if (input.isNative() && workspace.mayTouch(input)) {
            return new Call.Memory(input, null, work, target);
        }
        try {
            Buffers.Buffer copy = buffers.take(input.byteSize());
            MemorySegment.copy(input, 0, copy.bytes(), 0, input.byteSize());
            return new Call.Memory(copy.bytes(), copy, work, target);
        } catch (RuntimeException | Error none) { // such as an OutOfMemoryError
            buffers.give(work);
            throw none;
        }
    }

    /** Bytes of the buffer that receives the result for {@code target}; 0 if none is needed. */
    default long workBytes(Signature signature, MemorySegment target) {
        return signature.bytes();
    }

    /** A range of elements in the application's buffer. */
    record Part(long first, long count) {}

    /** The elements that this rank got. */
    default Part part(Call call, int contributors) {
        return new Part(0, call.signature().count());
    }

    /** Least number of ranks with which this rank runs the call, and the next one if this is the group's start. */
    default int leastRanks() {
        return 1;
    }

    /** The plan on which all ranks agreed in the last attempt, for the numbers after this one; empty if they keep the present one. */
    default Optional<Plan> plan() {
        return Optional.empty();
    }

    /** This member was removed from its group and returns with this call. */
    default void cameBack() {}

    /** The call ends without a result: restores the input that attempts have overwritten. No thread plays it any more. */
    default void restore() {}

    /** The number is done: keep its state for the next call. */
    default void commit() {}

    /** The number runs again or ended without a result: drop its state. */
    default void rollBack() {}

    /** Payload bytes that this rank would send on a ring for this call without compression; 0 for calls without gradients. */
    default long denseBytes(Signature signature, Mesh mesh, int segmentBytes) {
        return new RingAllReduce(
                        mesh.byHop().position(mesh.rank()),
                        mesh.world(),
                        signature.count(),
                        signature.type().bytes(),
                        segmentBytes)
                .bytesSent();
    }
}
