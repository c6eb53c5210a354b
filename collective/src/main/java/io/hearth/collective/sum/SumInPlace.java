package io.hearth.collective.sum;

import io.hearth.collective.Signature;
import io.hearth.collective.call.Call;
import io.hearth.collective.call.CollectiveOperation;
import io.hearth.collective.call.OperationContext;
import io.hearth.collective.call.Workspace;
import io.hearth.collective.exchange.Buffers;
import io.hearth.collective.exchange.InPlaceBackup;
import io.hearth.collective.exchange.Mesh;
import io.hearth.collective.exchange.Region;
import io.hearth.collective.group.CallRejection;
import io.hearth.collective.schedule.RingAllReduce;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.Optional;

/**
 * An all-reduce of elements as they are, round the ring, with its result where the application wants it; with the held round.
 *
 * <p>For large tensors the memory is what limits, not the wire: a private result costs a buffer of the tensor's size, and writing and
 * reading all of it once more. Here the sum replaces the contribution where that lies, and what is overwritten of it is saved while it
 * passes through the processor anyway; apart from each other, they need no memory at all. The price is a round trip at the end: nobody
 * keeps a result for those who lack it, so all must hold it before anybody returns and may change it.
 *
 * <p>A contribution on the heap, or of one thread alone, travels as a copy: the data threads cannot use it.
 */
final class SumInPlace implements CollectiveOperation {
    private InPlaceBackup undo = InPlaceBackup.NONE;
    private boolean travelsAsCopy;

    @Override
    public Call.Memory memory(Signature signature, MemorySegment input, MemorySegment target, Workspace workspace) {
        boolean isUsable = isUsable(input, workspace) && isUsable(target, workspace);
        if (isUsable && isSame(input, target)) {
            Buffers.Buffer saved = workspace.buffers().take(signature.bytes());
            undo = new InPlaceBackup(target, saved.bytes());
            return new Call.Memory(target, null, saved, target);
        }
        if (isUsable && input.asOverlappingSlice(target).isEmpty()) {
            return new Call.Memory(input, null, Buffers.NONE, target);
        }
        travelsAsCopy = true;
        return new Call.Memory(input, null, workspace.buffers().take(signature.bytes()), target);
    }

    private static boolean isUsable(MemorySegment memory, Workspace workspace) {
        return memory.isNative() && workspace.mayTouch(memory);
    }

    private static boolean isSame(MemorySegment input, MemorySegment target) {
        return input.address() == target.address() && input.byteSize() == target.byteSize();
    }

    @Override
    public Optional<CallRejection> attempt(OperationContext context) throws IOException {
        undo.restore();
        Call call = context.call();
        Signature signature = call.signature();
        MemorySegment input = call.input();
        MemorySegment result = call.memory().target();
        if (travelsAsCopy) {
            result = context.work();
            MemorySegment.copy(input, 0, result, 0, signature.bytes());
            input = result;
        }
        var schedule = new RingAllReduce(
                context.hop(),
                context.world(),
                signature.count(),
                signature.type().bytes(),
                context.segmentBytes());
        if (context.world() == 1 && !isSame(input, result)) {
            MemorySegment.copy(input, 0, result, 0, signature.bytes());
        }
        undo.begin(schedule);
        Optional<CallRejection> refusal =
                context.exchange().play(schedule, context.mesh().byHop(), Region.of(input), Region.of(result), undo);
        return refusal.isPresent() ? refusal : context.held();
    }

    @Override
    public void deliver(Call call, Mesh ran) {
        if (travelsAsCopy) {
            CollectiveOperation.super.deliver(call, ran);
        }
    }

    @Override
    public void restore() {
        undo.restore();
    }
}
