package io.hearth.topology.bandwidth;

import io.hearth.core.MalformedMessageException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;

/**
 * What two nodes say over their control link to agree on a measurement. The data of the measurement travels over a data stream of its own.
 *
 * <pre>
 * 0      1        9
 * +------+--------+
 * | type | number |   little-endian
 * +------+--------+
 * </pre>
 *
 * @param type what is said
 * @param number of the measurement, chosen by the node that asks; 0 or more
 */
public record BandwidthMessage(Type type, long number) {
    /** Kind of the message on a control link. */
    public static final int KIND = 43;

    private static final int BYTES = 9;

    /** The types by their number on the wire. */
    private static final List<Type> TYPES = List.of(Type.ASK, Type.ACCEPT, Type.DECLINE);

    /** What is said. */
    public enum Type {
        /** The sender asks for a measurement. */
        ASK,
        /** The sender takes part, and opens the stream of the measurement. */
        ACCEPT,
        /** The sender cannot take part now. */
        DECLINE
    }

    public BandwidthMessage {
        if (number < 0) {
            throw new IllegalArgumentException("number of a measurement must be 0 or more, got " + number);
        }
    }

    /** The wire form. */
    public byte[] encode() {
        return ByteBuffer.allocate(BYTES)
                .order(ByteOrder.LITTLE_ENDIAN)
                .put((byte) TYPES.indexOf(type))
                .putLong(number)
                .array();
    }

    /**
     * Reads the wire form.
     *
     * @throws MalformedMessageException if the bytes are no such message
     */
    public static BandwidthMessage decode(byte[] bytes) throws MalformedMessageException {
        if (bytes.length != BYTES) {
            throw new MalformedMessageException("a message about bandwidth has " + bytes.length + " bytes");
        }
        ByteBuffer from = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        int type = from.get();
        long number = from.getLong();
        if (type < 0 || type >= TYPES.size() || number < 0) {
            throw new MalformedMessageException("a message about bandwidth has type " + type + ", number " + number);
        }
        return new BandwidthMessage(TYPES.get(type), number);
    }
}
