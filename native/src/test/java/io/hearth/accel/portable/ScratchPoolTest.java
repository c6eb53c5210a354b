package io.hearth.accel.portable;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class ScratchPoolTest {
    private final ScratchPool<Object> spares = new ScratchPool<>(Object::new);

    @Test
    void anObjectBelongsToOneThreadUntilItIsGivenBack() {
        Object first = spares.take();
        var lent = new ArrayList<Object>();
        for (int i = 0; i < 2 * ScratchPool.KEPT_MAX; i++) {
            lent.add(spares.take());
        }
        assertEquals(lent.size(), new HashSet<>(lent).size());
        lent.forEach(spares::giveBack);
        spares.giveBack(first); // all places are taken: the pool drops it
        Set<Object> kept = new HashSet<>(lent.subList(0, ScratchPool.KEPT_MAX));
        for (int i = 0; i < ScratchPool.KEPT_MAX; i++) {
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
