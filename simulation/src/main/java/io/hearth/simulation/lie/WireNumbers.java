package io.hearth.simulation.lie;

import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * Changes one number of an encoded message, at any depth, or adds one. The result is well formed as protocol buffers; the decoder
 * decides whether it is a message.
 */
final class WireNumbers {
    private static final long[] NUMBERS = {
        0,
        1,
        2,
        255,
        256,
        257,
        1_000,
        1_000_000,
        1_000_000_000,
        1_000_000_001,
        Integer.MAX_VALUE,
        1L << 31,
        1L << 32,
        (1L << 48) - 1,
        1L << 48,
        (1L << 48) + 1,
        (1L << 53) - 1,
        1L << 53,
        (1L << 53) + 1,
        Long.MAX_VALUE - 1,
        Long.MAX_VALUE,
        Long.MIN_VALUE,
        -2,
        -1
    };
    private static final int FIELDS_MAX = 24;
    private static final int DEPTH_MAX = 6;
    private static final int ADD_ONE_IN = 4;

    private WireNumbers() {}

    /** Numbers at, below and beyond all bounds. */
    static long any(SplittableRandom random) {
        return NUMBERS[random.nextInt(NUMBERS.length)];
    }

    private sealed interface Field {
        record Varint(int tag, long value) implements Field {}

        @SuppressWarnings("ArrayRecordComponent") // written, never compared
        record Raw(int tag, byte[] bytes) implements Field {}

        record Nested(int tag, List<Field> fields) implements Field {}
    }

    /** The message with one number changed. */
    static byte[] changed(byte[] message, SplittableRandom random) {
        List<Field> fields = parsed(message, 0);
        if (fields == null) {
            return message;
        }
        int numbers = count(fields);
        if (numbers == 0 || random.nextInt(ADD_ONE_IN) == 0) {
            fields.add(new Field.Varint((1 + random.nextInt(FIELDS_MAX)) << 3, any(random)));
        } else {
            change(fields, random.nextInt(numbers), any(random));
        }
        var out = new ByteArrayOutputStream();
        write(fields, out);
        return out.toByteArray();
    }

    private static int count(List<Field> fields) {
        int numbers = 0;
        for (Field field : fields) {
            numbers += switch (field) {
                case Field.Varint _ -> 1;
                case Field.Raw _ -> 0;
                case Field.Nested(int _, List<Field> inner) -> count(inner);
            };
        }
        return numbers;
    }

    /** The count of numbers so far. */
    private static int change(List<Field> fields, int index, long value) {
        int passed = 0;
        for (int i = 0; i < fields.size(); i++) {
            switch (fields.get(i)) {
                case Field.Varint(int tag, long _) -> {
                    if (passed++ == index) {
                        fields.set(i, new Field.Varint(tag, value));
                    }
                }
                case Field.Raw _ -> {}
                case Field.Nested(int _, List<Field> inner) -> passed += change(inner, index - passed, value);
            }
        }
        return passed;
    }

    /** The fields of a message; null if the bytes are not one. */
    private static @Nullable List<Field> parsed(byte[] bytes, int depth) {
        var fields = new ArrayList<Field>();
        var in = new Reader(bytes);
        while (in.at < bytes.length) {
            long tag = in.varint();
            int field = (int) (tag >>> 3);
            if (in.failed || field < 1 || field > FIELDS_MAX) {
                return null;
            }
            switch ((int) (tag & 7)) {
                case 0 -> fields.add(new Field.Varint((int) tag, in.varint()));
                case 2 -> {
                    byte[] part = in.part();
                    List<Field> nested = part.length == 0 || depth == DEPTH_MAX ? null : parsed(part, depth + 1);
                    fields.add(nested == null ? new Field.Raw((int) tag, part) : new Field.Nested((int) tag, nested));
                }
                default -> {
                    return null;
                }
            }
            if (in.failed) {
                return null;
            }
        }
        return fields;
    }

    private static final class Reader {
        private final byte[] bytes;
        private int at;
        private boolean failed;

        Reader(byte[] bytes) {
            this.bytes = bytes;
        }

        long varint() {
            long value = 0;
            for (int shift = 0; shift < Long.SIZE && at < bytes.length; shift += 7) {
                byte next = bytes[at++];
                value |= (next & 0x7FL) << shift;
                if (next >= 0) {
                    return value;
                }
            }
            failed = true;
            return 0;
        }

        byte[] part() {
            long length = varint();
            if (failed || length < 0 || length > bytes.length - at) {
                failed = true;
                return new byte[0];
            }
            byte[] part = Arrays.copyOfRange(bytes, at, at + (int) length);
            at += (int) length;
            return part;
        }
    }

    private static void write(List<Field> fields, ByteArrayOutputStream out) {
        for (Field field : fields) {
            switch (field) {
                case Field.Varint(int tag, long value) -> {
                    varint(tag, out);
                    varint(value, out);
                }
                case Field.Raw(int tag, byte[] bytes) -> part(tag, bytes, out);
                case Field.Nested(int tag, List<Field> inner) -> {
                    var nested = new ByteArrayOutputStream();
                    write(inner, nested);
                    part(tag, nested.toByteArray(), out);
                }
            }
        }
    }

    private static void part(int tag, byte[] bytes, ByteArrayOutputStream out) {
        varint(tag, out);
        varint(bytes.length, out);
        out.writeBytes(bytes);
    }

    private static void varint(long value, ByteArrayOutputStream out) {
        long left = value;
        while ((left & ~0x7FL) != 0) {
            out.write((int) ((left & 0x7F) | 0x80));
            left >>>= 7;
        }
        out.write((int) left);
    }
}
