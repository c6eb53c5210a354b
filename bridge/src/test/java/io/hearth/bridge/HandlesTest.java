package io.hearth.bridge;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** The tables of groups and calls. */
final class HandlesTest {
    private final Handles<String> two = new Handles<>("call", 2);

    @Test
    void aFullTableBeginsNothing() throws Exception {
        var begun = new AtomicInteger();
        long first = two.add(() -> "a" + begun.incrementAndGet());
        two.add(() -> "b" + begun.incrementAndGet());
        var full = assertThrows(IllegalStateException.class, () -> two.add(() -> "c" + begun.incrementAndGet()));
        assertEquals("more than 2 calls are open: wait for those that were begun", full.getMessage());
        assertEquals(2, begun.get());
        two.remove(first);
        two.remove(first);
        assertEquals("d3", two.get(two.add(() -> "d" + begun.incrementAndGet())));
        assertThrows(IllegalStateException.class, () -> two.add(() -> "e"));
    }

    @Test
    void aFailedBeginningTakesNoPlace() throws Exception {
        for (int i = 0; i < 3; i++) {
            assertThrows(
                    ArithmeticException.class,
                    () -> two.add(() -> {
                        throw new ArithmeticException("refused");
                    }));
        }
        two.add(() -> "a");
        two.add(() -> "b");
        two.removeIf("a"::equals);
        assertEquals("c", two.get(two.add(() -> "c")));
    }
}
