package io.hearth.accel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class SparesTest {
    private final Spares<Object> spares = new Spares<>(Object::new);

    @Test
    void whatIsLentIsNobodyElsesUntilItComesBack() {
        Object first = spares.take();
        var lent = new ArrayList<Object>();
        for (int i = 0; i < 2 * Spares.KEPT_MAX; i++) {
            lent.add(spares.take());
        }
        assertEquals(lent.size(), new HashSet<>(lent).size());
        lent.forEach(spares::giveBack);
        spares.giveBack(first); // all places are taken: it goes
        Set<Object> kept = new HashSet<>(lent.subList(0, Spares.KEPT_MAX));
        for (int i = 0; i < Spares.KEPT_MAX; i++) {
            kept.remove(spares.take());
        }
        assertEquals(Set.of(), kept);
    }

    @Test
    void oneThreadHasTheSameAgain() {
        Object first = spares.take();
        spares.giveBack(first);
        assertSame(first, spares.take());
    }
}
