package io.hearth.transport;

import io.hearth.core.Bytes;
import java.util.Optional;

/**
 * One start of a node as another node met it.
 *
 * @param slot of the node
 * @param incarnation of that start
 * @param systemBoot of the computer that it runs on, as it said; empty if unknown
 * @param address where it was met, for people; empty if that is the address of whoever tells
 */
public record Appearance(String slot, long incarnation, Optional<Bytes> systemBoot, String address) {
    public static Appearance of(Endpoint endpoint, String address) {
        return new Appearance(endpoint.id().slot(), endpoint.incarnation(), endpoint.systemBoot(), address);
    }

    /** The same start, met there. */
    public Appearance at(String where) {
        return new Appearance(slot, incarnation, systemBoot, where);
    }

    /** Whether {@code endpoint}, which has the same identity, cannot be of this one's computer. */
    public boolean isForeignTo(Endpoint endpoint) {
        return endpoint.isElsewhere(systemBoot)
                || (slot.equals(endpoint.id().slot()) && incarnation != endpoint.incarnation());
    }
}
