package io.hearth.transport.control;

import io.hearth.transport.machine.LinkName;
import java.util.Optional;

/**
 * A link that another connection shall replace, because nothing arrives on it any more.
 *
 * @param bytesIn that had arrived on it when the other connection was dialled
 */
public record SilentLink(Link link, long bytesIn) {
    /** The link, as of now. */
    public static SilentLink of(Link link) {
        return new SilentLink(link, link.info().bytesIn());
    }

    Optional<LinkName> name() {
        return link.node().name();
    }

    /** Whether nothing arrived on it since. */
    boolean isSilent() {
        return link.info().bytesIn() == bytesIn;
    }
}
