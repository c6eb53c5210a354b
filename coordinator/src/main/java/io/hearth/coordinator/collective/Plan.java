package io.hearth.coordinator.collective;

import io.hearth.coordinator.Exchange;
import java.util.List;

/** How workers average. Barriers and broadcasts go along a {@link Tree}. */
public sealed interface Plan {
    /** All workers send their values to rank 0, which sends the mean back. */
    record Star() implements Plan {}

    /**
     * The workers of a group, for example of one machine, send their values to the lowest rank of the group, its leader. The leaders send
     * sums to rank 0.
     *
     * @param groups the group of each rank; any numbers
     */
    record Hierarchical(List<Integer> groups) implements Plan {
        public Hierarchical {
            groups = List.copyOf(groups);
        }
    }

    /** Each worker sends parts to the next one, so no link carries more than another. */
    record Ring() implements Plan {}

    /** The caller's own average. */
    record Own(Exchange exchange) implements Plan {}

    /** The tree of barriers and averages. */
    default Tree tree(int size) {
        return tree(size, 0);
    }

    /**
     * The tree of broadcasts from a rank.
     *
     * @throws IllegalArgumentException if there is no such rank, or the plan is for another number of workers
     */
    default Tree tree(int size, int root) {
        return this instanceof Hierarchical hierarchical
                ? Tree.hierarchical(checked(hierarchical.groups(), size), root)
                : Tree.star(size, root);
    }

    private static List<Integer> checked(List<Integer> groups, int size) {
        if (groups.size() != size) {
            throw new IllegalArgumentException(
                    "there are " + size + " workers, but groups for " + groups.size() + ": name one for each rank");
        }
        return groups;
    }
}
