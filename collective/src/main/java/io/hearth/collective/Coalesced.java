package io.hearth.collective;

import io.hearth.collective.Buckets.Bucket;
import io.hearth.core.CollectiveException;
import io.hearth.core.DataType;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/**
 * Tensors that travel in {@link Buckets}; they are written when all buckets are back, or not at all. An empty list is one bucket of
 * nothing: a rank that has nothing to sum must hear it where others have.
 */
final class Coalesced {
    private final List<MemorySegment> tensors;
    private final TensorList list;
    private final Buffers buffers;
    private final Predicate<MemorySegment> isUsable;
    private final long bucketBytes;

    /**
     * A list.
     *
     * @param tensors stay the caller's
     * @param isUsable what is summed where it lies, and need not be copied for that
     */
    Coalesced(
            List<MemorySegment> tensors,
            DataType type,
            Buffers buffers,
            Predicate<MemorySegment> isUsable,
            long bucketBytes) {
        var lengths = new ArrayList<Long>();
        for (MemorySegment tensor : tensors) {
            Tensors.demandWritable(tensor);
            lengths.add(Tensors.elements(tensor, type));
        }
        this.tensors = List.copyOf(tensors);
        this.list = TensorList.of(lengths);
        this.buffers = buffers;
        this.isUsable = isUsable;
        this.bucketBytes = bucketBytes;
    }

    /** A collective of one bucket. */
    interface Body {
        CollectiveResult run(MemorySegment input, MemorySegment output, TensorList list) throws CollectiveException;
    }

    /** A bucket whose sum is not where it belongs yet. */
    private record Summed(Bucket bucket, Buffers.Buffer sum) {}

    CollectiveResult run(Body body) throws CollectiveException {
        List<Bucket> buckets = tensors.isEmpty()
                ? List.of(new Bucket(0, 0, 0))
                : Buckets.of(tensors.stream().map(MemorySegment::byteSize).toList(), bucketBytes);
        var summed = new ArrayList<Summed>();
        try {
            int contributors = Integer.MAX_VALUE;
            long sent = 0;
            long count = 0;
            for (int number = 0; number < buckets.size(); number++) {
                boolean isLast = number == buckets.size() - 1;
                CollectiveResult result = sum(buckets.get(number), isLast, list.bucket(number), body, summed);
                contributors = Math.min(contributors, result.contributors());
                sent += result.bytesSent();
                count += result.count();
            }
            for (Summed back : summed) {
                pass(back.bucket, back.sum.bytes(), false);
            }
            return new CollectiveResult(contributors, sent, 0, count);
        } finally {
            summed.forEach(back -> buffers.give(back.sum));
        }
    }

    /** A tensor alone need not be gathered; in the last bucket, after which nothing can fail, nor kept apart. */
    private CollectiveResult sum(Bucket bucket, boolean isLast, TensorList of, Body body, List<Summed> summed)
            throws CollectiveException {
        boolean isAlone = bucket.end() - bucket.first() == 1;
        if (isAlone && isLast) {
            MemorySegment tensor = tensors.get(bucket.first());
            return body.run(tensor, tensor, of);
        }
        Buffers.Buffer buffer = buffers.take(bucket.bytes());
        summed.add(new Summed(bucket, buffer));
        if (isAlone && isUsable.test(tensors.get(bucket.first()))) {
            return body.run(tensors.get(bucket.first()), buffer.bytes(), of);
        }
        pass(bucket, buffer.bytes(), true);
        return body.run(buffer.bytes(), buffer.bytes(), of);
    }

    private void pass(Bucket bucket, MemorySegment memory, boolean in) {
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
