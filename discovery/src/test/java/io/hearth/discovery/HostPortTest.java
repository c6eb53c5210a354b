package io.hearth.discovery;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class HostPortTest {
    @ParameterizedTest
    @CsvSource({
        "nas, nas, 52416, false",
        "nas.local:7, nas.local, 7, false",
        "192.168.1.7, 192.168.1.7, 52416, true",
        "192.168.1.7:65535, 192.168.1.7, 65535, true",
        "[fe80::1%eth0]:7, fe80::1%eth0, 7, true",
        "fe80::1%eth0, fe80::1%eth0, 52416, true",
        "::1, ::1, 52416, true",
        "[::ffff:10.0.0.1], ::ffff:10.0.0.1, 52416, true",
        "1.2.3, 1.2.3, 52416, false",
        "256.1.1.1, 256.1.1.1, 52416, false"
    })
    void peersAreNamedInTheUsualWays(String text, String host, int port, boolean literal) {
        HostPort peer = HostPort.parse(text);
        assertEquals(new HostPort(host, port), peer);
        assertEquals(literal, peer.literal().isPresent());
        assertEquals(peer, HostPort.parse(peer.toString()));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                ":7",
                "nas:",
                "nas:0",
                "nas:65536",
                "nas:x",
                "nas:+7",
                "nas:7:8x",
                "[::1",
                "[::1]7",
                "[]:7",
                "a b",
                "a/b",
                "nas:000007",
                "::::",
                "1:2:3",
                "[1::2::3]:7",
                "fe80::1::2%eth0"
            })
    void anythingElseIsRefusedWithTheForms(String text) {
        String message = String.valueOf(assertThrows(IllegalArgumentException.class, () -> HostPort.parse(text))
                .getMessage());
        assertEquals(true, message.contains("HOST:PORT"), message);
    }

    @Test
    void whatIsRefusedIsShownHarmlessly() {
        String message = String.valueOf(assertThrows(
                        IllegalArgumentException.class, () -> HostPort.parse("\u001b[2J" + "x".repeat(10_000)))
                .getMessage());
        assertFalse(message.contains("\u001b"));
        assertEquals(true, message.length() < 250);
    }

    @Test
    void theLongestNameAndLiteralStayWithinTheBoundsOfASighting() {
        HostPort longest = HostPort.parse("n".repeat(253) + ":65535");
        assertEquals(253, longest.host().length());
        assertThrows(IllegalArgumentException.class, () -> HostPort.parse("n".repeat(254)));
        assertThrows(IllegalArgumentException.class, () -> HostPort.parse("::" + "1".repeat(100)));
    }

    @Test
    void wherePairingHasAPortOfItsOwn() {
        assertEquals(new HostPort("study", 52_400), HostPort.parse("study", HostPort.PORT_PAIRING));
        assertEquals(new HostPort("study", 7), HostPort.parse("study:7", HostPort.PORT_PAIRING));
    }
}
