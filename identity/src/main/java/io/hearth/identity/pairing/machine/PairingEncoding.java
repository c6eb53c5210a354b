package io.hearth.identity.pairing.machine;

import io.hearth.core.Bytes;
import io.hearth.core.MalformedMessageException;
import java.io.ByteArrayOutputStream;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * {@link PairingMessage}s as bytes, big-endian:
 *
 * <pre>
 * round 1   01 gx1 gx2 commitment1 response1 commitment2 response2
 * round 2   02 a commitment response
 * confirm   03 mac(32) label
 * welcome   04 mac(32) sealedBytes(4)
 * page      05 part
 * done      06
 * sorry     07 failure(1) runsLeft(1)
 *
 * each number and each text behind its length as 2 bytes
 * </pre>
 *
 * <p>The decoder compares each length with the bound of that kind of message and with the remaining bytes before it uses it.
 */
public final class PairingEncoding {
    /** Most bytes of an element of the group. */
    static final int ELEMENT_BYTES_MAX = 384;

    /** Most bytes of a proof's response. */
    static final int RESPONSE_BYTES_MAX = 32;

    /** Most bytes of a page. */
    static final int PAGE_BYTES_MAX = 32 * 1024;

    /** Most bytes of a message. */
    public static final int BYTES_MAX = 1 + Short.BYTES + PAGE_BYTES_MAX;

    static final int MAC_BYTES = 32;
    static final int LABEL_BYTES_MAX = 512;

    private static final int ROUND_1 = 1;
    private static final int ROUND_2 = 2;
    private static final int CONFIRM = 3;
    private static final int WELCOME = 4;
    private static final int PAGE = 5;
    private static final int DONE = 6;
    private static final int SORRY = 7;

    private PairingEncoding() {}

    /** The bytes of a message; at most {@link #BYTES_MAX} for a message of an honest side. */
    public static Bytes encode(PairingMessage message) {
        var out = new Writer();
        switch (message) {
            case PairingMessage.Round1(var gx1, var gx2, var proof1, var proof2) ->
                out.octet(ROUND_1).number(gx1).number(gx2).proof(proof1).proof(proof2);
            case PairingMessage.Round2(var a, var proof) ->
                out.octet(ROUND_2).number(a).proof(proof);
            case PairingMessage.Confirm(var mac, var label) ->
                out.octet(CONFIRM).raw(mac.toArray()).field(label.toArray());
            case PairingMessage.Welcome(var mac, var sealedBytes) ->
                out.octet(WELCOME)
                        .raw(mac.toArray())
                        .raw(ByteBuffer.allocate(Integer.BYTES)
                                .putInt(sealedBytes)
                                .array());
            case PairingMessage.Page(var part) -> out.octet(PAGE).field(part.toArray());
            case PairingMessage.Done() -> out.octet(DONE);
            case PairingMessage.Sorry(var failure, var left) ->
                out.octet(SORRY).octet(failure.code()).octet(left);
        }
        return Bytes.of(out.bytes.toByteArray());
    }

    /**
     * Reads a message from an untrusted sender.
     *
     * @throws MalformedMessageException if the bytes are not such a message; names the reason
     */
    public static PairingMessage decode(Bytes frame) throws MalformedMessageException {
        if (frame.isEmpty() || frame.size() > BYTES_MAX) {
            throw new MalformedMessageException(
                    "a message of pairing must have 1 to " + BYTES_MAX + " bytes, got " + frame.size());
        }
        var in = new Reader(ByteBuffer.wrap(frame.toArray()));
        int kind = in.octet();
        PairingMessage message = switch (kind) {
            case ROUND_1 -> new PairingMessage.Round1(in.element(), in.element(), in.proof(), in.proof());
            case ROUND_2 -> new PairingMessage.Round2(in.element(), in.proof());
            case CONFIRM -> new PairingMessage.Confirm(in.raw(MAC_BYTES), in.field(LABEL_BYTES_MAX));
            case WELCOME -> new PairingMessage.Welcome(in.raw(MAC_BYTES), in.integer());
            case PAGE -> new PairingMessage.Page(in.field(PAGE_BYTES_MAX));
            case DONE -> new PairingMessage.Done();
            case SORRY -> new PairingMessage.Sorry(PairingFailure.of(in.octet()), in.octet());
            default -> throw new MalformedMessageException("message kind " + kind + " is unknown");
        };
        in.requireEnd();
        return message;
    }

    private static final class Writer {
        private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

        Writer octet(int value) {
            bytes.write(value);
            return this;
        }

        Writer raw(byte[] value) {
            bytes.writeBytes(value);
            return this;
        }

        Writer field(byte[] value) {
            return octet(value.length >>> 8).octet(value.length).raw(value);
        }

        Writer number(BigInteger value) {
            byte[] signed = value.toByteArray();
            int sign = signed.length > 1 && signed[0] == 0 ? 1 : 0;
            return octet((signed.length - sign) >>> 8)
                    .octet(signed.length - sign)
                    .raw(Arrays.copyOfRange(signed, sign, signed.length));
        }

        Writer proof(PairingMessage.Proof proof) {
            return number(proof.commitment()).number(proof.response());
        }
    }

    private record Reader(ByteBuffer in) {
        int octet() throws MalformedMessageException {
            require(1);
            return in.get() & 0xFF;
        }

        int integer() throws MalformedMessageException {
            require(Integer.BYTES);
            return in.getInt();
        }

        Bytes raw(int length) throws MalformedMessageException {
            require(length);
            byte[] value = new byte[length];
            in.get(value);
            return Bytes.of(value);
        }

        Bytes field(int bytesMax) throws MalformedMessageException {
            require(Short.BYTES);
            int length = in.getShort() & 0xFFFF;
            if (length < 1 || length > bytesMax) {
                throw new MalformedMessageException("a field must have 1 to " + bytesMax + " bytes, got " + length);
            }
            return raw(length);
        }

        BigInteger element() throws MalformedMessageException {
            return new BigInteger(1, field(ELEMENT_BYTES_MAX).toArray());
        }

        PairingMessage.Proof proof() throws MalformedMessageException {
            return new PairingMessage.Proof(
                    element(), new BigInteger(1, field(RESPONSE_BYTES_MAX).toArray()));
        }

        void requireEnd() throws MalformedMessageException {
            if (in.hasRemaining()) {
                throw new MalformedMessageException(in.remaining() + " bytes follow the message");
            }
        }

        private void require(int bytes) throws MalformedMessageException {
            if (in.remaining() < bytes) {
                throw new MalformedMessageException("the message ends too early");
            }
        }
    }
}
