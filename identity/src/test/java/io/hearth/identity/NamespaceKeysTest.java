package io.hearth.identity;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

/** Expected values that are not from an RFC were computed independently, with Python's hmac and hashlib. */
final class NamespaceKeysTest {
    private static final HexFormat HEX = HexFormat.of();

    /** RFC 5869, appendix A.1 and A.3. */
    @Test
    void hkdfGivesTheVectorsOfRfc5869() {
        byte[] material = HEX.parseHex("0b".repeat(22));
        byte[] prk = NamespaceKeys.extract(HEX.parseHex("000102030405060708090a0b0c"), material);
        assertEquals("077709362c2e32df0ddc3f0dc47bba6390b6c73bb50f9c3122ec844ad7c2b3e5", HEX.formatHex(prk));
        assertEquals(
                "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865",
                HEX.formatHex(NamespaceKeys.expand(prk, HEX.parseHex("f0f1f2f3f4f5f6f7f8f9"), 42)));

        byte[] noSalt = NamespaceKeys.extract(new byte[0], material);
        assertEquals("19ef24a32c717b167f33a91d6f648bdf96596776afdb6377ac434c1c293ccb04", HEX.formatHex(noSalt));
        assertEquals(
                "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8",
                HEX.formatHex(NamespaceKeys.expand(noSalt, new byte[0], 42)));
    }

    @Test
    void keysOfANamespaceAreTheKnownOnes() {
        NamespaceKeys keys = NetworkNamespace.closed("home", 1, secret()).keys();
        assertEquals("af75005b7026d38f", HEX.formatHex(keys.id()));
        assertEquals(
                "e2d45f51005933cdafca759a9c3fef1476fde126b11ba404fbe0ab9a81dc9163",
                HEX.formatHex(keys.tagMac(new byte[] {'a'}, new byte[] {'b', 'c'})));
        assertEquals(
                "f4431052c5de45f0af56eaef4da1f0abe16f298528222b55643d66cb110ccff2",
                HEX.formatHex(keys.proofMac(new byte[] {'a', 'b', 'c'})));
        assertEquals(
                "89306a40a841fdf343f03a9ea3546105acc932fccf38087be33adef71a16196a",
                HEX.formatHex(keys.linkKey(HEX.parseHex("5a".repeat(32)))));
    }

    @Test
    void nameAndGenerationChangeAllKeys() {
        assertEquals(
                "a554e1a17f06adec", NetworkNamespace.closed("home", 2, secret()).keyId());
        assertEquals(
                "9747a25b72853fa0",
                NetworkNamespace.closed("lab-2", 0x01020304, secret()).keyId());
    }

    @Test
    void anOpenNamespaceHasThePublishedKeyAndNeverThatOfAClosedOne() {
        NetworkNamespace open = NetworkNamespace.open("home");
        assertEquals("eb313469a2dfeb0a", open.keyId());
        assertTrue(open.isOpen());
        assertEquals(open, NetworkNamespace.open("home"));
        assertNotEquals(open, NetworkNamespace.open("lab"));
        NetworkNamespace posing = NetworkNamespace.closed("home", 1, open.secret());
        assertNotEquals(open.keyId(), posing.keyId());
        assertNotEquals(open, posing);
        assertThrows(IllegalArgumentException.class, () -> NetworkNamespace.closed("home", 0, open.secret()));
    }

    @Test
    void eachNamespaceMadeHasASecretOfItsOwn() {
        NetworkNamespace one = NetworkNamespace.create("home");
        NetworkNamespace two = NetworkNamespace.create("home");
        assertFalse(one.isOpen());
        assertEquals(1, one.generation());
        assertNotEquals(one, two);
        assertNotEquals(one.keyId(), two.keyId());
    }

    @Test
    void aNameIsLowerCaseLettersDigitsAndDashes() {
        for (String name : new String[] {"", "Home", "a b", "a_b", "a.b", "ä", "a\n", "x".repeat(64), "../x"}) {
            assertFalse(NetworkNamespace.isName(name));
            assertThrows(IllegalArgumentException.class, () -> NetworkNamespace.create(name));
        }
        assertEquals("x".repeat(63), NetworkNamespace.create("x".repeat(63)).name());
    }

    @Test
    void nothingOfASecretIsInAnyToString() {
        NetworkNamespace namespace = NetworkNamespace.closed("home", 7, secret());
        String shown = namespace + " " + namespace.keys();
        assertEquals("NetworkNamespace[home, generation 7] NamespaceKeys[redacted]", shown);
    }

    @Test
    void aSecretThatIsNoLongerNeededIsOverwritten() {
        NetworkNamespace namespace = NetworkNamespace.closed("home", 7, secret());
        try (NamespaceKeys keys = namespace.keys()) {
            byte[] proof = keys.proofMac(new byte[] {1});
            namespace.destroy();
            assertArrayEquals(proof, keys.proofMac(new byte[] {1}), "its keys are of their owner");
        }
        assertThrows(IllegalStateException.class, namespace::keys);
        assertThrows(IllegalStateException.class, namespace::secret);
        assertEquals(NetworkNamespace.closed("home", 7, new byte[NetworkNamespace.SECRET_BYTES]), namespace);
    }

    @Test
    void closedKeysProveNothing() {
        NamespaceKeys keys = NetworkNamespace.closed("home", 1, secret()).keys();
        byte[] proof = keys.proofMac(new byte[] {1});
        keys.close();
        assertFalse(Arrays.equals(proof, keys.proofMac(new byte[] {1})));
    }

    @Test
    void aSecretHandedOutIsACopy() {
        NetworkNamespace namespace = NetworkNamespace.closed("home", 1, secret());
        Arrays.fill(namespace.secret(), (byte) 0);
        assertArrayEquals(secret(), namespace.secret());
    }

    /** 00 01 02 … 1f. */
    private static byte[] secret() {
        byte[] secret = new byte[NetworkNamespace.SECRET_BYTES];
        for (int i = 0; i < secret.length; i++) {
            secret[i] = (byte) i;
        }
        return secret;
    }
}
