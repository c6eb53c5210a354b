package io.hearth.identity.roster;

import io.hearth.core.Bytes;
import java.util.Optional;

/** Which secret two machines have in common, as far as their key ids say, seen from one of them. */
public enum Common {
    /** The present one of both: they can link. */
    CURRENT,
    /** The other's present one is the former one here: it was away, and can be given the new one. */
    PEER_IS_BEHIND,
    /** The present one here is the other's former one: this machine was away. */
    PEER_IS_AHEAD,
    /** Only the former one of both: two members made two secrets of one generation. */
    DIVERGED,
    /** None that both still have. */
    NONE;

    /** Whether the present or the former secret here is the one that both have. */
    public boolean isFormerHere() {
        return this == PEER_IS_BEHIND || this == DIVERGED;
    }

    /** Compares key ids. */
    public static Common of(Bytes own, Optional<Bytes> ownFormer, Bytes others, Optional<Bytes> othersFormer) {
        if (own.equals(others)) {
            return CURRENT;
        }
        if (ownFormer.equals(Optional.of(others))) {
            return PEER_IS_BEHIND;
        }
        if (othersFormer.equals(Optional.of(own))) {
            return PEER_IS_AHEAD;
        }
        return ownFormer.isPresent() && ownFormer.equals(othersFormer) ? DIVERGED : NONE;
    }
}
