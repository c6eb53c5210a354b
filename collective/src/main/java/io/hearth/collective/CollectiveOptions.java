package io.hearth.collective;

import io.hearth.compression.CompressionStrategy;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * How one collective is to be done. All ranks must choose the same compression and the same ways; deadline and key are each rank's own.
 *
 * @param deadline positive; the longest time until the call returns or throws. Empty: the backend's default
 * @param compression how float32 gradients cross the wire; empty: the backend's default
 * @param allReduce how a sum travels, the same on all ranks; empty: as the backend has it. Of what is compressed, only block-wise quantised values can go more than one
 *     way, {@code RING} and {@code DIRECT}
 * @param broadcast how the bytes of one travel to all; empty: as the backend has it
 * @param reduce how a sum travels to one; empty: as the backend has it
 * @param ownership which part of the work each rank has where a sum goes {@code DIRECT}; nothing else looks at it
 * @param key names the tensor whose error feedback this is, for lossy compression. Give one where a step reduces several tensors of
 *     one size; empty: tensors are told apart by their size, and a second one of a size between two {@code beginStep} is refused where a
 *     compression would remember both as one
 * @param shapes of the call's tensors, for {@code powersgd}, the same on all ranks: one for each tensor of a list, one for a tensor alone. What
 *     has fewer than two dimensions is not compressed. None: each tensor is taken as square as can be
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
    /** Everything as the backend has it. */
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
            throw new IllegalArgumentException("a deadline is positive, got " + deadline.get());
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

    /** The same with another way for sums. */
    public CollectiveOptions by(AllReduceStrategy way) {
        return new CollectiveOptions(
                deadline, compression, Optional.of(way), broadcast, reduce, ownership, key, shapes);
    }

    /** The same with another way from one to all. */
    public CollectiveOptions by(BroadcastStrategy way) {
        return new CollectiveOptions(
                deadline, compression, allReduce, Optional.of(way), reduce, ownership, key, shapes);
    }

    /** The same with another way from all to one. */
    public CollectiveOptions by(ReduceStrategy way) {
        return new CollectiveOptions(
                deadline, compression, allReduce, broadcast, Optional.of(way), ownership, key, shapes);
    }

    /** The same with sums that go {@code DIRECT}, to owners of unequal parts. */
    public CollectiveOptions by(Ownership owners) {
        return new CollectiveOptions(
                deadline, compression, Optional.of(AllReduceStrategy.DIRECT), broadcast, reduce, owners, key, shapes);
    }

    /** The same for tensors of these shapes, in their order. */
    public CollectiveOptions shaped(TensorShape... shapes) {
        return new CollectiveOptions(
                deadline, compression, allReduce, broadcast, reduce, ownership, key, List.of(shapes));
    }

    /** The same for one of several buckets, whose error feedback is its own. */
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

    /** Whether the caller gave no name, whatever {@link #forBucket} made of that. */
    public boolean isUnnamed() {
        return key.map(name -> name.startsWith(BUCKET)).orElse(true);
    }

    /** The same for a named tensor. */
    public CollectiveOptions forTensor(String name) {
        return new CollectiveOptions(
                deadline, compression, allReduce, broadcast, reduce, ownership, Optional.of(name), shapes);
    }
}
