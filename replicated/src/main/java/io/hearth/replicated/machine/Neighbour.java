package io.hearth.replicated.machine;

import io.hearth.replicated.ReplicaMessage.Announce;
import io.hearth.replicated.StoreId;
import java.util.Optional;

/**
 * Another node.
 *
 * @param changedNanos when the link came up or went down
 * @param announced its newest announcement over this link; that of a link that is gone until the next one comes up
 */
record Neighbour(boolean isLinked, long changedNanos, Optional<Announce> announced) {
    /** Whether it announced that it holds a copy of this store, in this seat. */
    boolean holds(StoreId store, long seat) {
        return isLinked
                && announced
                        .filter(said -> said.seat() == seat
                                && said.held()
                                        .filter(held -> held.store().equals(store))
                                        .isPresent())
                        .isPresent();
    }
}
