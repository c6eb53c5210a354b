package io.hearth.collective.sum.timing;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.function.LongSupplier;
import org.junit.jupiter.api.Test;

/** The rule by which code counts as compiled. */
final class UntilSteadyTest {
    private static final long MILLI = 1_000_000;

    private int rounds;
    private long now;

    /** Each round takes the next time from {@code nanos}. */
    private int run(LongSupplier nanos) throws Exception {
        return UntilSteady.run(() -> now, () -> {
            rounds++;
            now += nanos.getAsLong();
        });
    }

    @Test
    void javaSeesEnoughRounds() throws Exception {
        assertEquals(UntilSteady.ROUNDS_MIN, run(() -> MILLI));
    }

    @Test
    void whatGetsFasterGoesOn() throws Exception {
        int compiled = UntilSteady.ROUNDS_MIN - 100;
        assertEquals(compiled + 250, run(() -> rounds < compiled ? MILLI : MILLI * 8 / 10));
    }

    @Test
    void slowRoundsEnd() throws Exception {
        assertEquals(50, run(() -> UntilSteady.NANOS_MAX / 50));
    }
}
