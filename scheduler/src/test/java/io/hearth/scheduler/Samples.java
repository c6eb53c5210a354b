package io.hearth.scheduler;

/** Jobs for tests. */
public final class Samples {
    private Samples() {}

    /** A job of all-reduce over 1,000 bytes. */
    public static JobSpec job(String name, int epochs, int shards) {
        return job(name, epochs, shards, ShardStrategy.ROUND_ROBIN);
    }

    public static JobSpec job(String name, int epochs, int shards, ShardStrategy strategy) {
        return new JobSpec(
                "submit-" + name, name, Topology.ALL_REDUCE, strategy, epochs, 32, 1_000, "/data", 1_000, shards, 7);
    }
}
