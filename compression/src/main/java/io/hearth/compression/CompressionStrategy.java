package io.hearth.compression;

import io.hearth.accel.CodecKernels;
import io.hearth.accel.Engines;
import java.util.HashSet;
import java.util.List;
import java.util.stream.Collectors;

/** What crosses the wire instead of float32 gradients: chosen once for a group, alike on all its ranks. */
public sealed interface CompressionStrategy {
    /** Most characters of {@link #text}: ranks compare it in every sum. */
    int TEXT_MAX = 63;

    /** All bits, always exact. */
    CompressionStrategy NONE = new None();

    /** Whatever is predicted to be fastest, of what loses nothing: see {@link Auto}. */
    Auto AUTO = new Auto(List.of());

    /** The form that {@link #parse} reads, settings included: what ranks compare to agree. */
    String text();

    /** How a single value is stored. */
    QuantizationType quantization();

    /**
     * The momentum that is left to an optimiser which steps by these sums: what gives momentum itself leaves none, or it would come twice.
     *
     * @param usual what the optimiser has without compression, 0 to below 1
     */
    float momentumLeft(float usual);

    /** Through encodings, each of which stands for itself. */
    sealed interface Coded extends CompressionStrategy {
        /**
         * The encoder and decoder; stateless, so threads may share it.
         *
         * @param kernels of the engine that is to do it; shared with others
         */
        Codec codec(CodecKernels kernels);

        /** The same by the fastest engine of this JVM but for its GPU; the bits do not depend on the engine. */
        default Codec codec() {
            return codec(Engines.best().codecKernels());
        }

        /**
         * Whether sums have to remember what encodings leave out, so that it is sent later ({@link ErrorFeedback}, two buffers of the
         * tensor's size): not where rounding to nearest leaves less than a hundredth and errors of both signs even out.
         */
        default boolean isOwed() {
            return !codec().lossless();
        }

        @Override
        default float momentumLeft(float usual) {
            return usual;
        }
    }

    /**
     * A codec of the caller's own.
     *
     * @param codec told apart from others by its name, 1 to {@link #TEXT_MAX} characters, so alike on all ranks
     */
    record Custom(Codec codec) implements Coded {
        public Custom {
            demandShort(codec.name());
        }

        /** The caller's own, whatever the kernels. */
        @Override
        public Codec codec(CodecKernels kernels) {
            return codec;
        }

        @Override
        public String text() {
            return codec.name();
        }

        @Override
        public QuantizationType quantization() {
            return QuantizationType.NONE;
        }
    }

    /** Exact float32. */
    record None() implements Coded {
        @Override
        public Codec codec(CodecKernels kernels) {
            return new NoneCodec(kernels);
        }

        @Override
        public boolean isOwed() {
            return false;
        }

        @Override
        public String text() {
            return "none";
        }

        @Override
        public QuantizationType quantization() {
            return QuantizationType.NONE;
        }
    }

    /**
     * Half precision.
     *
     * <p>Sums are carried as such. Round the ring an average is divided at the end, so it is refused where the sum is beyond the range; among
     * all pairs the owner of a part divides before it encodes, and only the average has to fit.
     *
     * @param onNonFinite for finite values beyond its range; NaN and infinity arrive as such
     */
    record Fp16(OnNonFinite onNonFinite) implements Coded {
        @Override
        public Codec codec(CodecKernels kernels) {
            return onNonFinite.around(new Fp16Codec(kernels), kernels);
        }

        @Override
        public boolean isOwed() {
            return false;
        }

        @Override
        public String text() {
            return "fp16" + onNonFinite.text();
        }

        @Override
        public QuantizationType quantization() {
            return QuantizationType.FP16;
        }
    }

    /**
     * The upper half of each float32.
     *
     * @param onNonFinite for finite values beyond its range; NaN and infinity arrive as such
     */
    record Bf16(OnNonFinite onNonFinite) implements Coded {
        @Override
        public Codec codec(CodecKernels kernels) {
            return onNonFinite.around(new Bf16Codec(kernels), kernels);
        }

        @Override
        public boolean isOwed() {
            return false;
        }

        @Override
        public String text() {
            return "bf16" + onNonFinite.text();
        }

        @Override
        public QuantizationType quantization() {
            return QuantizationType.BF16;
        }
    }

    /**
     * One byte per value and one scale per block.
     *
     * @param block values per scale, 8 to 65,536
     * @param stochastic rounding, or else to nearest
     * @param onNonFinite for NaN and infinity
     */
    record Int8(int block, boolean stochastic, OnNonFinite onNonFinite) implements Coded {
        public Int8 {
            Int8Codec.format(block);
        }

        /** Rounded to nearest, refusing what is not finite. */
        public Int8(int block) {
            this(block, false, OnNonFinite.ERROR);
        }

        @Override
        public Codec codec(CodecKernels kernels) {
            return onNonFinite.around(new Int8Codec(block, stochastic, kernels), kernels);
        }

        @Override
        public boolean isOwed() {
            return false;
        }

        @Override
        public String text() {
            return "int8:" + block + (stochastic ? ":stochastic" : "") + onNonFinite.text();
        }

        @Override
        public QuantizationType quantization() {
            return QuantizationType.INT8;
        }
    }

    /**
     * Half a byte per value and one scale per block.
     *
     * @param block values per scale, 8 to 65,536
     * @param stochastic rounding, or else to nearest
     * @param onNonFinite for NaN and infinity
     */
    record Int4(int block, boolean stochastic, OnNonFinite onNonFinite) implements Coded {
        public Int4 {
            Int4Codec.format(block);
        }

        @Override
        public Codec codec(CodecKernels kernels) {
            return onNonFinite.around(new Int4Codec(block, stochastic, kernels), kernels);
        }

        @Override
        public String text() {
            return "int4:" + block + (stochastic ? ":stochastic" : "") + onNonFinite.text();
        }

        @Override
        public QuantizationType quantization() {
            return QuantizationType.INT4;
        }
    }

    /**
     * Only the largest values, with their indices.
     *
     * @param fraction share of the values that is kept, above 0, at most 1
     * @param full all 32 bits of each, or else 16
     * @param onNonFinite for NaN and infinity
     */
    record TopK(double fraction, boolean full, OnNonFinite onNonFinite) implements Coded {
        public TopK {
            TopKCodec.checkFraction("topk", fraction);
        }

        /** 16 bits of each value, refusing what is not finite. */
        public TopK(double fraction) {
            this(fraction, false, OnNonFinite.ERROR);
        }

        @Override
        public Codec codec(CodecKernels kernels) {
            return onNonFinite.around(new TopKCodec(fraction, full, kernels), kernels);
        }

        @Override
        public String text() {
            return "topk:" + fraction + fullText(full) + onNonFinite.text();
        }

        @Override
        public QuantizationType quantization() {
            return full ? QuantizationType.NONE : QuantizationType.FP16;
        }
    }

    /**
     * Values drawn from a seed.
     *
     * @param fraction share of the values that is kept, above 0, at most 1
     * @param full all 32 bits of each, or else 16
     * @param onNonFinite for NaN and infinity
     */
    record RandomK(double fraction, boolean full, OnNonFinite onNonFinite) implements Coded {
        public RandomK {
            TopKCodec.checkFraction("randomk", fraction);
        }

        @Override
        public Codec codec(CodecKernels kernels) {
            return onNonFinite.around(new RandomKCodec(fraction, full, kernels), kernels);
        }

        @Override
        public String text() {
            return "randomk:" + fraction + fullText(full) + onNonFinite.text();
        }

        @Override
        public QuantizationType quantization() {
            return full ? QuantizationType.NONE : QuantizationType.FP16;
        }
    }

    /**
     * The largest values of a sum that gathers momentum while it waits: {@link DgcMemory}. A member that enters later begins the warm-up by
     * itself, and sends the larger shares meanwhile.
     *
     * @param fraction share of the values that is kept in the end, above 0, at most 1
     * @param momentum of the optimiser, which must not apply it again: 0 to below 1
     * @param warmUpSteps for each of the larger shares that come first (25 %, 6 %, 1.6 %, 0.4 %, as far as larger), 0 for none
     * @param clipNorm largest L2 norm of a tensor's summed gradient; above 0, infinite for no clipping
     * @param reuseSteps steps between exact searches for the values to send, 1 or more; in between those are sent that reach the threshold
     *     found last, as long as they are half to twice as many as wanted
     * @param full all 32 bits of each value, or else 16
     */
    record Dgc(double fraction, float momentum, long warmUpSteps, double clipNorm, int reuseSteps, boolean full)
            implements CompressionStrategy {
        public Dgc {
            if (warmUpSteps < 0) {
                throw new IllegalArgumentException(
                        "need 0 or more warm-up steps, got " + warmUpSteps + "; a usual choice is those of an epoch");
            }
            options(fraction, momentum, warmUpSteps, clipNorm).reusing(reuseSteps);
            demandShort(text(fraction, momentum, warmUpSteps, clipNorm, reuseSteps, full));
        }

        /** 16 bits of each value, searched in every step. */
        public Dgc(double fraction, float momentum, long warmUpSteps, double clipNorm) {
            this(fraction, momentum, warmUpSteps, clipNorm, 1, false);
        }

        /** None: what is kept back gathers it. */
        @Override
        public float momentumLeft(float usual) {
            return 0;
        }

        /** How the memory works. */
        public DgcOptions options() {
            return options(fraction, momentum, warmUpSteps, clipNorm)
                    .reusing(reuseSteps)
                    .full(full);
        }

        private static DgcOptions options(double fraction, float momentum, long warmUpSteps, double clipNorm) {
            TopKCodec.checkFraction("dgc", fraction);
            SparsitySchedule schedule = warmUpSteps == 0
                    ? SparsitySchedule.constant(fraction)
                    : SparsitySchedule.downTo(fraction, warmUpSteps);
            return DgcOptions.of(schedule, momentum).clippedTo(clipNorm);
        }

        @Override
        public String text() {
            return text(fraction, momentum, warmUpSteps, clipNorm, reuseSteps, full);
        }

        private static String text(
                double fraction, float momentum, long warmUpSteps, double clipNorm, int reuseSteps, boolean full) {
            return "dgc:" + fraction
                    + ":momentum=" + momentum
                    + (warmUpSteps == 0 ? "" : ":warmup=" + warmUpSteps)
                    + (Double.isInfinite(clipNorm) ? "" : ":clip=" + clipNorm)
                    + (reuseSteps == 1 ? "" : ":reuse=" + reuseSteps)
                    + fullText(full);
        }

        @Override
        public QuantizationType quantization() {
            return full ? QuantizationType.NONE : QuantizationType.FP16;
        }
    }

    /**
     * The gradient as a matrix, and that as the product of two thin ones: {@link PowerSgd}.
     *
     * @param rank columns of both factors, 1 or more
     */
    record LowRank(int rank) implements CompressionStrategy {
        /** What is usual. */
        static final int RANK_DEFAULT = 2;

        public LowRank {
            PowerSgd.checkRank(rank);
        }

        @Override
        public String text() {
            return "powersgd:" + rank;
        }

        @Override
        public float momentumLeft(float usual) {
            return usual;
        }

        @Override
        public QuantizationType quantization() {
            return QuantizationType.NONE;
        }
    }

    /**
     * Plain values, or what is predicted to be clearly faster: chosen by the group for each size of tensor, from what links and codecs
     * were measured to do.
     *
     * @param allowed besides plain values, most welcome first; at most {@link #ALLOWED_MAX}, each once. Error feedback follows a tensor from
     *     one to the next
     */
    record Auto(List<Coded> allowed) implements CompressionStrategy {
        /** Most codecs to choose among. */
        public static final int ALLOWED_MAX = 6;

        public Auto {
            allowed = List.copyOf(allowed);
            boolean areKnown = allowed.stream().noneMatch(each -> each instanceof None || each instanceof Custom);
            if (!areKnown || allowed.size() > ALLOWED_MAX || new HashSet<>(allowed).size() < allowed.size()) {
                throw new IllegalArgumentException("auto chooses between none and up to " + ALLOWED_MAX
                        + " others of fp16, bf16, int8, int4, topk and randomk, each once; got " + names(allowed));
            }
            demandShort("auto:" + names(allowed));
        }

        /** Values at whose multiples blocks of each of them begin; 1 if none has blocks. */
        public int block() {
            long common = 1;
            for (Coded each : allowed) {
                int block = PassDenseCodec.within(each.codec()) instanceof BlockCodec blocks ? blocks.block() : 1;
                common = Math.multiplyExact(common / gcd(common, block), (long) block);
            }
            return Math.toIntExact(common);
        }

        private static long gcd(long one, long other) {
            return other == 0 ? one : gcd(other, one % other);
        }

        /**
         * Instead, the usual lossy ones: half precision, a byte per value, and the largest hundredth; each sends plain values where some
         * are not finite or beyond its range, so that it does not depend on a link whether they arrive.
         */
        public Auto allowLossy() {
            return new Auto(List.of(
                    new Fp16(OnNonFinite.PASS_DENSE),
                    new Int8(Int8Codec.BLOCK_DEFAULT, false, OnNonFinite.PASS_DENSE),
                    new TopK(TopKCodec.FRACTION_DEFAULT, false, OnNonFinite.PASS_DENSE)));
        }

        @Override
        public String text() {
            return allowed.isEmpty() ? "auto" : "auto:" + names(allowed);
        }

        @Override
        public float momentumLeft(float usual) {
            return usual;
        }

        private static String names(List<Coded> all) {
            return all.stream().map(CompressionStrategy::text).collect(Collectors.joining("+"));
        }

        @Override
        public QuantizationType quantization() {
            return QuantizationType.NONE;
        }
    }

    /**
     * Reads a name, a setting and options, with colons between: {@code int8}, {@code int8:64}, {@code int8:64:stochastic:dense},
     * {@code topk:0.01:full}, {@code dgc:0.001:momentum=0.9:warmup=100:clip=1:reuse=10}; or {@code auto}, {@code auto:lossy}, {@code auto:fp16+int8:64}.
     *
     * @throws IllegalArgumentException if {@code text} is none of these or a setting is out of range; says what is allowed
     */
    static CompressionStrategy parse(String text) {
        return StrategyText.parse(text);
    }

    private static void demandShort(String text) {
        if (text.isEmpty() || text.length() > TEXT_MAX) {
            throw new IllegalArgumentException("the name of a compression has 1 to " + TEXT_MAX
                    + " characters, because ranks compare it in every sum, and this one has " + text.length() + ": '"
                    + text + "'; take fewer codecs, rounder settings or a shorter name");
        }
    }

    private static String fullText(boolean full) {
        return full ? ":full" : "";
    }
}
