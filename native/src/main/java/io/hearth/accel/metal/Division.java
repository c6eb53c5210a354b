package io.hearth.accel.metal;

import io.hearth.core.DataType;
import java.lang.foreign.MemorySegment;
import java.util.Optional;

/** One call that divides; reused by the next call, so that none makes garbage. Whoever has the turn uses it. */
final class Division implements GpuTurns.Piece {
    private final GpuTurns turns;
    private Optional<Kernel> kernel = Optional.empty();
    private DataType type = DataType.FLOAT32;
    private MemorySegment values = MemorySegment.NULL;
    private long offset;
    private int divisor;

    Division(GpuTurns turns) {
        this.turns = turns;
    }

    /** How many elements were done, from the first one on; nobody's memory is held after it. */
    long run(DataType type, MemorySegment values, long offset, long count, int divisor) {
        kernel = Kernel.dividing(type);
        this.type = type;
        this.values = values;
        this.offset = offset;
        this.divisor = divisor;
        try {
            return kernel.isEmpty() ? 0 : turns.inPieces(count, turns.countMax(type.bytes(), 1), this);
        } finally {
            this.values = MemorySegment.NULL;
        }
    }

    @Override
    public boolean run(long first, int count) throws MetalException {
        long at = offset + first * type.bytes();
        long bytes = (long) count * type.bytes();
        Dispatch.Place operand = turns.staging().operand(1, values, at, bytes);
        Dispatch.Place result = turns.staging().result(0, bytes);
        turns.commands()
                .add(kernel.orElseThrow(), count)
                .buffer(result)
                .buffer(operand)
                .reducing(count, 0, 1, divisor);
        turns.run();
        MemorySegment.copy(result.buffer().contents(), 0, values, at, bytes);
        return true;
    }
}
