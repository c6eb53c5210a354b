package io.hearth.identity;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.core.Bytes;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;

final class MembershipProofTest {
    private static final HexFormat HEX = HexFormat.of();
    private static final byte[] EXPORTER = filled(0x11);
    private static final PeerId CLIENT = PeerId.of(filled(0x22));
    private static final PeerId SERVER = PeerId.of(filled(0x33));
    private static final byte[] HELLO_CLIENT = "hello client".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] HELLO_SERVER = "hello server".getBytes(StandardCharsets.US_ASCII);
    private static final Bytes TRANSCRIPT =
            MembershipProof.transcript(EXPORTER, CLIENT, SERVER, HELLO_CLIENT, HELLO_SERVER);

    /** Computed independently, with Python's hmac and hashlib. */
    @Test
    void transcriptAndProofsAreTheKnownOnes() {
        assertEquals(
                "0000000d6865617274682f31206c696e6b"
                        + "00000020" + "11".repeat(32)
                        + "00000020" + "22".repeat(32)
                        + "00000020" + "33".repeat(32)
                        + "00000020b937a7a11746019da3a0f195657a7b9074f119c2229623ebcbb3ccd61c5ad7c1"
                        + "00000020ee1e1d765530b02f6f9ad968d16550109eda3c757c6d96ac037f57c7919d1c2a",
                TRANSCRIPT.hex());
        assertEquals(
                "6d93e57083b211534aef51052a909b2ae0192b6b281b074aa212f70e8ae3bedc",
                HEX.formatHex(MembershipProof.ofServer(keys(), TRANSCRIPT)));
        assertEquals(
                "4cf1173e211d257d9273115070b45e1e27161d40ac5fdeb78b309c79d503573f",
                HEX.formatHex(MembershipProof.ofClient(keys(), TRANSCRIPT)));
    }

    @Test
    void aChangeOfAnyInputChangesTheProof() {
        byte[] expected = MembershipProof.ofClient(keys(), TRANSCRIPT);
        byte[] edited = HELLO_SERVER.clone();
        edited[0] ^= 1;
        List<Bytes> others = List.of(
                MembershipProof.transcript(filled(0x12), CLIENT, SERVER, HELLO_CLIENT, HELLO_SERVER),
                MembershipProof.transcript(EXPORTER, SERVER, SERVER, HELLO_CLIENT, HELLO_SERVER),
                MembershipProof.transcript(EXPORTER, CLIENT, CLIENT, HELLO_CLIENT, HELLO_SERVER),
                MembershipProof.transcript(EXPORTER, SERVER, CLIENT, HELLO_CLIENT, HELLO_SERVER),
                MembershipProof.transcript(EXPORTER, CLIENT, SERVER, HELLO_SERVER, HELLO_CLIENT),
                MembershipProof.transcript(EXPORTER, CLIENT, SERVER, new byte[0], HELLO_SERVER),
                MembershipProof.transcript(EXPORTER, CLIENT, SERVER, HELLO_CLIENT, edited));
        for (Bytes other : others) {
            assertFalse(MembershipProof.matches(expected, MembershipProof.ofClient(keys(), other)));
        }
    }

    @Test
    void aProofSentBackByItsReceiverDoesNotMatch() {
        assertFalse(MembershipProof.matches(
                MembershipProof.ofClient(keys(), TRANSCRIPT), MembershipProof.ofServer(keys(), TRANSCRIPT)));
    }

    @Test
    void anotherSecretNameGenerationOrAnOpenNamespaceProvesNothing() {
        byte[] expected = MembershipProof.ofServer(keys(), TRANSCRIPT);
        byte[] otherSecret = secret();
        otherSecret[31] ^= 1;
        for (NetworkNamespace other : List.of(
                NetworkNamespace.closed("home", 1, otherSecret),
                NetworkNamespace.closed("hom", 1, secret()),
                NetworkNamespace.closed("home", 2, secret()),
                NetworkNamespace.open("home"))) {
            assertFalse(
                    MembershipProof.matches(expected, MembershipProof.ofServer(other.keys(), TRANSCRIPT)),
                    other::toString);
        }
    }

    @Test
    void onlyTheWholeProofMatches() {
        byte[] proof = MembershipProof.ofServer(keys(), TRANSCRIPT);
        assertTrue(MembershipProof.matches(proof, proof.clone()));
        assertFalse(MembershipProof.matches(proof, new byte[0]));
        assertFalse(MembershipProof.matches(proof, Arrays.copyOf(proof, 31)));
        assertFalse(MembershipProof.matches(proof, Arrays.copyOf(proof, 33)));
        for (int bit = 0; bit < 256; bit++) {
            byte[] flipped = proof.clone();
            flipped[bit / 8] ^= (byte) (1 << bit % 8);
            assertFalse(MembershipProof.matches(proof, flipped));
        }
    }

    @Test
    void anExporterOfAnotherLengthIsTheCallersMistake() {
        assertThrows(
                IllegalArgumentException.class,
                () -> MembershipProof.transcript(new byte[31], CLIENT, SERVER, HELLO_CLIENT, HELLO_SERVER));
    }

    private static NamespaceKeys keys() {
        return NetworkNamespace.closed("home", 1, secret()).keys();
    }

    /** 00 01 02 … 1f. */
    private static byte[] secret() {
        byte[] secret = new byte[32];
        for (int i = 0; i < secret.length; i++) {
            secret[i] = (byte) i;
        }
        return secret;
    }

    private static byte[] filled(int value) {
        byte[] bytes = new byte[32];
        Arrays.fill(bytes, (byte) value);
        return bytes;
    }
}
