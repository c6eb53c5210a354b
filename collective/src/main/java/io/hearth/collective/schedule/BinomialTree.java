package io.hearth.collective.schedule;

/**
 * One position's place in a binomial tree: counted from the root, v's parent is v without its lowest bit, and its children are v +
 * 1, v + 2, v + 4, … below that bit. Child k's subtree holds the numbers from v + 2^k to v + 2^(k+1) - 1, so adding children in
 * rising order keeps contributions in the order of positions from the root on.
 *
 * <p>For reductions children are served in rising order and for broadcasts in falling order, the deepest subtree first. Each
 * transfer gets its level as a time, rising upwards and falling downwards; all of a member's transfers are in the order of these
 * times, so nobody waits in a circle.
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

    /** How the contribution of child {@code k}'s subtree is added. */
    static Transfer.Action action(long k) {
        return k == 0 ? Transfer.Action.COMBINE_WITH_INPUT : Transfer.Action.COMBINE;
    }

    private int number() {
        return Segments.around(position, -root, world);
    }
}
