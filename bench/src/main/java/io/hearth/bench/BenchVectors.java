package io.hearth.bench;

import io.hearth.collective.CollectiveOptions;
import io.hearth.collective.ring.RingBackend;
import io.hearth.compression.CompressionStrategy;
import io.hearth.core.CollectiveException;
import io.hearth.core.DataType;
import io.hearth.core.ReduceOp;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.SplittableRandom;
import java.util.zip.CRC32C;

/** The vectors of a measurement, and the check of their sums. */
interface BenchVectors {
    /** Writes the next contribution of this rank. */
    void fill(MemorySegment values);

    /** Checks every byte of a result, on this rank alone and as fast as memory can be read. */
    void check(MemorySegment values);

    /** Whether all results that were checked since the last call were right. All ranks call it at the same time. */
    boolean wereSums() throws CollectiveException;

    /** Small whole numbers, so that every order of adding gives the same sum. */
    final class WholeNumbers implements BenchVectors {
        private static final ValueLayout.OfFloat FLOAT =
                ValueLayout.JAVA_FLOAT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
        private static final int PERIOD = 97; // in elements: prime, so that segments differ
        private static final int TABLE =
                64 * PERIOD; // 24 KiB: fits into the nearest cache together with the compared part

        private final RingBackend backend;
        private final MemorySegment sums;
        private boolean right = true;

        WholeNumbers(RingBackend backend) {
            this.backend = backend;
            int world = backend.worldSize();
            int ranks = world * (world + 1) / 2;
            sums = MemorySegment.ofArray(new byte[TABLE * Float.BYTES]);
            for (int i = 0; i < TABLE; i++) {
                sums.set(FLOAT, (long) i * Float.BYTES, ranks * (float) (i % PERIOD));
            }
        }

        @Override
        public void fill(MemorySegment values) {
            long elements = values.byteSize() / Float.BYTES;
            int rank = backend.rank();
            for (long i = 0; i < elements; i++) {
                values.set(FLOAT, i * Float.BYTES, (rank + 1) * (float) (i % PERIOD));
            }
        }

        @Override
        public void check(MemorySegment values) {
            long length = 0;
            for (long at = 0; at < values.byteSize(); at += length) {
                length = Math.min(sums.byteSize(), values.byteSize() - at);
                right &= MemorySegment.mismatch(values, at, at + length, sums, 0, length) < 0;
            }
        }

        @Override
        public boolean wereSums() {
            boolean all = right;
            right = true;
            return all;
        }
    }

    /**
     * Normally distributed values, different in each call, for lossy compression. Such a sum depends on the residuals of earlier calls, so it counts as right if all ranks have the same bits.
     */
    final class Gradients implements BenchVectors {
        private static final int TABLE = 1 << 20;
        private static final int SHIFT = 7919; // prime, so that the gradients do not repeat soon

        private final RingBackend backend;
        private final float[] table = new float[TABLE];
        private final CRC32C sums = new CRC32C(); // over all results since the last call of wereSums
        private int next;

        Gradients(RingBackend backend) {
            this.backend = backend;
            var random = new SplittableRandom(backend.rank());
            for (int i = 0; i < TABLE; i++) {
                table[i] = (float) random.nextGaussian();
            }
        }

        @Override
        public void fill(MemorySegment values) {
            long elements = values.byteSize() / Float.BYTES;
            int from = next;
            for (long done = 0; done < elements; ) {
                int count = (int) Math.min(elements - done, TABLE - from);
                MemorySegment.copy(table, from, values, ValueLayout.JAVA_FLOAT_UNALIGNED, done * Float.BYTES, count);
                done += count;
                from = 0;
            }
            next = (next + SHIFT) % TABLE;
        }

        @Override
        public void check(MemorySegment values) {
            for (long done = 0; done < values.byteSize(); done += TABLE) {
                sums.update(values.asSlice(done, Math.min(TABLE, values.byteSize() - done))
                        .asByteBuffer());
            }
        }

        @Override
        public boolean wereSums() throws CollectiveException {
            try (Arena arena = Arena.ofShared()) {
                MemorySegment extremes = arena.allocate(ValueLayout.JAVA_LONG, 2);
                extremes.setAtIndex(ValueLayout.JAVA_LONG, 0, sums.getValue());
                extremes.setAtIndex(ValueLayout.JAVA_LONG, 1, -sums.getValue());
                sums.reset();
                var plain = CollectiveOptions.DEFAULTS.as(CompressionStrategy.NONE);
                backend.allReduce(extremes, DataType.INT64, ReduceOp.MAX, plain);
                return extremes.getAtIndex(ValueLayout.JAVA_LONG, 0) == -extremes.getAtIndex(ValueLayout.JAVA_LONG, 1);
            }
        }
    }
}
