package io.hearth.topology;

import io.hearth.identity.Labels;

/**
 * What a node says about its machine, once, after it was admitted. For people and for planning; nothing here is proven, so
 * nothing that matters may rest on it. Texts lose control, escape and bidi
 * characters on the way in and are cut to 63 characters.
 *
 * @param label name that people gave the machine
 * @param os name and version of the operating system
 * @param arch processor architecture as Java calls it
 * @param cores processors that the node may use, 1 to {@value #CORES_MAX}
 * @param memoryBytes memory of the machine, or of the container that limits the node; 0 when not known
 * @param accelerator what reduces gradients, {@code vector-512} or {@code metal}
 * @param version of Hearth
 */
public record NodeProfile(
        String label, String os, String arch, int cores, long memoryBytes, String accelerator, String version) {
    /** More processors than any machine has. */
    public static final int CORES_MAX = 65_536;

    /** Of a machine that said nothing yet. */
    public static final NodeProfile UNKNOWN = new NodeProfile("", "", "", 1, 0, "", "");

    public NodeProfile {
        label = Labels.clean(label);
        os = Labels.clean(os);
        arch = Labels.clean(arch);
        accelerator = Labels.clean(accelerator);
        version = Labels.clean(version);
        if (cores < 1 || cores > CORES_MAX) {
            throw new IllegalArgumentException("a machine has 1 to " + CORES_MAX + " cores, got " + cores);
        }
        if (memoryBytes < 0) {
            throw new IllegalArgumentException("memory is 0 (not known) or more bytes, got " + memoryBytes);
        }
    }
}
