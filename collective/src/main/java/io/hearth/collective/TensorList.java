package io.hearth.collective;

import io.hearth.collective.schedule.SplitMix;
import java.util.List;
import java.util.stream.Collectors;

/**
 * The list of tensors that a rank sums, and the bucket of it that a call carries. Two buckets of one size may hold different tensors, so
 * ranks compare their whole lists with each bucket.
 *
 * @param bucket from 0
 * @param tensors number of tensors in the list, 0 or more
 * @param first lengths of the first tensors, at most {@link #FIRST_MAX} of them, in elements; for messages
 * @param digest of the lengths of all tensors
 */
public record TensorList(int bucket, int tensors, List<Long> first, long digest) {
    /** Most lengths that are listed one by one. */
    public static final int FIRST_MAX = 6;

    public TensorList {
        first = List.copyOf(first);
        if (bucket < 0 || tensors < 0 || first.size() != Math.min(tensors, FIRST_MAX)) {
            throw new IllegalArgumentException("need bucket and tensors of 0 or more and the lengths of the first "
                    + FIRST_MAX + " tensors, got bucket " + bucket + ", " + tensors + " tensors and " + first.size()
                    + " lengths");
        }
        if (first.stream().anyMatch(length -> length < 0 || length > Tensor.BYTES_MAX)) {
            throw new IllegalArgumentException(
                    "a tensor's length must be 0 to " + Tensor.BYTES_MAX + " elements, got " + first);
        }
    }

    /**
     * The first bucket of a list.
     *
     * @param lengths elements of each tensor, 0 or more
     */
    public static TensorList of(List<Long> lengths) {
        long digest = 0;
        for (long length : lengths) {
            digest = SplitMix.mix(digest + length + 1);
        }
        return new TensorList(0, lengths.size(), lengths.subList(0, Math.min(lengths.size(), FIRST_MAX)), digest);
    }

    /** The bucket of this number of the same list. */
    public TensorList bucket(int number) {
        return new TensorList(number, tensors, first, digest);
    }

    /** One phrase for messages. */
    String text() {
        String lengths = first.stream().map(String::valueOf).collect(Collectors.joining(", "));
        String rest = tensors > FIRST_MAX ? ", … (all: %016x)".formatted(digest) : "";
        return switch (tensors) {
            case 0 -> "an empty list";
            case 1 -> "a list of one tensor of " + lengths;
            default -> "bucket " + (bucket + 1) + " of a list of " + tensors + " tensors of " + lengths + rest;
        };
    }
}
