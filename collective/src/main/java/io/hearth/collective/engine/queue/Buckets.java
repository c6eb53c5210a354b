package io.hearth.collective.engine.queue;

import java.util.ArrayList;
import java.util.List;

/**
 * Cuts lists of tensors into buckets that travel together, because a small tensor that travels alone costs a round trip. Li et al.,
 * "PyTorch Distributed: experiences on accelerating data parallel training", VLDB 2020.
 */
final class Buckets {
    private Buckets() {}

    /**
     * A bucket of consecutive tensors.
     *
     * @param first index of the first one
     * @param end index after the last one
     * @param bytes of all of them
     */
    record Bucket(int first, int end, long bytes) {}

    /**
     * Cuts a list of tensors, in order, into as few buckets as possible. A tensor larger than {@code bytesMax} has its own bucket.
     *
     * @param sizes in bytes, 0 or more
     * @param bytesMax of a bucket, positive
     */
    static List<Bucket> of(List<Long> sizes, long bytesMax) {
        var buckets = new ArrayList<Bucket>();
        int first = 0;
        long bytes = 0;
        for (int i = 0; i < sizes.size(); i++) {
            if (i > first && sizes.get(i) > bytesMax - bytes) {
                buckets.add(new Bucket(first, i, bytes));
                first = i;
                bytes = 0;
            }
            bytes += sizes.get(i);
        }
        if (first < sizes.size()) {
            buckets.add(new Bucket(first, sizes.size(), bytes));
        }
        return buckets;
    }
}
