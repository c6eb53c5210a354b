package io.hearth.topology.bandwidth;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

final class CodecShareTest {
    private static final long SECOND = 1_000_000_000L;

    private final CodecShare share = new CodecShare();

    @Test
    void onlyTimeWithCollectivesCounts() {
        assertEquals(0, share.look(SECOND / 2, SECOND, true), "too short to tell");
        assertEquals(0, share.look(SECOND / 2, 60 * SECOND, false));
        assertEquals(75, share.look(3 * SECOND / 2, SECOND, true));
        assertEquals(75, share.look(3 * SECOND / 2, SECOND, true), "until there is a newer one");
        assertEquals(0, share.look(3 * SECOND / 2, SECOND, true));
    }

    @Test
    void severalThreadsAreNotBusierThanAllTheTime() {
        assertEquals(CodecShare.PERCENT_MAX, share.look(20 * SECOND, 2 * SECOND, true));
    }
}
