package io.hearth.topology;

import io.hearth.identity.Labels;

/**
 * An interface of this machine.
 *
 * @param name as the operating system calls it
 * @param kind its class
 * @param evidence the facts of the operating system from which the class follows, such as {@code type 1, device, driver igb, speed 2500};
 *     a speed in it is the nominal one in Mbit/s, not a measurement
 */
public record LocalInterface(String name, InterfaceClass kind, String evidence) {
    /** Most characters of the evidence. */
    public static final int EVIDENCE_CHARACTERS_MAX = 160;

    public LocalInterface {
        name = Labels.clean(name);
        evidence = Labels.clean(evidence, EVIDENCE_CHARACTERS_MAX);
    }

    /** An interface that the operating system says nothing about. */
    public static LocalInterface unknown(String name) {
        return new LocalInterface(name, InterfaceClass.OTHER, "");
    }
}
