package io.hearth.transport.lane;

import io.hearth.transport.RecordHeader;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * What precedes the plaintext of a record on a lane, encrypted with it, 24 bytes little-endian:
 *
 * <pre>
 *  0            8          16         24
 *  +------------+----------+----------+
 *  | sequence   | taken    | arrived  |
 *  +------------+----------+----------+
 * </pre>
 *
 * <p>{@code sequence}: number of the record in its direction of the stream; -1 in an acknowledgement. {@code taken}: records of the other
 * direction that the user of the stream took. {@code arrived}: records of the other direction that arrived on this connection.
 */
final class LanePrefix {
    /** A record without bytes. */
    static final byte[] NOTHING = {};

    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    private LanePrefix() {}

    static void write(byte[] prefix, long sequence, long taken, long arrived) {
        LONG.set(prefix, 0, sequence);
        LONG.set(prefix, 8, taken);
        LONG.set(prefix, 16, arrived);
    }

    static long sequence(byte[] record) {
        return (long) LONG.get(record, 0);
    }

    static long taken(byte[] record) {
        return (long) LONG.get(record, 8);
    }

    static long arrived(byte[] record) {
        return (long) LONG.get(record, 16);
    }

    static byte[] create() {
        return new byte[RecordHeader.LANE_BYTES];
    }
}
