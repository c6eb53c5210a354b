package io.hearth.accel.portable;

import io.hearth.accel.HalfFloat;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * Arrays for {@code n} values of a {@link HalfFloat} and the plain loops over them. Reused by one thread at a time; each use starts with
 * {@link #begin}.
 */
public final class HalfBlock {
    /** Values per block. */
    public static final int VALUES = 2048;

    private static final ValueLayout.OfShort SHORT =
            ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final int QUIET_NAN = 0x40;

    private final float[] values = new float[VALUES];
    private final short[] halves = new short[VALUES];
    private HalfFloat format = HalfFloat.BINARY16;
    private boolean finite; // whether all values are, set by firstBeyond

    /** Sets the format. */
    void begin(HalfFloat next) {
        format = next;
    }

    void loadValues(MemorySegment memory, long offset, int n) {
        MemorySegment.copy(memory, PortableCodecKernels.FLOAT, offset, values, 0, n);
    }

    void storeValues(MemorySegment memory, long offset, int n) {
        MemorySegment.copy(values, 0, memory, PortableCodecKernels.FLOAT, offset, n);
    }

    void loadHalves(MemorySegment memory, long offset, int n) {
        MemorySegment.copy(memory, SHORT, offset, halves, 0, n);
    }

    void storeHalves(MemorySegment memory, long offset, int n) {
        MemorySegment.copy(halves, 0, memory, SHORT, offset, n);
    }

    /** The index of the first finite value that would become infinite, or -1. */
    int firstBeyond(int n) {
        int largest = 0;
        for (int i = 0; i < n; i++) {
            largest = Math.max(largest, Float.floatToRawIntBits(values[i]) & PortableCodecKernels.MAGNITUDE);
        }
        finite = largest < PortableCodecKernels.INFINITY;
        for (int i = 0; i < n && largest >= format.overflowBits(); i++) {
            int magnitude = Float.floatToRawIntBits(values[i]) & PortableCodecKernels.MAGNITUDE;
            if (magnitude >= format.overflowBits() && magnitude < PortableCodecKernels.INFINITY) {
                return i;
            }
        }
        return -1;
    }

    void narrow(int n) {
        if (format == HalfFloat.BINARY16) {
            for (int i = 0; i < n; i++) {
                halves[i] = Float.floatToFloat16(values[i]);
            }
            return;
        }
        for (int i = 0; i < n; i++) {
            int whole = Float.floatToRawIntBits(values[i]);
            // A NaN's last bits could round to infinity, or to zero.
            boolean nan = (whole & PortableCodecKernels.MAGNITUDE) > PortableCodecKernels.INFINITY;
            int word = nan ? whole | QUIET_NAN << Short.SIZE : BfloatBlock.rounded(whole);
            halves[i] = (short) (word >>> Short.SIZE);
        }
    }

    /** Subtracts the narrowed values, after {@link #firstBeyond}; a value that is not finite becomes 0. */
    void subtractHalves(int n) {
        if (finite && format == HalfFloat.BINARY16) {
            for (int i = 0; i < n; i++) {
                values[i] -= Float.float16ToFloat(halves[i]);
            }
            return;
        }
        for (int i = 0; i < n; i++) {
            float widened = format == HalfFloat.BINARY16
                    ? Float.float16ToFloat(halves[i])
                    : Float.intBitsToFloat(halves[i] << Short.SIZE);
            values[i] = Float.isFinite(values[i]) ? values[i] - widened : 0;
        }
    }

    void widen(int n) {
        if (format == HalfFloat.BINARY16) {
            for (int i = 0; i < n; i++) {
                values[i] = Float.float16ToFloat(halves[i]);
            }
            return;
        }
        for (int i = 0; i < n; i++) {
            values[i] = Float.intBitsToFloat(halves[i] << Short.SIZE);
        }
    }

    void widenAndAdd(int n) {
        if (format == HalfFloat.BINARY16) {
            for (int i = 0; i < n; i++) {
                values[i] += Float.float16ToFloat(halves[i]);
            }
            return;
        }
        for (int i = 0; i < n; i++) {
            values[i] += Float.intBitsToFloat(halves[i] << Short.SIZE);
        }
    }
}
