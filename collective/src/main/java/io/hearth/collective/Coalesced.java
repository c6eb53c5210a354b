package io.hearth.collective;

import io.hearth.collective.Buckets.Bucket;
import io.hearth.core.CollectiveException;
import io.hearth.core.DataType;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
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
    private final Cut cut;
    private final DataType type;

    /**
     * How a list is cut into buckets.
     *
     * @param bucketBytes most bytes of one
     * @param block elements; a tensor that is not alone begins at a multiple of so many
     * @param shapes of all tensors, or none
     */
    record Cut(long bucketBytes, int block, List<TensorShape> shapes) {}

    /**
     * A list.
     *
     * @param tensors stay the caller's
     * @param isUsable what is summed where it lies, and need not be copied for that
     * @throws IllegalArgumentException a tensor cannot be summed, or has another shape
     */
    Coalesced(List<MemorySegment> tensors, DataType type, Buffers buffers, Predicate<MemorySegment> isUsable, Cut cut) {
        var lengths = new ArrayList<Long>();
        for (MemorySegment tensor : tensors) {
            Tensors.demandWritable(tensor);
            lengths.add(Tensors.elements(tensor, type));
        }
        this.tensors = List.copyOf(tensors);
        this.list = TensorList.of(lengths);
        this.buffers = buffers;
        this.isUsable = isUsable;
        this.cut = cut;
        this.type = type;
        demandShapes(lengths);
    }

    private void demandShapes(List<Long> lengths) {
        if (!cut.shapes.isEmpty() && cut.shapes.size() != lengths.size()) {
            throw new IllegalArgumentException(cut.shapes.size() + " shapes for a list of " + lengths.size()
                    + " tensors: give one for each, or none");
        }
        for (int i = 0; i < cut.shapes.size(); i++) {
            SumPlans.demandFits(cut.shapes.get(i), lengths.get(i));
        }
    }

    /** A collective of one bucket. */
    interface Body {
        CollectiveResult run(MemorySegment input, MemorySegment output, TensorBucket bucket) throws CollectiveException;
    }

    /** A bucket whose sum is not where it belongs yet. */
    private record Summed(Bucket bucket, Buffers.Buffer sum) {}

    CollectiveResult run(Body body) throws CollectiveException {
        List<Bucket> buckets = tensors.isEmpty()
                ? List.of(new Bucket(0, 0, 0))
                : Buckets.of(tensors.stream().map(this::room).toList(), cut.bucketBytes);
        var summed = new ArrayList<Summed>();
        try {
            int contributors = Integer.MAX_VALUE;
            long sent = 0;
            for (int number = 0; number < buckets.size(); number++) {
                boolean isLast = number == buckets.size() - 1;
                Bucket bucket = buckets.get(number);
                var of = new TensorBucket(list.bucket(number), spans(bucket));
                CollectiveResult result = sum(bucket, isLast, of, body, summed);
                contributors = Math.min(contributors, result.contributors());
                sent += result.bytesSent();
            }
            for (Summed back : summed) {
                pass(back.bucket, back.sum.bytes(), false);
            }
            return new CollectiveResult(contributors, sent, 0, elements());
        } finally {
            summed.forEach(back -> buffers.give(back.sum));
        }
    }

    /** A tensor alone need not be gathered; in the last bucket, after which nothing can fail, nor kept apart. */
    private CollectiveResult sum(Bucket bucket, boolean isLast, TensorBucket of, Body body, List<Summed> summed)
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

    private long elements() {
        return tensors.stream().mapToLong(MemorySegment::byteSize).sum() / type.bytes();
    }

    /** Bytes of a tensor in a bucket, to where the next one begins. */
    private long room(MemorySegment tensor) {
        long block = (long) cut.block * type.bytes();
        return Math.ceilDiv(tensor.byteSize(), block) * block;
    }

    private List<TensorBucket.Span> spans(Bucket bucket) {
        var spans = new ArrayList<TensorBucket.Span>();
        long at = 0;
        for (int i = bucket.first(); i < bucket.end(); i++) {
            MemorySegment tensor = tensors.get(i);
            Optional<TensorShape> shape = cut.shapes.isEmpty() ? Optional.empty() : Optional.of(cut.shapes.get(i));
            spans.add(new TensorBucket.Span(at / type.bytes(), tensor.byteSize() / type.bytes(), shape));
            at += room(tensor);
        }
        return spans;
    }

    private void pass(Bucket bucket, MemorySegment memory, boolean in) {
        long at = 0;
        for (int i = bucket.first(); i < bucket.end(); i++) {
            MemorySegment tensor = tensors.get(i);
            long end = at + room(tensor);
            MemorySegment part = memory.asSlice(at, tensor.byteSize());
            if (in) {
                part.copyFrom(tensor);
                memory.asSlice(at + tensor.byteSize(), end - at - tensor.byteSize())
                        .fill((byte) 0);
            } else {
                tensor.copyFrom(part);
            }
            at = end;
        }
    }
}
