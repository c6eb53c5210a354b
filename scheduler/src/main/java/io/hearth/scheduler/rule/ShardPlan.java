package io.hearth.scheduler.rule;

/**
 * The shards of a data set: shard i has the bytes from {@code i * s} to before {@code (i + 1) * s}, with s = size / count; the last one
 * has the rest. A data set that is smaller than the number of shards has shards of 0 bytes.
 */
public final class ShardPlan {
    private ShardPlan() {}

    /** The id of a shard. */
    public static String id(String job, int index) {
        return job + "_shard_" + index;
    }

    /** The first byte of a shard. */
    public static long start(long size, int count, int index) {
        return size / count * index;
    }

    /** The first byte behind a shard. */
    public static long end(long size, int count, int index) {
        return index == count - 1 ? size : start(size, count, index + 1);
    }
}
