package io.hearth.accel.select;

import io.hearth.accel.BlockFormat;
import io.hearth.accel.CodecKernels;
import io.hearth.accel.EngineMemory;
import io.hearth.accel.KernelKind;
import io.hearth.accel.MagnitudeHistogram;
import io.hearth.accel.Reducer;
import io.hearth.accel.Rounding;
import io.hearth.accel.portable.PortableCodecKernels;
import io.hearth.core.DataType;
import io.hearth.core.ReduceOp;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.function.LongFunction;

/**
 * The operands of one kernel at one size, for repeated calls. Values are near 1, so that no sum vanishes, overflows or becomes subnormal,
 * however often the kernel is called.
 *
 * <p>Used by one thread at a time.
 */
public final class KernelRun implements AutoCloseable {
    /** The format of the int8 kernels. */
    public static final BlockFormat INT8 = new BlockFormat(Byte.SIZE, 64);

    /** Most bytes of an operand. */
    public static final int BYTES_MAX = 1 << 28;

    private static final int CACHE_LINE = 64;
    private static final long SEED = 17;
    private static final int ONE_IN_A_HUNDRED = Float.floatToRawIntBits(1.99f);
    private static final int BUCKET_SHIFT = 12; // four octaves
    private static final long COUNTS_BYTES = (MagnitudeHistogram.BUCKETS + 1L) * Integer.BYTES;

    private final Arena arena = Arena.ofConfined();
    private final KernelKind kind;
    private final int bytes;
    private final int count;
    private final MemorySegment target;
    private final MemorySegment right;
    private final MemorySegment body;
    private final Optional<EngineMemory> owned;
    private final int[] indices;
    private final MagnitudeHistogram histogram = new MagnitudeHistogram();
    private int selected;

    /**
     * Allocates and fills the operands.
     *
     * @param bytes of one operand, float32 for the codecs' kernels; a multiple of 4, 4 to {@link #BYTES_MAX}
     */
    public KernelRun(KernelKind kind, int bytes) {
        this(kind, bytes, _ -> Optional.empty());
    }

    /**
     * The same with an engine's own memory where a collective would have it: for the result of a sum. A contribution and a codec's
     * operands are in plain memory, as in a collective.
     *
     * @param memory as {@link Reducer#allocate}
     */
    public KernelRun(KernelKind kind, int bytes, LongFunction<Optional<EngineMemory>> memory) {
        if (bytes < Float.BYTES || bytes > BYTES_MAX || bytes % Float.BYTES != 0) {
            throw new IllegalArgumentException("need 4, 8, … to " + BYTES_MAX + " bytes, got " + bytes);
        }
        this.kind = kind;
        this.bytes = bytes;
        count = bytes / kind.type().bytes();
        boolean codec = kind.compareTo(KernelKind.QUANTISE_INT8) >= 0;
        owned = codec ? Optional.empty() : memory.apply(bytes);
        target = filled(owned.map(EngineMemory::segment).orElseGet(this::plain), new SplittableRandom(SEED), 1);
        right = codec ? MemorySegment.NULL : filled(plain(), new SplittableRandom(SEED + 1), 0x1p-14f);
        boolean packs = kind == KernelKind.QUANTISE_INT8 || kind == KernelKind.ADD_INT8;
        boolean selects = kind == KernelKind.SELECT_FLOAT32;
        boolean counts = kind == KernelKind.HISTOGRAM_FLOAT32;
        body = arena.allocate(packs ? INT8.bytes(count) : selects ? bytes : counts ? COUNTS_BYTES : 1, CACHE_LINE);
        indices = new int[selects ? count + CodecKernels.SELECT_SLACK : 0];
        if (kind == KernelKind.ADD_INT8) {
            new PortableCodecKernels().quantise(INT8, Rounding.NEAREST, 0, operandOfBody(), 0, count, body, 0);
        }
    }

    private MemorySegment operandOfBody() {
        return filled(plain(), new SplittableRandom(SEED), 0x1p-14f);
    }

    private MemorySegment plain() {
        return arena.allocate(bytes, CACHE_LINE);
    }

    /** Fills memory with elements from {@code least} to twice that; an integer has the bits of such a float32. */
    private MemorySegment filled(MemorySegment memory, SplittableRandom random, float least) {
        for (int i = 0; i < count; i++) {
            float value = least * (1 + random.nextFloat());
            switch (kind.type()) {
                case FLOAT16 -> memory.setAtIndex(ValueLayout.JAVA_SHORT, i, Float.floatToFloat16(value));
                case BFLOAT16 ->
                    memory.setAtIndex(
                            ValueLayout.JAVA_SHORT, i, (short) (Float.floatToRawIntBits(value) >>> Short.SIZE));
                default -> memory.setAtIndex(ValueLayout.JAVA_FLOAT, i, value);
            }
        }
        return memory;
    }

    /** Makes one call: {@code target += right}, or a codec's kernel. */
    public void call(Reducer reducer, CodecKernels codecs) {
        DataType type = kind.type();
        switch (kind) {
            case SUM_FLOAT32, SUM_FLOAT16, SUM_BFLOAT16, SUM_INT32 ->
                reducer.combine(type, ReduceOp.SUM, target, 0, target, 0, right, 0, count);
            case QUANTISE_INT8 -> codecs.quantise(INT8, Rounding.NEAREST, 0, target, 0, count, body, 0);
            case ADD_INT8 -> codecs.dequantiseAndAdd(INT8, body, 0, target, 0, count);
            case SELECT_FLOAT32 -> selected = codecs.select(target, 0, count, ONE_IN_A_HUNDRED, indices);
            case HISTOGRAM_FLOAT32 -> {
                long high = ONE_IN_A_HUNDRED + (1L << (MagnitudeHistogram.BUCKET_BITS + BUCKET_SHIFT));
                histogram.begin(ONE_IN_A_HUNDRED, high, BUCKET_SHIFT);
                codecs.histogram(target, 0, count, histogram);
            }
        }
    }

    /** The operand that {@link #call} writes; a caller of the loops in C passes it instead. */
    public MemorySegment target() {
        return target;
    }

    /** The operand that a sum adds to the target; a null pointer for the codecs' kernels. */
    public MemorySegment right() {
        return right;
    }

    /** Packed levels; for C also the selected indices and the counts of a histogram. */
    public MemorySegment body() {
        return body;
    }

    /** Number of values that the last call selected or counted. */
    public long selected() {
        return kind == KernelKind.HISTOGRAM_FLOAT32 ? histogram.counted() : selected;
    }

    public int count() {
        return count;
    }

    /** The kernel. */
    public KernelKind kind() {
        return kind;
    }

    /** Frees the operands. */
    @Override
    public void close() {
        owned.ifPresent(EngineMemory::close);
        arena.close();
    }
}
