package io.hearth.scheduler;

/**
 * A training job, as it is submitted.
 *
 * @param submitId made by the caller; the same one in a repeated call
 * @param name unique
 * @param epochs how often all shards are completed
 * @param batch samples in a batch; 0 if unknown
 * @param samples in an epoch; 0 if unknown
 * @param path of the data set
 * @param size of the data set in bytes
 * @param shards 0 for one per node
 * @param seed of the random strategy
 */
public record JobSpec(
        String submitId,
        String name,
        Topology topology,
        ShardStrategy strategy,
        int epochs,
        int batch,
        long samples,
        String path,
        long size,
        int shards,
        long seed) {
    public JobSpec {
        Bounds.callerId(submitId);
        Bounds.jobName(name);
        Bounds.range("the number of epochs", 1, Bounds.EPOCHS_MAX, epochs);
        Bounds.range("the batch size", 0, Bounds.BATCH_MAX, batch);
        Bounds.range("the number of samples", 0, Long.MAX_VALUE / Bounds.EPOCHS_MAX, samples);
        Bounds.text("the path of the data set", path);
        Bounds.range("the size of the data set", 0, Long.MAX_VALUE, size);
        Bounds.range("the number of shards", 0, Bounds.SHARDS_MAX, shards);
    }

    /** The same job under another name. */
    public JobSpec named(String newName) {
        return new JobSpec(submitId, newName, topology, strategy, epochs, batch, samples, path, size, shards, seed);
    }

    /** The same job with so many shards. */
    public JobSpec withShards(int count) {
        return new JobSpec(submitId, name, topology, strategy, epochs, batch, samples, path, size, count, seed);
    }
}
