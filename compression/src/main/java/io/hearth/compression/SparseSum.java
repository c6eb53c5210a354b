package io.hearth.compression;

import io.hearth.core.MalformedMessageException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/**
 * Reads what {@link TopKCodec} and {@link DgcMemory} write, and adds it to sums without a detour through dense values: sparse encodings, and
 * dense ones (as {@link NoneCodec} writes them) where values that are not finite had to arrive as such.
 */
public final class SparseSum {
    private static final NoneCodec DENSE = new NoneCodec();

    private SparseSum() {}

    /**
     * Decodes an encoding over what {@code values} held.
     *
     * @throws MalformedMessageException as {@link Codec#decode}
     */
    public static void decode(MemorySegment encoded, MemorySegment values, long count)
            throws MalformedMessageException {
        Float32.checkRoom(values, count);
        if (check(encoded, count)) {
            Sparse.scatter(encoded, values, count);
        } else {
            DENSE.decode(encoded, values, count);
        }
    }

    /**
     * Decodes an encoding and adds it.
     *
     * @throws MalformedMessageException as {@link Codec#decodeAndAdd}
     */
    public static void decodeAndAdd(MemorySegment encoded, MemorySegment values, long count)
            throws MalformedMessageException {
        Float32.checkRoom(values, count);
        if (check(encoded, count)) {
            Sparse.addAll(encoded, values, count);
        } else {
            DENSE.decodeAndAdd(encoded, values, count);
        }
    }

    /**
     * Decodes a sum of several encodings, or their mean, over what {@code values} held: added in the order given, each value divided
     * before it is added.
     *
     * @param encodings heap or native; borrowed
     * @param divisor 1 or more
     * @throws MalformedMessageException as {@link Codec#decode}, about the first one that is malformed; found before anything is written
     */
    public static void decodeAll(List<MemorySegment> encodings, int divisor, MemorySegment values, long count)
            throws MalformedMessageException {
        Float32.checkRoom(values, count);
        var sparse = new ArrayList<Boolean>();
        for (MemorySegment encoded : encodings) {
            sparse.add(check(encoded, count));
        }
        values.asSlice(0, count * Float.BYTES).fill((byte) 0);
        for (int i = 0; i < encodings.size(); i++) {
            MemorySegment encoded = encodings.get(i);
            if (sparse.get(i)) {
                Sparse.scatterAdd(encoded, values, count, divisor);
            } else {
                addDense(encoded, values, count, divisor);
            }
        }
    }

    private static void addDense(MemorySegment encoded, MemorySegment values, long count, int divisor) {
        for (long i = 0; i < count; i++) {
            float value = encoded.get(Float32.FLOAT, Header.BYTES + i * Float.BYTES) / divisor;
            values.setAtIndex(Float32.FLOAT, i, values.getAtIndex(Float32.FLOAT, i) + value);
        }
    }

    /**
     * Reads every byte of an encoding.
     *
     * @param encoded heap or native; borrowed
     * @return whether it is sparse; else it holds all values
     * @throws MalformedMessageException if it is no sum of {@code count} values
     */
    public static boolean check(MemorySegment encoded, long count) throws MalformedMessageException {
        if (Header.isOf(encoded, Header.NONE)) {
            DENSE.check(encoded, count);
            return false;
        }
        Sparse.check(encoded, count);
        return true;
    }
}
