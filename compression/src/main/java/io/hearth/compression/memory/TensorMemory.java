package io.hearth.compression.memory;

import io.hearth.accel.CodecKernels;
import io.hearth.compression.Pending;
import io.hearth.compression.format.Float32;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * The memory of one tensor, and its pending encoding. Values are stored as float32, or as {@link BFloat16} if the memory is narrow; then
 * parts of it are converted to float32 where they are used.
 */
final class TensorMemory {
    private final Arena arena = Arena.ofShared();
    private final long floats;
    private final long shape;
    private final boolean isNarrow;
    private MemorySegment now;
    private @Nullable MemorySegment next;
    private long steps;
    private long note;
    private @Nullable Encoding pending;

    /**
     * A memory of zeros.
     *
     * @param floats number of values
     * @param shape a further number that must match for the memory to be reused
     * @param isNarrow whether it is stored as bfloat16
     */
    TensorMemory(long floats, long shape, boolean isNarrow) {
        this.floats = floats;
        this.shape = shape;
        this.isNarrow = isNarrow;
        now = allocate();
    }

    /** A memory that {@link TensorFile} read; copies {@code values}, which are float32. */
    TensorMemory(long floats, long shape, long steps, long note, MemorySegment values, boolean isNarrow) {
        this(floats, shape, isNarrow);
        this.steps = steps;
        this.note = note;
        keep(values, now, 0, floats, steps);
    }

    private MemorySegment allocate() {
        return arena.allocate(floats * (isNarrow ? BFloat16.BYTES : Float.BYTES), Float.BYTES);
    }

    boolean isNarrow() {
        return isNarrow;
    }

    /** Value {@code index}, as float32. */
    float value(long index) {
        return isNarrow ? BFloat16.value(now, index) : now.get(Float32.FLOAT, index * Float.BYTES);
    }

    /** {@code values[i] = from[first + i]}, as float32, where {@code from} is {@link #now} or {@link #next}. */
    void load(MemorySegment from, long first, MemorySegment values, long n) {
        if (isNarrow) {
            BFloat16.widen(from, first, values, n);
        } else {
            MemorySegment.copy(from, first * Float.BYTES, values, 0, n * Float.BYTES);
        }
    }

    /** {@code into[first + i] = values[i]}, which are float32, where {@code into} is {@link #now} or {@link #next}. */
    void keep(MemorySegment values, MemorySegment into, long first, long n, long draw) {
        if (isNarrow) {
            BFloat16.round(values, n, into, first, draw);
        } else {
            MemorySegment.copy(values, 0, into, first * Float.BYTES, n * Float.BYTES);
        }
    }

    /** {@code sum[i] = gradient[first + i] + now[first + i]}; {@code sum} is native memory other than the gradient's. */
    void addTo(MemorySegment gradient, long first, MemorySegment sum, long n, CodecKernels kernels) {
        long offset = first * Float.BYTES;
        if (isNarrow) {
            load(now, first, sum, n);
            kernels.add(sum, 0, gradient, offset, sum, 0, n);
        } else {
            kernels.add(sum, 0, gradient, offset, now, offset, n);
        }
    }

    long floats() {
        return floats;
    }

    long shape() {
        return shape;
    }

    /** Number of committed encodings. */
    long steps() {
        return steps;
    }

    /** A number that the last committed encoding stored besides the values; 0 at first. */
    long note() {
        return note;
    }

    /** The stored values. */
    MemorySegment now() {
        return now;
    }

    /** A second memory of the same size, for an encoding that replaces all values; allocated at its first use. */
    MemorySegment next() {
        MemorySegment taken = next;
        if (taken == null) {
            taken = allocate();
            next = taken;
        }
        return taken;
    }

    /** Begins an encoding that writes {@link #next}, which its commit makes {@link #now}. */
    Encoding pendNext(long encodedBytes) {
        return pend(encodedBytes, note, () -> {
            MemorySegment kept = next();
            next = now;
            now = kept;
        });
    }

    /**
     * Begins an encoding that leaves {@link #now} as it is until {@link Encoding#commit}.
     *
     * @param change made by the commit
     */
    Encoding pend(long encodedBytes, long nextNote, Runnable change) {
        return pend(new Encoding(encodedBytes, nextNote, change, false));
    }

    /**
     * Begins an encoding that leaves {@link #now} as it is until {@link Encoding#gradientEnds}, {@link Encoding#changeBy} or
     * {@link Encoding#commit}.
     *
     * @param change made by the first of them; reads the gradient and writes {@link #now}
     */
    Encoding pendReading(long encodedBytes, long nextNote, Runnable change) {
        return pend(new Encoding(encodedBytes, nextNote, change, true));
    }

    private Encoding pend(Encoding encoding) {
        pending = encoding;
        return encoding;
    }

    void checkIdle(String key) {
        if (pending != null) {
            throw new IllegalStateException("tensor " + key + " is pending: commit or roll back first");
        }
    }

    void close() {
        pending = null;
        arena.close();
    }

    /** An encoding that was made, or is being made part by part. */
    final class Encoding implements Pending {
        private final long encodedBytes;
        private final long nextNote;
        private final Runnable change;
        private final boolean readsGradient;
        private boolean isChanged;

        private Encoding(long encodedBytes, long nextNote, Runnable change, boolean readsGradient) {
            this.encodedBytes = encodedBytes;
            this.nextNote = nextNote;
            this.change = change;
            this.readsGradient = readsGradient;
        }

        @Override
        public long encodedBytes() {
            return encodedBytes;
        }

        @Override
        public void gradientEnds() {
            if (readsGradient) {
                checkPending();
                if (!isChanged) {
                    changeBy(change);
                }
            }
        }

        /** Makes the change now, in another way than the one given at first; {@link #commit} must follow. */
        void changeBy(Runnable other) {
            checkPending();
            isChanged = true;
            other.run();
        }

        @Override
        public void commit() {
            checkPending();
            if (!isChanged) {
                changeBy(change);
            }
            pending = null;
            note = nextNote;
            steps++;
        }

        /** A change that was made already cannot be undone: the tensor's residual becomes 0. */
        @Override
        public void rollback() {
            checkPending();
            if (isChanged) {
                forget();
            }
            pending = null;
        }

        /** Sets the tensor's residual to 0. */
        void forget() {
            now.fill((byte) 0);
        }

        void checkPending() {
            if (pending != this) {
                throw new IllegalStateException("this encoding was committed, rolled back or forgotten before");
            }
        }
    }
}
