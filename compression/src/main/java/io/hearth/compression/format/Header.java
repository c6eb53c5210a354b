package io.hearth.compression.format;

import io.hearth.core.MalformedMessageException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * The first bytes of every encoding. By them a decoder rejects bytes of another codec, other settings or another number of values.
 *
 * <pre>
 *  0      1         2           4               8                      16
 *  | id:1 | layout:1 | zero:2    | parameter:4   | count:8              | body of the codec
 * </pre>
 *
 * All numbers are little-endian. {@code id}: 1 none, 2 int8, 3 sparse (topk, dgc), 4 fp16, 5 bf16, 6 int4, 7 randomk, 8 topk in chunks.
 * {@code parameter}: values per block for int8 and int4, settings for sparse ones, 0 for all others.
 */
public final class Header {
    public static final int BYTES = 16;
    public static final byte NONE = 1;
    public static final byte INT8 = 2;
    public static final byte SPARSE = 3;
    public static final byte FP16 = 4;
    public static final byte BF16 = 5;
    public static final byte INT4 = 6;
    public static final byte RANDOMK = 7;
    public static final byte CHUNKS = 8;

    private static final byte LAYOUT = 1;
    public static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private Header() {}

    public static void write(MemorySegment encoded, byte id, int parameter, long count) {
        encoded.set(LONG, 0, word(id, parameter));
        encoded.set(LONG, Long.BYTES, count);
    }

    public static void check(MemorySegment encoded, byte id, int parameter, long count)
            throws MalformedMessageException {
        checkRoom(encoded);
        long word = encoded.get(LONG, 0);
        if (word != word(id, parameter)) {
            throw new MalformedMessageException("not an encoding of codec " + id + " with parameter " + parameter
                    + ": it starts with " + Long.toHexString(Long.reverseBytes(word)));
        }
        if (encoded.get(LONG, Long.BYTES) != count) {
            throw new MalformedMessageException(
                    "an encoding of " + encoded.get(LONG, Long.BYTES) + " values, expected " + count);
        }
    }

    /** Checks the header and the size of a whole encoding that always has {@code bytes}. */
    public static void check(MemorySegment encoded, byte id, int parameter, long count, long bytes)
            throws MalformedMessageException {
        check(encoded, id, parameter, count);
        if (encoded.byteSize() != bytes) {
            throw new MalformedMessageException("an encoding of " + count + " values by codec " + id
                    + " with parameter " + parameter + " needs " + bytes + " bytes, got " + encoded.byteSize()
                    + ": the size does not fit");
        }
    }

    /** Checks everything but the parameter. */
    public static void check(MemorySegment encoded, byte id, long count) throws MalformedMessageException {
        checkRoom(encoded);
        check(encoded, id, parameter(encoded), count);
    }

    /** The parameter; {@code encoded} holds a header. */
    public static int parameter(MemorySegment encoded) {
        return (int) (encoded.get(LONG, 0) >>> Integer.SIZE);
    }

    private static void checkRoom(MemorySegment encoded) throws MalformedMessageException {
        if (encoded.byteSize() < BYTES) {
            throw new MalformedMessageException(
                    "an encoding starts with " + BYTES + " bytes, got only " + encoded.byteSize());
        }
    }

    /** Whether the bytes begin with the id of that codec; {@link #check} looks at the rest. */
    public static boolean isOf(MemorySegment encoded, byte id) {
        return encoded.byteSize() >= BYTES && encoded.get(ValueLayout.JAVA_BYTE, 0) == id;
    }

    private static long word(byte id, int parameter) {
        return id | LAYOUT << Byte.SIZE | (long) parameter << Integer.SIZE;
    }
}
