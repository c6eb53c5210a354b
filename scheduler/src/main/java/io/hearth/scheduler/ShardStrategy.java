package io.hearth.scheduler;

/** How shards are placed on nodes. */
public enum ShardStrategy implements Numbered {
    /** Taken as locality-aware. */
    UNKNOWN(0),
    /** One after the other. */
    ROUND_ROBIN(1),
    /** The nodes with the best scores get the remainder. */
    LOCALITY_AWARE(2),
    /** By a hash of the shard's id. */
    HASH_BASED(3),
    /** By chance, from the seed of the job. */
    RANDOM(4),
    /** As the job says. */
    CUSTOM(5);

    private final int number;

    ShardStrategy(int number) {
        this.number = number;
    }

    @Override
    public int number() {
        return number;
    }
}
