package io.hearth.collective.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;

import io.hearth.collective.exchange.Buffers;
import java.util.ArrayList;
import org.junit.jupiter.api.Test;

/** Results by number. */
final class KeptResultsTest {
    @Test
    void eachIsFoundUntilItIsRemovedHoweverManyThereAre() {
        var kept = new KeptResults();
        try (var buffers = new Buffers()) {
            var given = new ArrayList<Buffers.Buffer>();
            for (int number = 1; number <= 20; number++) {
                given.add(buffers.take(64L * number));
                kept.put(number, given.getLast());
            }
            for (int number = 1; number <= 20; number++) {
                assertSame(given.get(number - 1), kept.of(number));
            }
            assertSame(given.get(6), kept.remove(7));
            assertNull(kept.remove(7));
            assertNull(kept.of(7));
            kept.put(21, given.get(6));
            kept.put(20, given.getFirst());
            assertSame(given.get(6), kept.of(21));
            assertSame(given.getFirst(), kept.of(20), "the newest one counts");
            var all = new ArrayList<Buffers.Buffer>();
            kept.removeAll(all::add);
            assertEquals(20, all.size());
            assertNull(kept.of(1));
            given.forEach(buffers::give);
        }
    }
}
