package io.hearth.collective;

/**
 * State of an application whose size changes from step to step, such as the position of a sampler, a schedule or a random generator. Both
 * methods run inside {@link DistributedBackend#beginStep}, on the thread that calls it, and must make no collective.
 */
public interface StateBlob {
    /** The present state, at most as many bytes as were registered; not written to afterwards. */
    byte[] save();

    /** Takes over the state that the group's members saved; called only where this rank's shared state was replaced. */
    void load(byte[] saved);
}
