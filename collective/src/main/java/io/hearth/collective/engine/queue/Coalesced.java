package io.hearth.collective.engine.queue;

import io.hearth.collective.CollectiveOptions;
import io.hearth.collective.CollectiveResult;
import io.hearth.collective.Tensor;
import io.hearth.collective.TensorList;
import io.hearth.collective.TensorShape;
import io.hearth.collective.engine.queue.Buckets.Bucket;
import io.hearth.collective.exchange.Buffers;
import io.hearth.collective.sum.SumPlans;
import io.hearth.collective.sum.TensorBucket;
import io.hearth.core.CollectiveException;
import io.hearth.core.DataType;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.IntStream;

/**
 * Sums a list of tensors in {@link Buckets}. The tensors are written when all buckets have their sums, or not at all. An empty list
 * is one empty bucket, so that a rank without tensors gets an error where other ranks have some.
 */
public final class Coalesced {
    private final List<MemorySegment> tensors;
    private final TensorList list;
    private final Buffers buffers;
    private final Predicate<MemorySegment> isUsable;
    private final Cut cut;
    private final DataType type;

    /**
     * Rules for cutting a list into buckets.
     *
     * @param bucketBytes most bytes of a bucket
     * @param ways ways of all tensors; only tensors with equal ways share a bucket
     * @param shapes shapes of all tensors, or none
     */
    public record Cut(long bucketBytes, List<SumPlans.Way> ways, List<TensorShape> shapes) {
        /** The same rules for tensors in another order. */
        private Cut in(List<Integer> order) {
            return new Cut(
                    bucketBytes,
                    order.stream().map(ways::get).toList(),
                    shapes.isEmpty() ? shapes : order.stream().map(shapes::get).toList());
        }
    }

    /**
     * Creates the sum of a list.
     *
     * @param tensors borrowed; written by {@link #run}
     * @param isUsable whether memory can be summed where it lies, without a copy
     * @throws IllegalArgumentException if a tensor cannot be summed, or does not have its shape
     */
    public Coalesced(
            List<MemorySegment> tensors, DataType type, Buffers buffers, Predicate<MemorySegment> isUsable, Cut cut) {
        var lengths = new ArrayList<Long>();
        for (MemorySegment tensor : tensors) {
            Tensor.requireWritable(tensor);
            lengths.add(Tensor.elements(tensor, type));
        }
        requireShapes(cut, lengths);
        List<Integer> order = order(cut.ways);
        this.tensors = order.stream().map(tensors::get).toList();
        this.list = TensorList.of(lengths);
        this.buffers = buffers;
        this.isUsable = isUsable;
        this.cut = cut.in(order);
        this.type = type;
    }

    /** The order in which tensors with equal ways follow one another. */
    private static List<Integer> order(List<SumPlans.Way> ways) {
        return ways.stream()
                .distinct()
                .flatMap(way -> IntStream.range(0, ways.size())
                        .filter(i -> ways.get(i).equals(way))
                        .boxed())
                .toList();
    }

    private static void requireShapes(Cut cut, List<Long> lengths) {
        if (!cut.shapes.isEmpty() && cut.shapes.size() != lengths.size()) {
            throw new IllegalArgumentException(cut.shapes.size() + " shapes for a list of " + lengths.size()
                    + " tensors: give one for each, or none");
        }
        for (int i = 0; i < cut.shapes.size(); i++) {
            SumPlans.requireFits(cut.shapes.get(i), lengths.get(i));
        }
    }

    /** Runs the collective of one bucket, whose tensors all have the options {@code how}. */
    public interface Body {
        CollectiveResult run(MemorySegment input, MemorySegment output, TensorBucket bucket, CollectiveOptions how)
                throws CollectiveException;
    }

    private interface Sum {
        CollectiveResult of(MemorySegment input, MemorySegment output) throws CollectiveException;
    }

    private List<Bucket> buckets() {
        if (tensors.isEmpty()) {
            return List.of(new Bucket(0, 0, 0));
        }
        var buckets = new ArrayList<Bucket>();
        int end;
        for (int first = 0; first < tensors.size(); first = end) {
            end = first + 1;
            while (end < tensors.size() && cut.ways.get(end).equals(cut.ways.get(first))) {
                end++;
            }
            var rooms = IntStream.range(first, end).mapToObj(this::room).toList();
            for (Bucket bucket : Buckets.of(rooms, cut.bucketBytes)) {
                buckets.add(new Bucket(first + bucket.first(), first + bucket.end(), bucket.bytes()));
            }
        }
        return buckets;
    }

    /** A bucket whose sum is not yet in its tensors. */
    private record Summed(Bucket bucket, Buffers.Buffer sum) {}

    /** Sums all buckets; {@code how} applies to an empty list. */
    public CollectiveResult run(CollectiveOptions how, Body body) throws CollectiveException {
        List<Bucket> buckets = buckets();
        var summed = new ArrayList<Summed>();
        try {
            int contributors = Integer.MAX_VALUE;
            long sent = 0;
            for (int i = 0; i < buckets.size(); i++) {
                int number = i;
                boolean isLast = number == buckets.size() - 1;
                Bucket bucket = buckets.get(number);
                var of = new TensorBucket(list.bucket(number), spans(bucket));
                CollectiveOptions own =
                        tensors.isEmpty() ? how : cut.ways.get(bucket.first()).how();
                CollectiveResult result = sum(
                        bucket, isLast, summed, (input, output) -> body.run(input, output, of, own.forBucket(number)));
                contributors = Math.min(contributors, result.contributors());
                sent += result.bytesSent();
            }
            for (Summed back : summed) {
                copy(back.bucket, back.sum.bytes(), false);
            }
            return new CollectiveResult(contributors, sent, 0, elements());
        } finally {
            summed.forEach(back -> buffers.give(back.sum));
        }
    }

    /**
     * Sums one bucket. A single tensor is not copied into a bucket. In the last bucket, it is also summed in place, because nothing
     * can fail afterwards.
     */
    private CollectiveResult sum(Bucket bucket, boolean isLast, List<Summed> summed, Sum body)
            throws CollectiveException {
        boolean isAlone = bucket.end() - bucket.first() == 1;
        if (isAlone && isLast) {
            MemorySegment tensor = tensors.get(bucket.first());
            return body.of(tensor, tensor);
        }
        Buffers.Buffer buffer = buffers.take(bucket.bytes());
        summed.add(new Summed(bucket, buffer));
        if (isAlone && isUsable.test(tensors.get(bucket.first()))) {
            return body.of(tensors.get(bucket.first()), buffer.bytes());
        }
        copy(bucket, buffer.bytes(), true);
        return body.of(buffer.bytes(), buffer.bytes());
    }

    private long elements() {
        return tensors.stream().mapToLong(MemorySegment::byteSize).sum() / type.bytes();
    }

    /** Bytes of a tensor in a bucket, including the gap before the next one. */
    private long room(int tensor) {
        long block = (long) cut.ways.get(tensor).block() * type.bytes();
        return Math.ceilDiv(tensors.get(tensor).byteSize(), block) * block;
    }

    private List<TensorBucket.Span> spans(Bucket bucket) {
        var spans = new ArrayList<TensorBucket.Span>();
        long at = 0;
        for (int i = bucket.first(); i < bucket.end(); i++) {
            MemorySegment tensor = tensors.get(i);
            Optional<TensorShape> shape = cut.shapes.isEmpty() ? Optional.empty() : Optional.of(cut.shapes.get(i));
            spans.add(new TensorBucket.Span(at / type.bytes(), tensor.byteSize() / type.bytes(), shape));
            at += room(i);
        }
        return spans;
    }

    private void copy(Bucket bucket, MemorySegment memory, boolean in) {
        long at = 0;
        for (int i = bucket.first(); i < bucket.end(); i++) {
            MemorySegment tensor = tensors.get(i);
            long end = at + room(i);
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
