package io.hearth.coordinator.collective;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.TreeMap;

/** The calls between workers: each worker but the root calls its parent, which answers when the root has answered it. */
public final class Tree {
    private final int root;
    private final List<Integer> parents; // the root's own is itself

    private Tree(int root, List<Integer> parents) {
        this.root = root;
        this.parents = List.copyOf(parents);
    }

    /** All workers call the root. */
    static Tree star(int size, int root) {
        checkRoot(size, root);
        var parents = new ArrayList<Integer>();
        for (int rank = 0; rank < size; rank++) {
            parents.add(root);
        }
        return new Tree(root, parents);
    }

    /**
     * The workers of a group call its lowest rank, the leader; leaders call the leader of the root's group, which calls the root if it is
     * another worker.
     */
    static Tree hierarchical(List<Integer> groups, int root) {
        checkRoot(groups.size(), root);
        var leaders = new TreeMap<Integer, Integer>();
        for (int rank = 0; rank < groups.size(); rank++) {
            leaders.putIfAbsent(groups.get(rank), rank);
        }
        int first = leaders.getOrDefault(groups.get(root), root);
        var parents = new ArrayList<Integer>();
        for (int rank = 0; rank < groups.size(); rank++) {
            int leader = leaders.getOrDefault(groups.get(rank), rank);
            int above = rank == leader ? first : leader;
            parents.add(rank == root || rank == first ? root : above);
        }
        return new Tree(root, parents);
    }

    private static void checkRoot(int size, int root) {
        if (root < 0 || root >= size) {
            throw new IllegalArgumentException("rank " + root + " is not one of " + size + " workers");
        }
    }

    public int size() {
        return parents.size();
    }

    public int root() {
        return root;
    }

    /** The parent that a rank calls; empty for the root. */
    public OptionalInt parent(int rank) {
        return rank == root ? OptionalInt.empty() : OptionalInt.of(parents.get(rank));
    }

    /** The ranks that call a rank, in order. */
    public List<Integer> children(int rank) {
        var children = new ArrayList<Integer>();
        for (int other = 0; other < parents.size(); other++) {
            if (other != root && parents.get(other) == rank) {
                children.add(other);
            }
        }
        return children;
    }
}
