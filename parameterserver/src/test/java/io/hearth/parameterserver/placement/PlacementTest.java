package io.hearth.parameterserver.placement;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Parts of parameters, and pieces. */
final class PlacementTest {
    /** The published test vectors of FNV-1a, 32 bits. */
    @Test
    void namesAreHashedByFnv1a() {
        assertEquals(0x811c9dc5, Placement.fnv1a(""));
        assertEquals(0xe40c292c, Placement.fnv1a("a"));
        assertEquals(0xbf9cf968, Placement.fnv1a("foobar"));
        assertEquals((int) (0xbf9cf968L % 7), Placement.byName("foobar", 7));
        assertEquals(0, Placement.byName("anything", 1));
    }

    @Test
    void sizesAreBalanced() {
        for (int seed = 0; seed < 200; seed++) {
            var random = new Random(seed);
            var sizes = new TreeMap<String, Integer>();
            for (int i = 0; i < 1 + random.nextInt(60); i++) {
                sizes.put("p" + i, 1 + random.nextInt(1_000_000));
            }
            int parts = 1 + random.nextInt(9);
            var places = Placement.bySize(sizes, parts);
            assertEquals(sizes.keySet(), places.keySet());
            long[] loads = new long[parts];
            sizes.forEach((name, size) -> loads[places.getOrDefault(name, 0)] += size);
            long total = sizes.values().stream().mapToLong(Integer::longValue).sum();
            int largest = sizes.values().stream().max(Integer::compare).orElseThrow();
            for (long load : loads) {
                assertTrue(load <= total / parts + largest, "seed " + seed);
            }
        }
    }

    @Test
    void piecesAreWholeElementsAndComeBackInOrder() {
        for (int seed = 0; seed < 200; seed++) {
            var random = new Random(seed);
            int element = random.nextBoolean() ? 4 : 8;
            byte[] whole = new byte[element * (1 + random.nextInt(500))];
            random.nextBytes(whole);
            int bound = element + random.nextInt(300);
            var pieces = Splitting.pieces("w", whole.length, element, bound);
            for (var piece : pieces) {
                assertTrue(piece.size() > 0 && piece.size() <= bound && piece.size() % element == 0, "seed " + seed);
            }
            var contents =
                    pieces.stream().map(piece -> Splitting.cut(whole, piece)).toList();
            assertArrayEquals(whole, Splitting.join(pieces, contents), "seed " + seed);
        }
        assertEquals(List.of(new Splitting.Piece("w", 0, 40)), Splitting.pieces("w", 40, 4, 40));
        assertEquals(
                List.of(new Splitting.Piece("w#0/2", 0, 20), new Splitting.Piece("w#1/2", 20, 44)),
                Splitting.pieces("w", 44, 4, 40));
        assertThrows(IllegalArgumentException.class, () -> Splitting.pieces("w", 44, 8, 7));
        assertThrows(
                IllegalArgumentException.class,
                () -> Splitting.join(Splitting.pieces("w", 44, 4, 40), List.of(new byte[20], new byte[20])));
    }
}
