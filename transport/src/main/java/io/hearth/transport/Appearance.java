package io.hearth.transport;

import io.hearth.core.Bytes;
import java.util.Optional;

/**
 * One start of a node as another node saw it.
 *
 * @param slot of the node
 * @param incarnation of that start
 * @param systemBoot of the computer that it runs on, as the node claims; empty if unknown
 * @param address address at which it was seen, for people; empty if that is the sender's own address
 */
public record Appearance(String slot, long incarnation, Optional<Bytes> systemBoot, String address) {
    public static Appearance of(Endpoint endpoint, String address) {
        return new Appearance(endpoint.id().slot(), endpoint.incarnation(), endpoint.systemBoot(), address);
    }

    /** The same start, seen at {@code where}. */
    public Appearance at(String where) {
        return new Appearance(slot, incarnation, systemBoot, where);
    }

    /** Whether {@code endpoint}, which has the same identity, must be on another computer. */
    public boolean isForeignTo(Endpoint endpoint) {
        return endpoint.isElsewhere(systemBoot)
                || (slot.equals(endpoint.id().slot()) && incarnation != endpoint.incarnation());
    }
}
