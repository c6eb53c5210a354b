package io.hearth.topology;

import io.hearth.identity.Labels;

/**
 * The description that a node sends of its machine: after it was admitted, and again when its load changed notably. For people and for
 * planning. None of it is proven, so no security decision may depend on it. The constructor removes control, escape and bidi characters
 * from texts and cuts them to 63 characters.
 *
 * @param label the machine's name for people
 * @param os name and version of the operating system
 * @param arch processor architecture as Java calls it
 * @param cores processors that the node may use, 1 to {@value #CORES_MAX}
 * @param memoryBytes memory of the machine, or of the container that limits the node; 0 when not known
 * @param accelerator name of the reducer, such as {@code vector-512} or {@code metal}
 * @param version of Hearth
 * @param chip name of the processor, as its maker calls it; empty when not known
 * @param load what changes while the machine runs
 */
public record NodeProfile(
        String label,
        String os,
        String arch,
        int cores,
        long memoryBytes,
        String accelerator,
        String version,
        String chip,
        NodeLoad load) {
    /** Upper bound of processors: more than any machine has. */
    public static final int CORES_MAX = 65_536;

    /** The profile of a machine that did not send one yet. */
    public static final NodeProfile UNKNOWN = new NodeProfile("", "", "", 1, 0, "", "");

    public NodeProfile {
        label = Labels.clean(label);
        os = Labels.clean(os);
        arch = Labels.clean(arch);
        accelerator = Labels.clean(accelerator);
        version = Labels.clean(version);
        chip = Labels.clean(chip);
        if (cores < 1 || cores > CORES_MAX) {
            throw new IllegalArgumentException("a machine must have 1 to " + CORES_MAX + " cores, got " + cores);
        }
        if (memoryBytes < 0) {
            throw new IllegalArgumentException("memory must be 0 (not known) or more bytes, got " + memoryBytes);
        }
    }

    /** A profile without chip and load, as nodes of former versions send it. */
    public NodeProfile(
            String label, String os, String arch, int cores, long memoryBytes, String accelerator, String version) {
        this(label, os, arch, cores, memoryBytes, accelerator, version, "", NodeLoad.NONE);
    }

    /** With another name for people. */
    public NodeProfile named(String newLabel) {
        return new NodeProfile(newLabel, os, arch, cores, memoryBytes, accelerator, version, chip, load);
    }

    /** With the name of the processor. */
    public NodeProfile onChip(String newChip) {
        return new NodeProfile(label, os, arch, cores, memoryBytes, accelerator, version, newChip, load);
    }

    /** With a newer load. */
    public NodeProfile loaded(NodeLoad newest) {
        return new NodeProfile(label, os, arch, cores, memoryBytes, accelerator, version, chip, newest);
    }
}
