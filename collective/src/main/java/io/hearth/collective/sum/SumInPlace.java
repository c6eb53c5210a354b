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
 * An all-reduce of uncompressed elements round the ring, straight into the application's buffer. Ends with a completion barrier.
 *
 * <p>For large tensors, memory is the limit, not the network. A result in engine memory costs a buffer of the tensor's size and one
 * more write and read of all bytes. Here the sum replaces the contribution in place. The overwritten bytes are saved while the
 * processor handles them anyway. If input and output do not overlap, no extra memory is needed. The price is a round trip at the
 * end: no rank keeps the result for others, so all ranks must hold it before any rank returns and may change it.
 *
 * <p>A contribution on the heap, or confined to one thread, is copied first, because the data threads cannot access it.
 */
final class SumInPlace implements CollectiveOperation {
    private InPlaceBackup backup = InPlaceBackup.NONE;
    private boolean travelsAsCopy;

    @Override
    public Call.Memory memory(Signature signature, MemorySegment input, MemorySegment target, Workspace workspace) {
        boolean isUsable = isUsable(input, workspace) && isUsable(target, workspace);
        if (isUsable && isSame(input, target)) {
            Buffers.Buffer saved = workspace.buffers().take(signature.bytes());
            backup = new InPlaceBackup(target, saved.bytes());
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
        backup.restore();
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
        backup.begin(schedule);
        Optional<CallRejection> refusal =
                context.exchange().play(schedule, context.mesh().byHop(), Region.of(input), Region.of(result), backup);
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
        backup.restore();
    }
}
