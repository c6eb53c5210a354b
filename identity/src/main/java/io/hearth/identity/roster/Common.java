package io.hearth.identity.roster;

import io.hearth.core.Bytes;
import java.util.Optional;

/** The secret that two machines have in common according to their key ids, seen from one of them. */
public enum Common {
    /** The present secret of both: they can link. */
    CURRENT,
    /** The other's present secret is the former one here: the other was away, and this machine can send it the new one. */
    PEER_IS_BEHIND,
    /** The present secret here is the other's former one: this machine was away. */
    PEER_IS_AHEAD,
    /** Only the former secret of both: two members made two secrets of one generation. */
    DIVERGED,
    /** No secret that both still have. */
    NONE;

    /** Whether the common secret is the former one here. */
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
