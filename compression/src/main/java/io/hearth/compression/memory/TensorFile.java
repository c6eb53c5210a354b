package io.hearth.compression.memory;

import io.hearth.compression.format.Float32;
import io.hearth.compression.format.Header;
import io.hearth.core.MalformedMessageException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.zip.CRC32C;

/**
 * The file format of a gradient memory.
 *
 * <pre>
 *  | magic:4 | version:1 | kind:1 | zero:2 | tensors:4 |
 *  for each tensor, by rising name
 *  | nameBytes:4 | name: UTF-8 | floats:8 | shape:8 | steps:8 | note:8 | floats * float32, finite |
 *  | CRC-32C of all before: 4 |
 * </pre>
 *
 * All numbers are little-endian.
 */
final class TensorFile {
    /** {@link ErrorFeedback}: the residual. */
    static final byte ERROR_FEEDBACK = 1;

    /** {@link DgcMemory}: momentum, then velocity. */
    static final byte DGC = 2;

    /** {@link PowerSgdMemory}: the residual, then the right factor, line by line. */
    static final byte POWER_SGD = 3;

    /** {@link RandomKMemory}: the residual, if one is kept. */
    static final byte RANDOM_K = 4;

    private static final int MAGIC = 0x4d_47_52_48; // HRGM
    private static final byte VERSION = 2;
    private static final ValueLayout.OfInt INT = Float32.BITS;
    private static final ValueLayout.OfLong LONG = Header.LONG;
    private static final int TENSORS_AT = 8;
    private static final int HEAD_BYTES = 12;
    private static final int TENSOR_BYTES = Integer.BYTES + 4 * Long.BYTES;
    private static final int NAME_BYTES_MAX = 1 << 16;
    private static final long CHECKSUM_STRIDE = 1 << 30;

    private TensorFile() {}

    static long bytes(SortedMap<String, TensorMemory> tensors) {
        long bytes = HEAD_BYTES + Integer.BYTES;
        for (Map.Entry<String, TensorMemory> entry : tensors.entrySet()) {
            bytes += TENSOR_BYTES
                    + name(entry.getKey()).length
                    + entry.getValue().floats() * Float.BYTES;
        }
        return bytes;
    }

    static void write(byte kind, SortedMap<String, TensorMemory> tensors, MemorySegment file) {
        long bytes = bytes(tensors);
        if (file.byteSize() < bytes) {
            throw new IllegalArgumentException(
                    "need " + bytes + " bytes (savedBytes) for the memory, got " + file.byteSize());
        }
        file.set(LONG, 0, head(kind));
        file.set(INT, TENSORS_AT, tensors.size());
        long at = HEAD_BYTES;
        for (Map.Entry<String, TensorMemory> entry : tensors.entrySet()) {
            byte[] name = name(entry.getKey());
            TensorMemory tensor = entry.getValue();
            file.set(INT, at, name.length);
            MemorySegment.copy(name, 0, file, ValueLayout.JAVA_BYTE, at + Integer.BYTES, name.length);
            at += Integer.BYTES + name.length;
            file.set(LONG, at, tensor.floats());
            file.set(LONG, at + Long.BYTES, tensor.shape());
            file.set(LONG, at + 2 * Long.BYTES, tensor.steps());
            file.set(LONG, at + 3 * Long.BYTES, tensor.note());
            at += 4 * Long.BYTES;
            tensor.load(tensor.now(), 0, file.asSlice(at), tensor.floats());
            at += tensor.floats() * Float.BYTES;
        }
        file.set(INT, at, checksum(file.asSlice(0, at)));
    }

    /** Reads what {@link #write} wrote, into narrow or wide memory; nothing is allocated before the whole file was checked. */
    static SortedMap<String, TensorMemory> read(byte kind, int tensorsMax, boolean isNarrow, MemorySegment file)
            throws MalformedMessageException {
        if (file.byteSize() < HEAD_BYTES + Integer.BYTES || file.get(LONG, 0) != head(kind)) {
            throw new MalformedMessageException("not a saved gradient memory of kind " + kind + ", version " + VERSION);
        }
        long end = file.byteSize() - Integer.BYTES;
        if (file.get(INT, end) != checksum(file.asSlice(0, end))) {
            throw new MalformedMessageException("the saved gradient memory is damaged: wrong checksum");
        }
        List<Entry> entries = entries(file, tensorsMax, end);
        var tensors = new TreeMap<String, TensorMemory>();
        for (Entry entry : entries) {
            tensors.put(
                    entry.name(),
                    new TensorMemory(
                            entry.floats(), entry.shape(), entry.steps(), entry.note(), entry.values(), isNarrow));
        }
        return tensors;
    }

    private record Entry(String name, long floats, long shape, long steps, long note, MemorySegment values) {}

    private static List<Entry> entries(MemorySegment file, int tensorsMax, long end) throws MalformedMessageException {
        int tensors = file.get(INT, TENSORS_AT);
        if (tensors < 0 || tensors > tensorsMax) {
            throw new MalformedMessageException(
                    "the saved gradient memory holds " + tensors + " tensors, at most " + tensorsMax + " are allowed");
        }
        var entries = new ArrayList<Entry>();
        String before = null;
        long at = HEAD_BYTES;
        for (int i = 0; i < tensors; i++) {
            Entry entry = entry(file, at, end);
            if (before != null && before.compareTo(entry.name()) >= 0) {
                throw new MalformedMessageException("the saved tensors are not in the order of their names");
            }
            before = entry.name();
            entries.add(entry);
            at += TENSOR_BYTES + name(entry.name()).length + entry.values().byteSize();
        }
        if (at != end) {
            throw new MalformedMessageException(end - at + " bytes after the last saved tensor");
        }
        return entries;
    }

    private static Entry entry(MemorySegment file, long start, long end) throws MalformedMessageException {
        int nameBytes = end - start < TENSOR_BYTES ? -1 : file.get(INT, start);
        if (nameBytes < 0 || nameBytes > NAME_BYTES_MAX || nameBytes > end - start - TENSOR_BYTES) {
            throw new MalformedMessageException("a saved tensor is cut off at its name");
        }
        long at = start + Integer.BYTES;
        String name = name(file.asSlice(at, nameBytes));
        at += nameBytes;
        long floats = file.get(LONG, at);
        long steps = file.get(LONG, at + 2 * Long.BYTES);
        long valuesAt = at + 4 * Long.BYTES;
        if (floats < 0 || floats > (end - valuesAt) / Float.BYTES || steps < 0) {
            throw new MalformedMessageException(
                    "saved tensor " + name + " has " + floats + " values after " + steps + " steps: out of range");
        }
        MemorySegment values = file.asSlice(valuesAt, floats * Float.BYTES);
        for (long i = 0; i < floats; i++) {
            if (!Float.isFinite(values.get(Float32.FLOAT, i * Float.BYTES))) {
                throw new MalformedMessageException("saved tensor " + name + " is not finite at value " + i);
            }
        }
        return new Entry(
                name, floats, file.get(LONG, at + Long.BYTES), steps, file.get(LONG, at + 3 * Long.BYTES), values);
    }

    private static byte[] name(String key) {
        byte[] name = key.getBytes(StandardCharsets.UTF_8);
        if (name.length > NAME_BYTES_MAX) {
            throw new IllegalArgumentException(
                    "need tensor names of at most " + NAME_BYTES_MAX + " bytes to save them, got " + name.length);
        }
        return name;
    }

    private static String name(MemorySegment bytes) throws MalformedMessageException {
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes.toArray(ValueLayout.JAVA_BYTE)))
                    .toString();
        } catch (CharacterCodingException notText) {
            throw new MalformedMessageException("a saved tensor's name is not UTF-8", notText);
        }
    }

    private static long head(byte kind) {
        return Integer.toUnsignedLong(MAGIC)
                | ((long) VERSION << Integer.SIZE)
                | ((long) kind << (Integer.SIZE + Byte.SIZE));
    }

    private static int checksum(MemorySegment bytes) {
        var checksum = new CRC32C();
        for (long at = 0; at < bytes.byteSize(); at += CHECKSUM_STRIDE) {
            long stride = Math.min(CHECKSUM_STRIDE, bytes.byteSize() - at);
            checksum.update(bytes.asSlice(at, stride).asByteBuffer().order(ByteOrder.LITTLE_ENDIAN));
        }
        return (int) checksum.getValue();
    }
}
