package io.hearth.discovery.mdns.machine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.core.Bytes;
import io.hearth.core.MalformedMessageException;
import io.hearth.discovery.mdns.Keys;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class TagEncodingTest {
    private static final int PORT = 52_416;
    private static final Bytes NONCE = Bytes.of(HexFormat.of().parseHex("000102030405060708090a0b0c0d0e0f"));

    private final TagEncoding home = Keys.codec("home");

    @Test
    void aMemberKnowsAMembersRecord() throws MalformedMessageException {
        Map<String, String> txt = home.sign(NONCE, PORT, Optional.empty()).txt();
        assertEquals(OptionalInt.of(1), home.verify(Advert.parse(txt::get), PORT));
    }

    /** The exact bytes under the MAC, written out, so that another implementation can be compared with them. */
    @Test
    void theTagIsTheOneOfTheProtocol() {
        var codec = new TagEncoding(List.of(new TagKey(1, parts -> {
            var all = new java.io.ByteArrayOutputStream();
            for (byte[] part : parts) {
                all.writeBytes(part);
            }
            assertEquals(
                    "6865617274682f31206d646e73" + NONCE.hex() + "ccc0",
                    HexFormat.of().formatHex(all.toByteArray()));
            return HexFormat.of().parseHex("00112233445566778899aabbccddeeff".repeat(2));
        })));
        assertEquals(
                "00112233445566778899aabbccddeeff",
                codec.sign(NONCE, PORT, Optional.empty()).tag().hex());
    }

    @Test
    void aReplayWithAnotherPortOrNonceOrTagIsRefused() {
        Advert advert = home.sign(NONCE, PORT, Optional.empty());
        Bytes other = Bytes.of(HexFormat.of().parseHex("100102030405060708090a0b0c0d0e0f"));
        assertTrue(home.verify(advert, PORT + 1).isEmpty());
        assertTrue(home.verify(new Advert(other, advert.tag(), Optional.empty()), PORT)
                .isEmpty());
        assertTrue(home.verify(new Advert(NONCE, other, Optional.empty()), PORT).isEmpty());
    }

    @Test
    void anotherNamespaceIsForeign() {
        assertTrue(Keys.codec("office")
                .verify(home.sign(NONCE, PORT, Optional.empty()), PORT)
                .isEmpty());
    }

    @Test
    void aMemberThatWasAwayIsKnownByTheFormerGeneration() {
        var rekeyed = new TagEncoding(List.of(Keys.of("home", 2), Keys.of("home", 1)));
        assertEquals(OptionalInt.of(1), rekeyed.verify(home.sign(NONCE, PORT, Optional.empty()), PORT));
        Advert now = rekeyed.sign(NONCE, PORT, Optional.empty());
        assertEquals(OptionalInt.of(2), rekeyed.verify(now, PORT));
        assertTrue(home.verify(now, PORT).isEmpty());
    }

    /** A codec with the next secret's key signs with it, and still recognizes a member that was away. */
    @Test
    void aCodecWhoseKeysChangeSignsByTheNewOneAndKnowsTheFormer() {
        TagKey former = new TagKey(1, parts -> mac((byte) 1, parts));
        TagKey fresh = new TagKey(2, parts -> mac((byte) 2, parts));
        var removed = new TagEncoding(List.of(former));
        var member = new TagEncoding(List.of(former));
        member.use(List.of(fresh, former));
        Advert announced = member.sign(NONCE, PORT, Optional.empty());
        assertTrue(removed.verify(announced, PORT).isEmpty(), "who holds the former secret learns no tag");
        assertEquals(OptionalInt.of(2), member.verify(announced, PORT));
        assertEquals(OptionalInt.of(1), member.verify(removed.sign(NONCE, PORT, Optional.empty()), PORT));
    }

    private static byte[] mac(byte key, byte[]... parts) {
        byte[] mac = new byte[32];
        mac[0] = key;
        for (byte[] part : parts) {
            for (int i = 0; i < part.length; i++) {
                mac[i % 31 + 1] ^= part[i];
            }
        }
        return mac;
    }

    @Test
    void theRecordStaysUnderTwoHundredBytes() {
        Map<String, String> txt = home.sign(NONCE, PORT, Optional.of("42")).txt();
        int bytes = txt.entrySet().stream()
                .mapToInt(
                        entry -> 2 + entry.getKey().length() + entry.getValue().length())
                .sum();
        assertTrue(bytes < 200, bytes + " bytes");
        assertEquals("42", txt.get("p"));
    }

    @Test
    void nothingInTheRecordIsTheSameInTwoStays() {
        Map<String, String> one = home.sign(NONCE, PORT, Optional.empty()).txt();
        Map<String, String> two = home.sign(
                        Bytes.of("another nonce 16".getBytes(StandardCharsets.US_ASCII)), PORT, Optional.empty())
                .txt();
        assertNotEquals(one.get("n"), two.get("n"));
        assertNotEquals(one.get("t"), two.get("t"));
    }

    @ParameterizedTest
    @CsvSource({
        "v, 2",
        "v, ''",
        "n, AAAA",
        "n, AAAAAAAAAAAAAAAAAAAAA*",
        "t, ''",
        "t, AAAAAAAAAAAAAAAAAAAAAAAA",
        "p, 4",
        "p, 4x",
        "p, 123"
    })
    void aRecordOfAnotherShapeIsRefused(String key, String value) {
        var txt = new TreeMap<>(home.sign(NONCE, PORT, Optional.empty()).txt());
        txt.put(key, value);
        assertThrows(MalformedMessageException.class, () -> Advert.parse(txt::get));
    }

    @Test
    void aRecordWithoutAnEntryIsRefused() {
        for (String key : List.of("v", "n", "t")) {
            var txt = new TreeMap<>(home.sign(NONCE, PORT, Optional.empty()).txt());
            txt.remove(key);
            assertThrows(MalformedMessageException.class, () -> Advert.parse(txt::get), key);
        }
    }

    /** Any text gives an advert or a typed rejection, and no mutation of a tag is valid. */
    @Test
    void mutatedRecordsNeverPass() {
        var random = new SplittableRandom(11);
        Map<String, String> good = home.sign(NONCE, PORT, Optional.of("07")).txt();
        List<String> keys = List.copyOf(good.keySet());
        int read = 0;
        int refused = 0;
        for (int i = 0; i < 50_000; i++) {
            var txt = new TreeMap<>(good);
            String key = keys.get(random.nextInt(keys.size()));
            var value = new StringBuilder(good.get(key));
            value.setCharAt(random.nextInt(value.length()), (char) random.nextInt(1, 256));
            txt.put(key, value.toString());
            try {
                Advert advert = Advert.parse(txt::get);
                read++;
                boolean same = advert.nonce().equals(NONCE)
                        && advert.tag()
                                .hex()
                                .equals(home.sign(NONCE, PORT, Optional.empty())
                                        .tag()
                                        .hex());
                assertEquals(same, home.verify(advert, PORT).isPresent(), () -> txt + " of seed 11");
            } catch (MalformedMessageException expected) {
                refused++;
            }
        }
        assertTrue(read > 1_000 && refused > 1_000, read + " mutations were read, " + refused + " refused");
    }
}
