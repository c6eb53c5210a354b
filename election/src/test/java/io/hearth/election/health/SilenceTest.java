package io.hearth.election.health;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

final class SilenceTest {
    private static final long LAN = Preset.LAN.silenceNanos();
    private static final long WIFI = Preset.WIFI.silenceNanos();
    private static final long WAN = Preset.WAN.silenceNanos();
    private static final long HOLD = 100;

    private final Silence first = Silence.first(LAN, 0);

    @Test
    void aLongerWishCountsAtOnceAndAShorterOneLater() {
        Silence far = first.next(WAN, 0, 0, HOLD, 10);
        assertEquals(new Silence(WAN, 10, 0, WAN), far);
        Silence still = far.next(WAN, 0, 0, HOLD, 50);
        assertEquals(new Silence(WAN, 50, 0, WAN), still.next(LAN, 0, 0, HOLD, 149));
        assertEquals(new Silence(WIFI, 150, 0, WIFI), still.next(WIFI, 0, 0, HOLD, 150));
    }

    @Test
    void theWishOfAnotherNodeIsInForceAndNotWishedOnward() {
        Silence other = first.next(LAN, 0, WIFI, HOLD, 10);
        assertEquals(new Silence(LAN, 10, 0, WIFI), other);
        assertEquals(LAN, other.next(LAN, 0, 0, HOLD, 11).nanos(), "so it ends with the other's wish");
    }

    @Test
    void onlyItsOwnConfigurationMakesANodeWaitForLongerThanAWan() {
        assertEquals(WAN, first.next(LAN, 0, Long.MAX_VALUE, HOLD, 10).nanos());
        Silence own = Silence.first(3 * WAN, 0);
        assertEquals(3 * WAN, own.next(3 * WAN, 0, WIFI, HOLD, 10).nanos());
    }

    @Test
    void itsOriginIsTold() {
        assertEquals(Silence.Origin.CONFIGURED, first.origin(LAN));
        assertEquals(
                Silence.Origin.ROUND_TRIPS, first.next(WIFI, 0, LAN, HOLD, 1).origin(LAN));
        assertEquals(
                Silence.Origin.OTHER_NODE, first.next(WIFI, 0, WAN, HOLD, 1).origin(LAN));
    }
}
