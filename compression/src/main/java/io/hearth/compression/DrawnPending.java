package io.hearth.compression;

import io.hearth.accel.CodecKernels;
import java.lang.foreign.MemorySegment;

/** One draw of {@link RandomKMemory}. */
final class DrawnPending implements RandomKMemory.Drawn {
    private final CodecKernels kernels;
    private final TensorMemory.Encoding encoding;
    private final DrawnIndices indices;
    private final MemorySegment gradient;
    private final MemorySegment owed;
    private boolean isOwed;

    /** {@code owed} is empty where nothing is remembered. */
    DrawnPending(
            CodecKernels kernels,
            TensorMemory.Encoding encoding,
            DrawnIndices indices,
            MemorySegment gradient,
            MemorySegment owed) {
        this.kernels = kernels;
        this.encoding = encoding;
        this.indices = indices;
        this.gradient = gradient;
        this.owed = owed;
    }

    @Override
    public long encodedBytes() {
        return encoding.encodedBytes();
    }

    @Override
    public void deliver(MemorySegment sums, MemorySegment sum) {
        encoding.checkPending();
        Float32.checkRoom(sum, indices.count());
        Float32.checkRoom(sums, indices.kept());
        end(sums, sum);
    }

    /** Run by run, so that one pass over the memory makes both. Of what is empty, nothing is made. */
    private void end(MemorySegment sums, MemorySegment sum) {
        isOwed = true;
        var walk = new DrawnIndices.Walk(indices);
        for (long first = 0; first < indices.count(); first += SparseSum.RUN) {
            long at = first * Float.BYTES;
            long end = Math.min(first + SparseSum.RUN, indices.count());
            if (owed.byteSize() > 0) {
                kernels.add(owed, at, gradient, at, owed, at, end - first);
            }
            if (sum.byteSize() > 0) {
                sum.asSlice(at, (end - first) * Float.BYTES).fill((byte) 0);
            }
            for (; walk.isBelow(end); walk.next()) {
                if (owed.byteSize() > 0) {
                    owed.set(Float32.FLOAT, walk.index() * Float.BYTES, 0);
                }
                if (sum.byteSize() > 0) {
                    float drawn = sums.get(Float32.FLOAT, walk.number() * Float.BYTES);
                    sum.set(Float32.FLOAT, walk.index() * Float.BYTES, drawn);
                }
            }
        }
    }

    @Override
    public void gradientEnds() {
        encoding.checkPending();
        if (!isOwed) {
            end(MemorySegment.NULL, MemorySegment.NULL);
        }
    }

    @Override
    public void commit() {
        gradientEnds();
        encoding.commit();
    }

    /** What was delivered cannot be taken back: if it must be, nothing is owed any more. */
    @Override
    public void rollback() {
        if (isOwed) {
            encoding.forget();
        }
        encoding.rollback();
    }
}
