package io.hearth.collective;

import io.hearth.collective.schedule.SplitMix;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Which list of tensors a rank sums, and which bucket of it a call carries. Buckets of one size may hold other tensors, so ranks
 * compare their whole lists, with each bucket.
 *
 * @param bucket from 0
 * @param tensors how many the list has, 0 or more
 * @param first elements of the first ones, at most {@link #FIRST_MAX}: for people
 * @param digest of the lengths of all
 */
public record TensorList(int bucket, int tensors, List<Long> first, long digest) {
    /** Most lengths that are told one by one. */
    public static final int FIRST_MAX = 6;

    public TensorList {
        first = List.copyOf(first);
        if (bucket < 0 || tensors < 0 || first.size() != Math.min(tensors, FIRST_MAX)) {
            throw new IllegalArgumentException("no list of " + tensors + " tensors has a bucket " + bucket + " and "
                    + first.size() + " first ones");
        }
        if (first.stream().anyMatch(length -> length < 0 || length > Tensor.BYTES_MAX)) {
            throw new IllegalArgumentException("a tensor has 0 to " + Tensor.BYTES_MAX + " elements, got " + first);
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

    /** The same list's bucket of this number. */
    public TensorList bucket(int number) {
        return new TensorList(number, tensors, first, digest);
    }

    /** For people: one phrase. */
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
