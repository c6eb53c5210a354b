package io.hearth.scheduler.rule;

import io.hearth.scheduler.NodeSpec;

/** How well a node suits a data set: half by nearness, 0.3 by load, 0.2 by GPUs. */
public final class NodeScore {
    private static final double UNKNOWN_LOCALITY = 0.1;
    private static final double LOAD_MAX = 10;
    private static final double GPUS_MAX = 8;

    private NodeScore() {}

    /**
     * The score, 0.05 to 1.
     *
     * @param locality 0 to 1; 0 counts as 0.1
     * @param load 10 and more count as full
     * @param gpus 8 and more count alike
     */
    public static double of(double locality, double load, int gpus) {
        double near = locality == 0 ? UNKNOWN_LOCALITY : locality;
        double free = Math.clamp(1 - load / LOAD_MAX, 0, 1);
        double hardware = Math.min(1, gpus / GPUS_MAX);
        return near * 0.5 + free * 0.3 + hardware * 0.2;
    }

    /** The score of a node for the data set at a path. */
    public static double of(NodeSpec node, String path, double load) {
        return of(
                node.localities().getOrDefault(path, 0.0),
                load,
                node.capabilities().gpus());
    }
}
