package io.hearth.collective.sum;

import io.hearth.collective.AllReduceStrategy;
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
import io.hearth.collective.schedule.AllReduceAlgorithm;
import io.hearth.collective.schedule.IslandAllReduce;
import io.hearth.collective.schedule.Islands;
import io.hearth.collective.schedule.RingAllReduce;
import io.hearth.collective.schedule.Shares;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.Optional;

/**
 * An all-reduce of uncompressed elements round the ring or by islands, straight into the application's buffer. Ends with a completion
 * barrier.
 *
 * <p>For large tensors, memory is the limit, not the network. A result in engine memory costs a buffer of the tensor's size and one
 * more write and read of all bytes. Here the sum replaces the contribution in place. The overwritten bytes are saved while the
 * processor handles them anyway. If input and output do not overlap, no extra memory is needed. The price is a round trip at the
 * end: no rank keeps the result for others, so all ranks must hold it before any rank returns and may change it.
 *
 * <p>By islands or directly where the group's plan predicts that it is faster, or the caller asked for {@code HIERARCHICAL}. In a direct sum
 * each rank is an island of its own. {@link io.hearth.collective.schedule.DirectAllReduce} cannot be played in place, because an owner adds its own
 * contribution after those of lower ranks.
 *
 * <p>A contribution on the heap, or confined to one thread, is copied first, because the data threads cannot access it.
 */
final class SumInPlace implements CollectiveOperation {
    private final AllReduceStrategy strategy;
    private InPlaceBackup backup = InPlaceBackup.NONE;
    private boolean travelsAsCopy;

    SumInPlace(AllReduceStrategy strategy) {
        this.strategy = strategy;
    }

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
        if (context.world() == 1 && !isSame(input, result)) {
            MemorySegment.copy(input, 0, result, 0, signature.bytes());
        }
        Optional<CallRejection> refusal = play(context, Region.of(input), Region.of(result));
        return refusal.isPresent() ? refusal : context.held();
    }

    private Optional<CallRejection> play(OperationContext context, Region input, Region result) throws IOException {
        Signature signature = context.call().signature();
        Mesh mesh = context.mesh();
        int world = context.world();
        long count = signature.count();
        int elementBytes = signature.type().bytes();
        int segmentBytes = context.segmentBytes();
        Optional<Islands> islands = mesh.islands(strategy);
        AllReduceAlgorithm algorithm = context.choice().inPlace(strategy, world, islands, signature.bytes());
        if (algorithm == AllReduceAlgorithm.RING) {
            var around = new RingAllReduce(context.hop(), world, count, elementBytes, segmentBytes);
            backup.begin(around);
            return context.exchange().play(around, mesh.byHop(), input, result, backup);
        }
        boolean isDirect = algorithm == AllReduceAlgorithm.DIRECT;
        Islands led = isDirect ? Islands.alone(world) : islands.orElseThrow();
        Shares shares = isDirect ? mesh.shares(count) : mesh.shares(count, led);
        var schedule = new IslandAllReduce(mesh.rank(), led, shares, elementBytes, segmentBytes);
        Optional<CallRejection> refusal = context.noted(input, result);
        if (refusal.isPresent()) {
            return refusal;
        }
        backup.begin(schedule);
        return context.exchange().play(schedule, mesh.byRank(), input, result, backup);
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
