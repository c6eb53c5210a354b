package io.hearth.collective.schedule;

/**
 * One position's parent and children in a binomial tree. Positions are numbered from the root. The parent of number v is v without its
 * lowest bit; its children are v + 1, v + 2, v + 4, … below that bit. The subtree of child k holds the numbers from v + 2^k to v + 2^(k+1)
 * - 1. So adding children in rising order keeps contributions in the order of positions from the root on.
 *
 * <p>Reductions serve children in rising order; broadcasts serve them in falling order, the deepest subtree first. Take each transfer's
 * level as a time, rising on the way up and falling on the way down. All of a member's transfers are in the order of these times, so
 * members cannot wait for each other in a cycle.
 */
record BinomialTree(int position, int world, int root) {
    boolean isRoot() {
        return position == root;
    }

    /** Edges to the parent: 1, for the root 0. */
    int parents() {
        return isRoot() ? 0 : 1;
    }

    int children() {
        int number = number();
        int below = isRoot() ? world : Math.min(Integer.lowestOneBit(number), world - number);
        return below <= 1 ? 0 : 32 - Integer.numberOfLeadingZeros(below - 1);
    }

    /** Position of the parent; not for the root. */
    int parent() {
        int number = number();
        return Segments.around(root, number - Integer.lowestOneBit(number), world);
    }

    /** Position of child {@code k}, from 0. */
    int child(long k) {
        return Segments.around(root, number() + (1L << k), world);
    }

    /** The action that adds the contribution of child {@code k}'s subtree. */
    static Transfer.Action action(long k) {
        return k == 0 ? Transfer.Action.COMBINE_WITH_INPUT : Transfer.Action.COMBINE;
    }

    private int number() {
        return Segments.around(position, -root, world);
    }
}
