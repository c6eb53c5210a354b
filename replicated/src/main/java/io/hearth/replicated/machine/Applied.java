package io.hearth.replicated.machine;

import io.hearth.core.Bytes;
import io.hearth.replicated.Position;
import io.hearth.replicated.Replicas;
import io.hearth.replicated.StoreId;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * The state of a store after its committed entries.
 *
 * @param at the newest committed entry that this replica knows
 * @param replicas the newest committed configuration
 * @param absorbed stores whose states are part of this one
 * @param absorbing the parts of the next one so far
 * @param into the better store into which this one ended
 * @param state of the application
 */
public record Applied<S>(
        Position at,
        Replicas replicas,
        Sessions sessions,
        SortedSet<StoreId> absorbed,
        Optional<Parts> absorbing,
        Optional<StoreId> into,
        S state) {
    /**
     * The first parts of another store's state.
     *
     * @param total bytes of all parts
     */
    record Parts(StoreId store, int total, List<Bytes> list) {
        Parts {
            list = List.copyOf(list);
        }

        int size() {
            return list.stream().mapToInt(Bytes::size).sum();
        }

        Parts plus(Bytes next) {
            var more = new ArrayList<>(list);
            more.add(next);
            return new Parts(store, total, more);
        }
    }

    public Applied {
        absorbed = Collections.unmodifiableSortedSet(new TreeSet<>(absorbed));
    }

    Applied<S> at(Position position) {
        return new Applied<>(position, replicas, sessions, absorbed, absorbing, into, state);
    }

    Applied<S> replicas(Replicas changed) {
        return new Applied<>(at, changed, sessions, absorbed, absorbing, into, state);
    }

    Applied<S> endedInto(StoreId better) {
        return new Applied<>(at, replicas, sessions, absorbed, absorbing, Optional.of(better), state);
    }

    Applied<S> absorbing(Parts parts) {
        return new Applied<>(at, replicas, sessions, absorbed, Optional.of(parts), into, state);
    }

    Applied<S> command(Sessions changed, S next) {
        return new Applied<>(at, replicas, changed, absorbed, absorbing, into, next);
    }
}
