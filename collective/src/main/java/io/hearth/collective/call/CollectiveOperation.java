package io.hearth.collective.call;

import io.hearth.collective.CollectiveTrace.Phase;
import io.hearth.collective.Signature;
import io.hearth.collective.exchange.Buffers;
import io.hearth.collective.exchange.Mesh;
import io.hearth.collective.group.CallRejection;
import io.hearth.collective.schedule.RingAllReduce;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.Optional;

/** How one call's bytes travel: plain, broadcast, encoded, … Each attempt starts from the untouched input. */
public interface CollectiveOperation {
    /**
     * Says before the call begins what would otherwise fail in the middle of it, on this rank alone.
     *
     * @throws IllegalStateException something is one too many
     */
    default void requireRoom() {}

    /**
     * Runs one attempt on the calling thread.
     *
     * @return the refusal with which the number ended on all ranks, if it did
     * @throws IOException a stream is broken or the mesh abandoned
     */
    Optional<CallRejection> attempt(OperationContext context) throws IOException;

    /**
     * Copies what this rank gets of the result to where the application wants it.
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

    /** What {@link #deliver} mostly does, for those who look where the time goes. */
    default Phase delivery() {
        return Phase.COPY;
    }

    /**
     * Memory for a call of {@code signature}; given back by whoever runs the call. Input that not all threads may use is copied.
     *
     * @param input the application's, not touched by others before the call ends
     * @param target where the application wants the result
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
        } catch (RuntimeException | Error none) { // such as no more memory
            buffers.give(work);
            throw none;
        }
    }

    /** Bytes of the memory in which the result comes into being, for one that goes to {@code target}; 0 where it needs none. */
    default long workBytes(Signature signature, MemorySegment target) {
        return signature.bytes();
    }

    /** Elements of the application's buffer. */
    record Part(long first, long count) {}

    /** Which elements this rank got. */
    default Part part(Call call, int contributors) {
        return new Part(0, call.signature().count());
    }

    /** Ranks without which this rank does not run the call, nor the one after it if this is the group's start. */
    default int leastRanks() {
        return 1;
    }

    /** This member was out of its group and comes back with this call. */
    default void cameBack() {}

    /** The call ends without a result: what attempts overwrote of its input comes back. Nobody plays it any more. */
    default void restore() {}

    /** The number is done: keep what the next call needs to know of it. */
    default void commit() {}

    /** The number runs again or ended without a result. */
    default void rollBack() {}

    /** Payload bytes that this rank would send on a ring for this uncompressed; 0 for what carries no gradients. */
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
