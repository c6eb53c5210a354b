package io.hearth.election.health;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

final class RoundTripsTest {
    private static final long MILLI = 1_000_000L;
    private static final long INTERVAL_NANOS = 250 * MILLI;
    private static final HealthConfig.Measured RULES = HealthConfig.Measured.DEFAULT;

    private RoundTrips trips = RoundTrips.none();
    private long now;

    /** Round trips of one heartbeat after the other, repeated in turns. */
    private Preset after(int count, long... millis) {
        for (int i = 0; i < count; i++) {
            now += INTERVAL_NANOS;
            trips = trips.with(millis[i % millis.length] * MILLI, RULES.holdNanos(), now);
        }
        return trips.preset(RULES.samplesMin());
    }

    @Test
    void aCableStaysACableThoughItIsBusyNowAndThen() {
        assertEquals(Preset.LAN, after(1_000, 1));
        assertEquals(Preset.LAN, after(1_000, 1, 30, 12, 39));
        assertEquals(Preset.LAN, after(1_000, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 500));
    }

    @Test
    void aWayThatIsOftenLateIsLikeWifi() {
        assertEquals(Preset.WIFI, after(RULES.samplesMin(), 3, 80, 5, 120));
        assertEquals(Preset.LAN, after(300, 3), "and no longer, once it is quick");
    }

    @Test
    void noRoundTripOfAFarPeerIsShort() {
        assertEquals(Preset.LAN, after(RULES.samplesMin() - 1, 20), "too few to judge");
        assertEquals(Preset.WAN, after(1, 20));
        assertEquals(Preset.WAN, after(2_000, 20, 35));
        assertEquals(Preset.LAN, after(1, 2), "one short round trip proves that it is near");
    }

    /** Like those between fresh processes that share two busy processors with two endless loops. */
    @Test
    void aFreshProcessOnABusyMachineIsNotFar() {
        assertEquals(Preset.LAN, after(40, 28, 61, 23, 85, 44, 97, 36));
        assertEquals(Preset.LAN, after(80, 16, 21, 19, 11, 43, 17));
        assertEquals(Preset.LAN, after(RULES.samplesMin() - 120, 17, 5, 12, 9, 16), "judged by its warm code");
    }

    @Test
    void aPeerThatMovedAwayIsFarAfterTwoSpansAtMost() {
        after(40, 1);
        assertEquals(Preset.LAN, after(1_200, 25), "it may be busy for so long");
        assertEquals(Preset.WAN, after(1_300, 25));
    }
}
