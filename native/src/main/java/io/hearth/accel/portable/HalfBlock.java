package io.hearth.accel.portable;

import io.hearth.accel.HalfFloat;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * Arrays for some values in {@link HalfFloat} and the plain loops over them; {@code n} is how many. Used again and again, by one
 * thread at a time, each time from {@link #begin} on.
 */
public final class HalfBlock {
    /** Values per block. */
    public static final int VALUES = 2048;

    private static final ValueLayout.OfShort SHORT =
            ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final int JUST_BELOW_HALF = 0x7fff;
    private static final int QUIET_NAN = 0x40;

    private final float[] values = new float[VALUES];
    private final short[] halves = new short[VALUES];
    private HalfFloat format = HalfFloat.BINARY16;
    private boolean finite; // all values, as firstBeyond saw them

    /** Of that format from now on. */
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
            int upper = whole >>> Short.SIZE;
            int rounded = (whole + JUST_BELOW_HALF + (upper & 1)) >>> Short.SIZE;
            // A NaN's last bits could round to infinity, or to zero.
            boolean nan = (whole & PortableCodecKernels.MAGNITUDE) > PortableCodecKernels.INFINITY;
            halves[i] = (short) (nan ? upper | QUIET_NAN : rounded);
        }
    }

    /** What was narrowed is taken away, after {@link #firstBeyond}; nothing is left of what is not finite. */
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
