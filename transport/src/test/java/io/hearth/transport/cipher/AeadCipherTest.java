package io.hearth.transport.cipher;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.transport.LinkLimits;
import io.hearth.transport.RecordHeader;
import io.hearth.transport.StreamId;
import io.hearth.transport.WitnessedCiphers;
import io.hearth.transport.cipher.RecordCipher.Suite;
import io.hearth.transport.record.RecordBuffers;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import javax.crypto.AEADBadTagException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The vectors were made with another implementation (Python's cryptography, OpenSSL below it). */
final class AeadCipherTest {
    private static final int RECORDS_PER_KEY = 3; // so that a ratchet comes before the fourth vector
    private static final StreamId ID = new StreamId("digits", "L1/3", 2);

    private static final List<String> AES = List.of(
            "000000000000000000000000000000000000000000000000fda0ff97a67277ee7ef6760e25920ec0",
            "09000000100034120500000000000000000000000001000072a4de982d915e6a7d978cb4e8f9ad1557d4ef301416f12ba5",
            "090000001000341205000000000000000000000000010000ae034f19dd2eb4a5ca549b09078747e564f2f8f7b5515de564",
            "0900000010003412050000000000000000000000000100005eda1816a904f53ad807302439094e3c818280c2b6ace74fe1");
    private static final List<String> CHACHA = List.of(
            "0000000000000000000000000000000000000000000000004f1f15e10cc5570c11d250b7d384376e",
            "0900000010003412050000000000000000000000000100000e2e1dbd586fd60e5e97427d5224d605edaee3733fce6ece68",
            "0900000010003412050000000000000000000000000100002ab8d19363180920bec42880e0ec2ca8520d1867e73f57d514",
            "0900000010003412050000000000000000000000000100001f18e6136e81a42f76fac7548f7a86d7183a51aa18ae481672");

    private static byte[] counting(int from, int size) {
        byte[] bytes = new byte[size];
        for (int i = 0; i < size; i++) {
            bytes[i] = (byte) (from + i);
        }
        return bytes;
    }

    private static RecordCipher cipher(Suite suite) {
        return new AeadCipher(suite, counting(0, 32), RECORDS_PER_KEY);
    }

    private static byte[] plaintext(int record) {
        return record == 0 ? new byte[0] : "gradients".getBytes(StandardCharsets.US_ASCII);
    }

    private static byte[] sealed(RecordCipher cipher, int record) {
        byte[] plain = plaintext(record);
        RecordHeader header = record == 0
                ? new RecordHeader(0, RecordHeader.OPEN, 0, 0, 0)
                : new RecordHeader(plain.length, 16, 0x1234, 5, 1L << 40);
        byte[] bytes = new byte[RecordBuffers.SEALED_BYTES_MAX];
        header.writeTo(bytes);
        System.arraycopy(plain, 0, bytes, RecordHeader.BYTES, plain.length);
        return Arrays.copyOf(bytes, cipher.seal(bytes, plain.length));
    }

    @ParameterizedTest
    @EnumSource(Suite.class)
    void sealedRecordsAreTheKnownOnesAcrossARatchet(Suite suite) throws AEADBadTagException {
        List<String> known = suite == Suite.AES_256_GCM ? AES : CHACHA;
        RecordCipher sealer = cipher(suite);
        RecordCipher opener = cipher(suite);
        for (int i = 0; i < known.size(); i++) {
            byte[] record = sealed(sealer, i);
            assertEquals(known.get(i), HexFormat.of().formatHex(record));
            byte[] opened = new byte[9];
            opener.open(record, plaintext(i).length, opened);
            assertArrayEquals(plaintext(i), Arrays.copyOf(opened, plaintext(i).length));
        }
    }

    /** Attack 28: with the product's number of records per key. */
    @Test
    void theKeyIsReplacedAtTheRecordThatTheLimitNames() {
        long limit = LinkLimits.DEFAULT.recordsPerKey();
        assertEquals(1L << 19, limit);
        byte[] key = counting(0, 32);
        byte[] next = StreamKeys.next(key);
        var sealer = new AeadCipher(Suite.AES_256_GCM, key.clone(), limit);
        byte[] record = new byte[RecordHeader.BYTES + RecordCipher.TAG_BYTES];
        new RecordHeader(0, 16, 0x1234, 5, 1L << 40).writeTo(record);
        for (long number = 0; number < limit; number++) {
            assertEquals(record.length, sealer.seal(record, 0));
        }
        assertTrue(WitnessedCiphers.opens(key, limit - 1, record), "the last record under the first key");
        assertFalse(WitnessedCiphers.opens(next, limit - 1, record));
        assertEquals(record.length, sealer.seal(record, 0));
        assertTrue(WitnessedCiphers.opens(next, limit, record), "the first record under the second key");
        assertFalse(WitnessedCiphers.opens(key, limit, record));
    }

    @Test
    void keysAreTheKnownOnes() {
        byte[] one = StreamKeys.derive(counting(0, 32), ID, counting(0x40, 16), counting(0x60, 16), true);
        byte[] two = StreamKeys.derive(counting(0, 32), ID, counting(0x40, 16), counting(0x60, 16), false);
        assertEquals("209b377aea7f2058fdb182b199eb84e71db36762c23758a5ec42382f26e3a8d5", hex(one));
        assertEquals("86bf6aa98c063dc3402ef04d34a7bc3a84c2d31da826ec37cde7225d2bb83344", hex(two));
        assertEquals("16b10093c78059594ccffff1f7db6511b86c598c662c05e1c4ca68afd93917eb", hex(StreamKeys.next(one)));
    }

    @Test
    void anyOtherLinkStreamSaltOrDirectionGivesAnotherKey() {
        byte[] link = counting(0, 32);
        byte[] dial = counting(1, 16);
        byte[] accept = counting(2, 16);
        Set<String> keys = new HashSet<>();
        List<StreamId> ids = List.of(
                ID,
                new StreamId("digit", "sL1/3", 2), // the same letters, split differently
                new StreamId("digits", "L1/4", 2),
                new StreamId("letters", "L1/3", 2),
                new StreamId("digits", "L1/3", 3));
        for (StreamId id : ids) {
            keys.add(hex(StreamKeys.derive(link, id, dial, accept, true)));
            keys.add(hex(StreamKeys.derive(link, id, dial, accept, false)));
            keys.add(hex(StreamKeys.derive(link, id, accept, dial, true)));
            keys.add(hex(StreamKeys.derive(link, id, dial, dial, true)));
            keys.add(hex(StreamKeys.derive(counting(3, 32), id, dial, accept, true)));
        }
        assertEquals(5 * ids.size(), keys.size());
    }

    @ParameterizedTest
    @EnumSource(Suite.class)
    void aCountThatIsOffByOneDoesNotOpen(Suite suite) {
        RecordCipher sealer = cipher(suite);
        byte[] first = sealed(sealer, 1);
        byte[] second = sealed(sealer, 1);
        assertNotEquals(hex(first), hex(second));
        assertThrows(AEADBadTagException.class, () -> cipher(suite).open(second, 9, new byte[9]));
    }

    @Test
    void aDroppedKeyIsGone() {
        byte[] key = counting(0, 32);
        var cipher = new AeadCipher(Suite.AES_256_GCM, key, RECORDS_PER_KEY);
        sealed(cipher, 1);
        cipher.destroy();
        assertArrayEquals(new byte[32], key);
        assertThrows(IllegalStateException.class, () -> sealed(cipher, 1));
        assertEquals("AeadCipher[AES_256_GCM, redacted]", cipher.toString());
    }

    private static String hex(byte[] bytes) {
        return HexFormat.of().formatHex(bytes);
    }
}
