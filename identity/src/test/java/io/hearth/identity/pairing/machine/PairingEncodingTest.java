package io.hearth.identity.pairing.machine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.core.Bytes;
import io.hearth.core.MalformedMessageException;
import io.hearth.identity.pairing.machine.PairingMessage.Proof;
import java.math.BigInteger;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

final class PairingEncodingTest {
    private static final int FRAMES = Boolean.getBoolean("hearth.full") ? 400_000 : 100_000;
    private static final BigInteger ELEMENT = BigInteger.ONE.shiftLeft(3072).subtract(BigInteger.ONE);
    private static final BigInteger RESPONSE = BigInteger.ONE.shiftLeft(256).subtract(BigInteger.ONE);
    private static final Bytes MAC = Bytes.of(Duel.filled(32, 3));

    static Stream<PairingMessage> messages() {
        var small = new Proof(BigInteger.ZERO, BigInteger.ONE);
        return Stream.of(
                new PairingMessage.Round1(ELEMENT, BigInteger.ZERO, new Proof(ELEMENT, RESPONSE), small),
                new PairingMessage.Round2(BigInteger.valueOf(255), new Proof(BigInteger.valueOf(256), RESPONSE)),
                new PairingMessage.Confirm(MAC, Bytes.of(Duel.filled(512, 1))),
                new PairingMessage.Welcome(MAC, 300 * 1024),
                new PairingMessage.Page(Bytes.of(Duel.filled(32 * 1024, 1))),
                new PairingMessage.Done(),
                new PairingMessage.Sorry(PairingFailure.WRONG_CODE, 2));
    }

    @ParameterizedTest
    @MethodSource("messages")
    void whatIsWrittenIsRead(PairingMessage message) throws MalformedMessageException {
        Bytes frame = PairingEncoding.encode(message);
        assertTrue(frame.size() <= PairingEncoding.BYTES_MAX);
        assertEquals(message, PairingEncoding.decode(frame));
    }

    @ParameterizedTest
    @MethodSource("messages")
    void whatIsCutOrLongerIsMalformed(PairingMessage message) {
        byte[] frame = PairingEncoding.encode(message).toArray();
        for (int length = 0; length < frame.length; length += length < 64 || frame.length - length < 64 ? 1 : 61) {
            int cut = length;
            assertThrows(
                    MalformedMessageException.class, () -> PairingEncoding.decode(Bytes.of(Arrays.copyOf(frame, cut))));
        }
        assertThrows(
                MalformedMessageException.class,
                () -> PairingEncoding.decode(Bytes.of(Arrays.copyOf(frame, frame.length + 1))));
    }

    @Test
    void whatIsLongerThanItsLimitIsMalformed() {
        var fine = new Proof(BigInteger.ONE, BigInteger.ONE);
        for (PairingMessage message : List.of(
                new PairingMessage.Round2(BigInteger.ONE.shiftLeft(3072), fine),
                new PairingMessage.Round2(BigInteger.ONE, new Proof(BigInteger.ONE.shiftLeft(3072), BigInteger.ONE)),
                new PairingMessage.Round2(BigInteger.ONE, new Proof(BigInteger.ONE, BigInteger.ONE.shiftLeft(256))),
                new PairingMessage.Confirm(MAC, Bytes.of(Duel.filled(513, 1))),
                new PairingMessage.Confirm(MAC, Bytes.EMPTY),
                new PairingMessage.Page(Bytes.EMPTY),
                new PairingMessage.Page(Bytes.of(Duel.filled(32 * 1024 + 1, 1))))) {
            assertThrows(
                    MalformedMessageException.class, () -> PairingEncoding.decode(PairingEncoding.encode(message)));
        }
    }

    @Test
    void aReasonOfALaterVersionIsUnknown() throws MalformedMessageException {
        assertEquals(
                new PairingMessage.Sorry(PairingFailure.UNKNOWN, 1),
                PairingEncoding.decode(Bytes.of((byte) 7, (byte) 200, (byte) 1)));
    }

    @Test
    void noFrameBringsOutAnythingButAMessageOrARejection() {
        List<byte[]> right = messages()
                .map(message -> PairingEncoding.encode(message).toArray())
                .filter(frame -> frame.length < 4096)
                .toList();
        var random = new SplittableRandom(17);
        int read = 0;
        for (int i = 0; i < FRAMES; i++) {
            byte[] frame = right.get(random.nextInt(right.size())).clone();
            for (int edits = random.nextInt(4); edits > 0; edits--) {
                frame[random.nextInt(Math.min(frame.length, 8 + random.nextInt(frame.length)))] =
                        (byte) random.nextInt();
            }
            if (random.nextInt(4) == 0) {
                frame = Arrays.copyOf(frame, random.nextInt(frame.length + 8));
            }
            try {
                PairingMessage message = PairingEncoding.decode(Bytes.of(frame));
                assertTrue(PairingEncoding.encode(message).size() <= frame.length, "what was read is not longer");
                read++;
            } catch (MalformedMessageException malformed) {
                assertTrue(String.valueOf(malformed.getMessage()).length() < 200);
            }
        }
        assertTrue(read > FRAMES / 10, "only " + read + " were read");
    }
}
