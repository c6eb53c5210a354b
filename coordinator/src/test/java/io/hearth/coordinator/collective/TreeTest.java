package io.hearth.coordinator.collective;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Trees carry what they should, compared with plain sums. */
final class TreeTest {
    /** Groups, as the group of each rank. */
    static Stream<Arguments> groups() {
        return Stream.of(
                        List.of(0),
                        List.of(0, 0),
                        List.of(0, 1),
                        List.of(0, 0, 1),
                        List.of(0, 1, 1),
                        List.of(0, 1, 0, 1),
                        List.of(5, 5, 5, 2),
                        List.of(0, 0, 0, 1, 1),
                        List.of(2, 0, 1, 2, 2),
                        List.of(0, 1, 2, 3, 4))
                .flatMap(groups -> IntStream.range(0, groups.size()).mapToObj(root -> Arguments.of(groups, root)));
    }

    /** The sum and the number of workers that arrive at the root are those of all, each once; whatever the sizes of the groups. */
    @ParameterizedTest(name = "groups {0}, root {1}")
    @MethodSource("groups")
    void eachWorkerCountsOnce(List<Integer> groups, int root) {
        for (Tree tree : List.of(Tree.hierarchical(groups, root), Tree.star(groups.size(), root))) {
            int size = groups.size();
            long expected =
                    IntStream.range(0, size).mapToLong(rank -> 1L << rank).sum();
            assertEquals(root, tree.root());
            assertEquals(expected, sum(tree, root));
            assertEquals(size, weight(tree, root));
        }
    }

    private static long sum(Tree tree, int rank) {
        return (1L << rank)
                + tree.children(rank).stream()
                        .mapToLong(child -> sum(tree, child))
                        .sum();
    }

    private static int weight(Tree tree, int rank) {
        return 1
                + tree.children(rank).stream()
                        .mapToInt(child -> weight(tree, child))
                        .sum();
    }

    /** What the root has reaches everybody, also if the root leads no group; and only one worker of each other group calls out of it. */
    @ParameterizedTest(name = "groups {0}, root {1}")
    @MethodSource("groups")
    void fewCallsLeaveAGroup(List<Integer> groups, int root) {
        Tree tree = Tree.hierarchical(groups, root);
        var leaving = new HashSet<Integer>();
        for (int rank = 0; rank < groups.size(); rank++) {
            assertTrue(depth(tree, rank) <= 3, "rank " + rank);
            if (tree.parent(rank).isPresent()
                    && !groups.get(rank).equals(groups.get(tree.parent(rank).getAsInt()))) {
                assertTrue(leaving.add(groups.get(rank)), "two of group " + groups.get(rank));
            }
        }
        assertEquals(Set.copyOf(groups).size() - 1, leaving.size());
    }

    private static int depth(Tree tree, int rank) {
        return tree.parent(rank).isEmpty()
                ? 0
                : 1 + depth(tree, tree.parent(rank).getAsInt());
    }

    @Test
    void rootsAndGroupsAreChecked() {
        var plan = new Plan.Hierarchical(List.of(0, 0, 1));
        assertThrows(IllegalArgumentException.class, () -> plan.tree(4));
        assertThrows(IllegalArgumentException.class, () -> plan.tree(3, 3));
        assertThrows(IllegalArgumentException.class, () -> new Plan.Star().tree(3, -1));
        assertEquals(List.of(1, 2), plan.tree(3).children(0));
        assertEquals(List.of(0), new Plan.Ring().tree(2, 1).children(1));
    }
}
