package io.hearth.collective;

import io.hearth.compression.CompressionStrategy;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Options of one collective. All ranks must choose the same compression and the same algorithms; deadline and key are each rank's own.
 *
 * @param deadline positive; the longest time until the call returns or throws. Empty: the backend's default
 * @param compression codec of float32 gradients on the wire; empty: the backend's default
 * @param allReduce algorithm of a sum, the same on all ranks; empty: as in the backend's configuration. Of the codecs, only block-wise
 *     quantisation has a choice, {@code RING} or {@code DIRECT}
 * @param broadcast algorithm from one rank to all; empty: as in the backend's configuration
 * @param reduce algorithm of a sum at one rank; empty: as in the backend's configuration
 * @param ownership each rank's part of the work in a {@code DIRECT} sum; nothing else uses it
 * @param key names the tensor, for the error feedback of lossy compression. Give one if a step reduces several tensors of one size. Empty:
 *     the size identifies the tensor; a second one of the same size between two {@code beginStep} is rejected if a compression would keep
 *     one memory for both
 * @param shapes of the call's tensors, for {@code powersgd}, the same on all ranks: one for each tensor of a list, one for a single tensor.
 *     A tensor of fewer than two dimensions is not compressed. None: each tensor is treated as a matrix as square as possible
 */
public record CollectiveOptions(
        Optional<Duration> deadline,
        Optional<CompressionStrategy> compression,
        Optional<AllReduceStrategy> allReduce,
        Optional<BroadcastStrategy> broadcast,
        Optional<ReduceStrategy> reduce,
        Ownership ownership,
        Optional<String> key,
        List<TensorShape> shapes) {
    /** Everything as in the backend's configuration. */
    public static final CollectiveOptions DEFAULTS = new CollectiveOptions(
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Ownership.EQUAL,
            Optional.empty(),
            List.of());

    private static final String BUCKET = "#";

    public CollectiveOptions {
        shapes = List.copyOf(shapes);
        if (deadline.isPresent() && !deadline.get().isPositive()) {
            throw new IllegalArgumentException("deadline must be positive, got " + deadline.get());
        }
    }

    /** The same with a deadline. */
    public CollectiveOptions within(Duration limit) {
        return new CollectiveOptions(
                Optional.of(limit), compression, allReduce, broadcast, reduce, ownership, key, shapes);
    }

    /** The same with a compression. */
    public CollectiveOptions as(CompressionStrategy chosen) {
        return new CollectiveOptions(
                deadline, Optional.of(chosen), allReduce, broadcast, reduce, ownership, key, shapes);
    }

    /** The same with another algorithm for sums. */
    public CollectiveOptions by(AllReduceStrategy way) {
        return new CollectiveOptions(
                deadline, compression, Optional.of(way), broadcast, reduce, ownership, key, shapes);
    }

    /** The same with another algorithm for broadcasts. */
    public CollectiveOptions by(BroadcastStrategy way) {
        return new CollectiveOptions(
                deadline, compression, allReduce, Optional.of(way), reduce, ownership, key, shapes);
    }

    /** The same with another algorithm for reductions to a root. */
    public CollectiveOptions by(ReduceStrategy way) {
        return new CollectiveOptions(
                deadline, compression, allReduce, broadcast, Optional.of(way), ownership, key, shapes);
    }

    /** The same with {@code DIRECT} sums, to owners of unequal parts. */
    public CollectiveOptions by(Ownership owners) {
        return new CollectiveOptions(
                deadline, compression, Optional.of(AllReduceStrategy.DIRECT), broadcast, reduce, owners, key, shapes);
    }

    /** The same for tensors of these shapes, in their order. */
    public CollectiveOptions shaped(TensorShape... shapes) {
        return new CollectiveOptions(
                deadline, compression, allReduce, broadcast, reduce, ownership, key, List.of(shapes));
    }

    /** The same for one of several buckets, each with error feedback of its own. */
    public CollectiveOptions forBucket(int number) {
        return new CollectiveOptions(
                deadline,
                compression,
                allReduce,
                broadcast,
                reduce,
                ownership,
                Optional.of(key.orElse("") + BUCKET + number),
                List.of());
    }

    /** Whether the caller named no tensor; the key that {@link #forBucket} adds does not count. */
    public boolean isUnnamed() {
        return key.map(name -> name.startsWith(BUCKET)).orElse(true);
    }

    /** The same for a named tensor. */
    public CollectiveOptions forTensor(String name) {
        return new CollectiveOptions(
                deadline, compression, allReduce, broadcast, reduce, ownership, Optional.of(name), shapes);
    }
}
