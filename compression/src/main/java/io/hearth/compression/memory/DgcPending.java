package io.hearth.compression.memory;

import io.hearth.compression.Workers;
import io.hearth.compression.format.Float32;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** One step of {@link DgcMemory}. */
final class DgcPending extends SparsePending {
    private final DgcStep step;

    /** Of the values that {@code step} makes, {@code own} was sent. */
    DgcPending(Workers workers, TensorMemory tensor, long nextNote, MemorySegment own, DgcStep step, long count) {
        super(workers, tensor, nextNote, own, count);
        this.step = step;
    }

    @Override
    ResidualUpdate newUpdate(Arena arena) {
        return new Velocity(step.over(MemorySegment.NULL));
    }

    private record Velocity(DgcStep step) implements ResidualUpdate {
        /** {@code all} is never true: DGC sends no dense encodings this way. */
        @Override
        public void begin(long first, int n, boolean all) {
            for (int done = 0; done < n; done += Float32.BLOCK) {
                step.keep(first + done, Math.min(Float32.BLOCK, n - done));
            }
        }

        @Override
        public void sent(long index, float decoded) {
            step.sent(index, decoded);
        }
    }
}
