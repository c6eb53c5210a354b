package io.hearth.collective.sum;

import io.hearth.collective.Signature;
import io.hearth.collective.call.Call;
import io.hearth.collective.call.CollectiveOperation;
import io.hearth.collective.call.OperationContext;
import io.hearth.collective.call.TooSmall;
import io.hearth.collective.exchange.Buffers;
import io.hearth.collective.exchange.Mesh;
import io.hearth.collective.exchange.Region;
import io.hearth.collective.group.CallRejection;
import io.hearth.collective.schedule.DirectAllToAll;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.Optional;

/**
 * All-to-all: each rank gets one block of every rank. Ends with a completion barrier. {@link DirectAllToAll} says how its memory is turned.
 *
 * @param buffers source of the turned input
 */
public record ExchangeBlocks(Buffers buffers) implements CollectiveOperation {
    @Override
    public Optional<CallRejection> attempt(OperationContext context) throws IOException {
        Mesh mesh = context.mesh();
        int world = context.world();
        long block = context.call().signature().bytes();
        MemorySegment input = context.call().input();
        long room = Math.min(input.byteSize(), context.work().byteSize());
        if (room < block * world) {
            context.exchange().refuse(TooSmall.refusal(mesh, room, block));
            return context.playHeld(schedule(context, block), Region.of(input), Region.of(context.work()));
        }
        Buffers.Buffer turned = buffers.take(block * world);
        try {
            for (int step = 0; step < world; step++) {
                int to = (mesh.rank() + step) % world;
                MemorySegment.copy(input, to * block, turned.bytes(), step * block, block);
            }
            MemorySegment.copy(turned.bytes(), 0, context.work(), 0, block);
            return context.playHeld(schedule(context, block), Region.of(turned.bytes()), Region.of(context.work()));
        } finally {
            buffers.give(turned);
        }
    }

    private static DirectAllToAll schedule(OperationContext context, long block) {
        return new DirectAllToAll(context.mesh().rank(), context.world(), block, context.segmentBytes());
    }

    @Override
    public long workBytes(Signature signature, MemorySegment target) {
        return target.byteSize();
    }

    @Override
    public void deliver(Call call, Mesh ran) {
        long block = call.signature().bytes();
        for (int step = 0; step < ran.world(); step++) {
            int from = Math.floorMod(ran.rank() - step, ran.world());
            MemorySegment.copy(call.work().bytes(), step * block, call.memory().target(), from * block, block);
        }
    }

    @Override
    public Part part(Call call, int contributors) {
        return new Part(0, call.signature().count() * contributors);
    }

    @Override
    public long denseBytes(Signature signature, Mesh mesh, int segmentBytes) {
        return 0;
    }
}
