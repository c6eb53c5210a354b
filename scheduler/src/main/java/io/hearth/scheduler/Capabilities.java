package io.hearth.scheduler;

/**
 * The hardware of a node, as it measured it.
 *
 * @param gpus at least 0
 * @param gpuMemory bytes, unsigned
 * @param systemMemory bytes, unsigned
 * @param networkBandwidth bytes per second, unsigned
 * @param storageBandwidth bytes per second, unsigned
 */
public record Capabilities(int gpus, long gpuMemory, long systemMemory, long networkBandwidth, long storageBandwidth) {
    /** Nothing is known. */
    public static final Capabilities NONE = new Capabilities(0, 0, 0, 0, 0);

    public Capabilities {
        Bounds.range("the number of GPUs", 0, Integer.MAX_VALUE, gpus);
    }
}
