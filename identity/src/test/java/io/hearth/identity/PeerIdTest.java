package io.hearth.identity;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.Arrays;
import java.util.Collections;
import java.util.HexFormat;
import java.util.SplittableRandom;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class PeerIdTest {
    /** Both keys are those of libp2p's peer id specification; the texts were computed independently, with Python. */
    @ParameterizedTest
    @CsvSource({
        "1ed1e8fae2c4a144b8be8fd4b47bf3d3b34b871c3cacf6010f0e42d474fce27e,"
                + "12D3KooWBtg3aaRMjxwedh83aGiUkwSxDwUZkzuJcfaqUmo7R3pq",
        "2ffa35a99d3a3cfbb17bb7c1dc5561b18a8dcca4df38dc613ea859c37eb1336b,"
                + "12D3KooWD3eckifWpRn9wQpMG9R9hX3sD158z7EqHWmweQAJU5SA"
    })
    void textIsTheLibp2pPeerIdOfTheKey(String key, String text) {
        PeerId peer = PeerId.of(HexFormat.of().parseHex(key));
        assertEquals(text, peer.text());
        assertEquals(peer, PeerId.parse(text));
        assertEquals(key, HexFormat.of().formatHex(PeerId.parse(text).publicKey()));
        assertEquals(text.substring(44), peer.shortText());
    }

    @Test
    void everyKeyComesBackFromItsText() {
        var random = new SplittableRandom(1);
        for (int round = 0; round < 2000; round++) {
            byte[] key = new byte[PeerId.KEY_BYTES];
            random.nextBytes(key);
            if (round % 3 == 0) {
                Arrays.fill(key, 0, 1 + round % 32, (byte) 0);
            }
            PeerId peer = PeerId.of(key);
            assertEquals(peer, PeerId.parse(peer.text()), () -> HexFormat.of().formatHex(key));
            assertEquals(52, peer.text().length());
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "1",
                "12D3KooW",
                "12D3KooWD3eckifWpRn9wQpMG9R9hX3sD158z7EqHWmweQAJU5S",
                "12D3KooWD3eckifWpRn9wQpMG9R9hX3sD158z7EqHWmweQAJU5SAA",
                "12D3KooWD3eckifWpRn9wQpMG9R9hX3sD158z7EqHWmweQAJU5S0",
                "112D3KooWD3eckifWpRn9wQpMG9R9hX3sD158z7EqHWmweQAJU5SA",
                " 12D3KooWD3eckifWpRn9wQpMG9R9hX3sD158z7EqHWmweQAJU5SA",
                "QmYyQSo1c1Ym7orWxLYvCrM2EmxFTANf8wXmmE7DWjhx5N",
                "\u001b]52;c;aGk=\u0007"
            })
    void textThatIsNoEd25519PeerIdIsRefused(String text) {
        assertThrows(IllegalArgumentException.class, () -> PeerId.parse(text));
    }

    @Test
    void tenMegabytesOfTextAreRefusedAtOnce() {
        assertThrows(IllegalArgumentException.class, () -> PeerId.parse("z".repeat(10 << 20)));
    }

    @Test
    void orderIsByUnsignedKeyBytes() {
        byte[] low = new byte[32];
        byte[] high = new byte[32];
        low[0] = 0x7f;
        high[0] = (byte) 0x80;
        var sorted = new TreeSet<>(java.util.List.of(PeerId.of(high), PeerId.of(low)));
        assertEquals(PeerId.of(low), sorted.first());
        assertEquals(PeerId.of(high), Collections.max(sorted));
        assertNotEquals(PeerId.of(low), PeerId.of(high));
    }

    @Test
    void nodeIdsLeaveTheAgentsSlotOut() {
        String peer = "12D3KooWD3eckifWpRn9wQpMG9R9hX3sD158z7EqHWmweQAJU5SA";
        assertEquals(peer, NodeId.parse(peer).text());
        assertEquals(NodeId.AGENT, NodeId.parse(peer).slot());
        assertEquals(peer + "/trainer-7", NodeId.parse(peer + "/trainer-7").text());
        assertEquals("eQAJU5SA/trainer-7", NodeId.parse(peer + "/trainer-7").shortText());
        for (String slot : new String[] {"", "A", "a b", "x".repeat(33), "a/b", "\u202e"}) {
            assertThrows(IllegalArgumentException.class, () -> NodeId.parse(peer + "/" + slot));
        }
    }
}
