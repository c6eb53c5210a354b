package io.hearth.collective;

import io.hearth.core.CollectiveException;
import io.hearth.core.DataType;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/** Tensors that travel in {@link Buckets}; they are written when all buckets are back, or not at all. */
final class Coalesced {
    private final List<MemorySegment> tensors;
    private final Buffers buffers;
    private final long bucketBytes;

    /** {@code tensors} stay the caller's. */
    Coalesced(List<MemorySegment> tensors, DataType type, Buffers buffers, long bucketBytes) {
        for (MemorySegment tensor : tensors) {
            Tensors.demandWritable(tensor);
            Tensors.elements(tensor, type);
        }
        this.tensors = List.copyOf(tensors);
        this.buffers = buffers;
        this.bucketBytes = bucketBytes;
    }

    /** A collective of one bucket, in place. */
    interface Body {
        CollectiveResult run(MemorySegment bucket, int number) throws CollectiveException;
    }

    CollectiveResult run(Body body) throws CollectiveException {
        List<Buckets.Bucket> buckets =
                Buckets.of(tensors.stream().map(MemorySegment::byteSize).toList(), bucketBytes);
        var filled = new ArrayList<Buffers.Buffer>();
        try {
            int contributors = Integer.MAX_VALUE;
            long sent = 0;
            long count = 0;
            for (Buckets.Bucket bucket : buckets) {
                Buffers.Buffer buffer = buffers.take(bucket.bytes());
                filled.add(buffer);
                pass(bucket, buffer.bytes(), true);
                CollectiveResult result = body.run(buffer.bytes(), filled.size() - 1);
                contributors = Math.min(contributors, result.contributors());
                sent += result.bytesSent();
                count += result.count();
            }
            for (int number = 0; number < buckets.size(); number++) {
                pass(buckets.get(number), filled.get(number).bytes(), false);
            }
            return new CollectiveResult(buckets.isEmpty() ? 0 : contributors, sent, 0, count);
        } finally {
            filled.forEach(buffers::give);
        }
    }

    private void pass(Buckets.Bucket bucket, MemorySegment memory, boolean in) {
        long at = 0;
        for (int i = bucket.first(); i < bucket.end(); i++) {
            MemorySegment tensor = tensors.get(i);
            MemorySegment part = memory.asSlice(at, tensor.byteSize());
            if (in) {
                part.copyFrom(tensor);
            } else {
                tensor.copyFrom(part);
            }
            at += tensor.byteSize();
        }
    }
}
