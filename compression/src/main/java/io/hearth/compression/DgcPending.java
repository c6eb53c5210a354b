package io.hearth.compression;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** One step of {@link DgcMemory}. */
final class DgcPending extends SparsePending {
    private final DgcStep step;

    /** That {@code step} makes, of which {@code own} was sent. */
    DgcPending(Workers workers, TensorMemory.Encoding encoding, MemorySegment own, DgcStep step, long count) {
        super(workers, encoding, own, count);
        this.step = step;
    }

    @Override
    Rest rest(Arena arena) {
        return new Velocity(step.over(MemorySegment.NULL));
    }

    private record Velocity(DgcStep step) implements Rest {
        /** An encoding of this kind is never one of all values. */
        @Override
        public void owe(long first, int n, boolean all) {
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
