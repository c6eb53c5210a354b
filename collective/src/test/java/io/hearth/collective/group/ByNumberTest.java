package io.hearth.collective.group;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Compares the small map of numbers with a sorted map after random changes. */
final class ByNumberTest {
    @Test
    void itIsASortedMapThatNeverChanges() {
        for (long seed = 0; seed < 200; seed++) {
            var random = new Random(seed);
            ByNumber<String> table = ByNumber.none();
            SortedMap<Long, String> map = new TreeMap<>();
            for (int change = 0; change < 40; change++) {
                ByNumber<String> before = table;
                SortedMap<Long, String> mapBefore = new TreeMap<>(map);
                long number = random.nextInt(12);
                switch (random.nextInt(4)) {
                    case 0, 1 -> {
                        table = table.with(number, "v" + change);
                        map.put(number, "v" + change);
                    }
                    case 2 -> {
                        table = table.without(number);
                        map.remove(number);
                    }
                    default -> {
                        table = table.after(number);
                        map.headMap(number + 1).clear();
                    }
                }
                assertAgree(map, table, seed);
                assertAgree(mapBefore, before, seed);
            }
        }
    }

    private static void assertAgree(SortedMap<Long, String> map, ByNumber<String> table, long seed) {
        String where = "seed " + seed;
        assertEquals(new ArrayList<>(map.keySet()), table.numbers(), where);
        assertEquals(new ArrayList<>(map.values()), table.values(), where);
        assertEquals(map.size(), table.size(), where);
        assertEquals(map.isEmpty(), table.isEmpty(), where);
        assertEquals(map.toString(), table.toString(), where);
        for (long number = -1; number < 13; number++) {
            assertEquals(map.containsKey(number), table.has(number), where);
            assertEquals(map.get(number), table.get(number), where);
        }
        if (map.isEmpty()) {
            assertNull(table.first(), where);
        } else {
            assertEquals(map.get(map.firstKey()), table.first(), where);
            assertEquals(map.firstKey(), table.number(0), where);
        }
    }

    @Test
    void whatChangesNothingCostsNothing() {
        ByNumber<String> table = ByNumber.<String>none().with(3, "c").with(1, "a");
        assertSame(table, table.without(2));
        assertSame(table, table.after(0));
        assertSame(table, table.each((_, value) -> value));
        ByNumber<String> changed = table.each((number, value) -> number == 3 ? value + number : value);
        assertEquals(List.of("a", "c3"), changed.values());
        assertEquals(List.of("a", "c"), table.values());
        assertNotEquals(table, changed);
        assertEquals(ByNumber.<String>none().with(1, "a").with(3, "c"), table);
        assertEquals(ByNumber.<String>none().with(1, "a").with(3, "c").hashCode(), table.hashCode());
    }
}
