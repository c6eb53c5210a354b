package io.hearth.transport.control;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.transport.GateLimits;
import io.hearth.transport.control.AdmissionGate.Entry;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class AdmissionGateTest {
    private static final long SECOND = 1_000_000_000L;
    /** Near the end of the clock's range: only differences may count. */
    private static final long START = Long.MAX_VALUE - SECOND;

    private final AdmissionGate gate = new AdmissionGate(GateLimits.DEFAULT, START);

    private static InetAddress address(String text) {
        try {
            return InetAddress.getByName(text);
        } catch (UnknownHostException impossible) {
            throw new AssertionError(impossible);
        }
    }

    /** Number of {@code tries} connections from {@code format} with 0, 1, 2, … that get a place. */
    private int places(String format, int tries, long nowNanos) {
        int places = 0;
        for (int i = 0; i < tries; i++) {
            places += gate.enter(address(format.formatted(i)), nowNanos).isPresent() ? 1 : 0;
        }
        return places;
    }

    @Test
    void oneAddressGetsFourPlaces() {
        assertEquals(4, places("192.168.1.7", 10, START));
        assertEquals(1, places("192.168.1.8", 1, START));
    }

    @Test
    void loopbackGetsSixteen() {
        assertEquals(16, places("127.0.0.1", 30, START));
    }

    @Test
    void anIpv6NetworkCountsAsOneAddress() {
        assertEquals(4, places("2001:db8::%x", 10, START));
        assertEquals(1, places("2001:db8:0:1::%x", 1, START));
    }

    @Test
    void strangersGetHalfOfAllPlacesAndMembersTheRest() {
        for (int i = 0; i < 40; i++) {
            gate.remember(address("192.168.2." + i));
        }
        assertEquals(16, places("192.168.1.%d", 40, START));
        assertEquals(16, places("192.168.2.%d", 40, START));
        assertEquals(32, gate.open());
    }

    @Test
    void strangersStartTenHandshakesPerSecondAndMembersTheRest() {
        gate.remember(address("192.168.2.1"));
        List<Entry> taken = new ArrayList<>();
        int strangers = 0;
        int members = 0;
        for (long ms = 0; ms < 10_000; ms++) { // a flood of hang-ups
            long now = START + ms * 1_000_000;
            strangers += gate.enter(address("192.168.1." + ms % 250), now)
                            .map(taken::add)
                            .isPresent()
                    ? 1
                    : 0;
            if (ms % 100 == 0) {
                members +=
                        gate.enter(address("192.168.2.1"), now).map(taken::add).isPresent() ? 1 : 0;
            }
            taken.forEach(gate::leave);
            taken.clear();
        }
        assertEquals(20 + 99, strangers); // the burst, then one every 100 ms
        assertEquals(100, members);
        assertEquals(0, gate.open());
    }

    @Test
    void aMemberComesInDuringAFloodFromItsOwnNetwork() {
        InetAddress member = address("2001:db8::77");
        gate.remember(member);
        assertEquals(4, places("2001:db8::%x", 10, START));
        assertTrue(gate.enter(member, START).isPresent());
    }

    @Test
    void aPlaceGivenBackIsFreeAgain() {
        for (int i = 0; i < 15; i++) {
            gate.leave(gate.enter(address("10.0.0.1"), START).orElseThrow());
        }
        assertEquals(0, gate.open());
        assertEquals(4, places("10.0.0.1", 5, START));
    }

    @Test
    void onlySoManyAddressesAreRemembered() {
        var small = new AdmissionGate(new GateLimits(1, 1, 2, 1_000, 1_000, 2), START);
        small.remember(address("10.0.0.1"));
        small.remember(address("10.0.0.2"));
        small.enter(address("10.0.0.1"), START).ifPresent(small::leave); // used: stays
        small.remember(address("10.0.0.3"));
        assertTrue(small.enter(address("10.0.0.9"), START).isPresent()); // the one place of strangers
        assertTrue(small.enter(address("10.0.0.2"), START).isEmpty());
        assertTrue(small.enter(address("10.0.0.1"), START).isPresent());
    }

    @Test
    void senselessLimitsAreRefused() {
        assertThrows(IllegalArgumentException.class, () -> new GateLimits(0, 1, 2, 2, 2, 1));
        assertThrows(IllegalArgumentException.class, () -> new GateLimits(1, 1, 2, 1, 2, 1));
    }
}
