package io.hearth.compression;

import io.hearth.accel.BlockFormat;
import io.hearth.compression.format.Ranges;
import java.util.List;

/** The form in which gradients cross the wire instead of float32: chosen once for a group, the same on all its ranks. */
public sealed interface CompressionStrategy
        permits CompressionStrategy.Coded,
                CompressionStrategy.Dgc,
                CompressionStrategy.PowerSgd,
                CompressionStrategy.Auto,
                CompressionRules {
    /** Most characters of {@link #text}: ranks compare it in every sum. */
    int TEXT_MAX = 255;

    /** All bits of each value: always exact. */
    CompressionStrategy NONE = new None();

    /** The strategy that is predicted to be fastest, among those that lose nothing: see {@link Auto}. */
    Auto AUTO = new Auto(List.of());

    /** The text that {@link #parse} reads, settings included. Ranks compare it, to check that they agree. */
    String text();

    /**
     * The momentum that an optimiser should apply to these sums: none if the strategy applies momentum itself, or it would count twice.
     *
     * @param usual the optimiser's momentum without compression, 0 to below 1
     */
    float momentumLeft(float usual);

    /** Strategies of independent encodings: each can be decoded without the others. */
    sealed interface Coded extends CompressionStrategy {
        /** How sums keep the residuals of encodings, which are sent later ({@code ErrorFeedback}). */
        Residual residual();

        /** Whether sums keep residuals. */
        default boolean keepsResidual() {
            return residual() != Residual.NONE;
        }

        /** How the codec handles a tensor with a value that it cannot carry. */
        default OnNonFinite onNonFinite() {
            return OnNonFinite.ERROR;
        }

        /** Number of values that share a scale; parts of a tensor begin at its multiples. 1 if each value is encoded by itself. */
        default int block() {
            return 1;
        }

        @Override
        default String text() {
            return StrategyText.of(this);
        }

        @Override
        default float momentumLeft(float usual) {
            return usual;
        }
    }

    /**
     * A codec of the caller's own.
     *
     * @param codec identified by its name, 1 to {@link #TEXT_MAX} characters, which is the same on all ranks
     */
    record Custom(Codec codec) implements Coded {
        public Custom {
            StrategyText.requireShort(codec.name());
        }

        /** Float32 if the codec is lossy, none otherwise. */
        @Override
        public Residual residual() {
            return codec.lossless() ? Residual.NONE : Residual.FLOAT32;
        }

        @Override
        public int block() {
            return codec instanceof BlockCodec blocks ? blocks.block() : 1;
        }
    }

    /** Exact float32. */
    record None() implements Coded {
        @Override
        public Residual residual() {
            return Residual.NONE;
        }
    }

    /**
     * Half precision.
     *
     * <p>The encodings carry sums. On the ring, an average is divided at the end, so it is rejected if the sum is beyond the range. Among
     * all pairs, the owner of a part divides before it encodes, so only the average has to fit.
     *
     * @param residual of what rounding leaves out; none is usual
     * @param onNonFinite for finite values beyond its range; NaN and infinity arrive as such
     */
    record Fp16(Residual residual, OnNonFinite onNonFinite) implements Coded {}

    /**
     * The upper half of each float32.
     *
     * @param residual of what rounding leaves out; none is usual
     * @param onNonFinite for finite values beyond its range; NaN and infinity arrive as such
     */
    record Bf16(Residual residual, OnNonFinite onNonFinite) implements Coded {}

    /**
     * One byte per value and one scale per block. With rounding to nearest and no residual, values below half a scale would never be
     * trained. So either rounding is stochastic, or the residual is kept.
     *
     * @param block values per scale, 8 to 65,536
     * @param stochastic whether rounding is stochastic, which is usual, or else to nearest
     * @param residual of what rounding leaves out
     * @param onNonFinite for NaN and infinity
     */
    record Int8(int block, boolean stochastic, Residual residual, OnNonFinite onNonFinite) implements Coded {
        /** Small enough that a large value coarsens few neighbours, even if gradients have heavy tails; scales cost 6 %. */
        public static final int BLOCK_DEFAULT = 64;

        public Int8 {
            var _ = new BlockFormat(Byte.SIZE, block); // checks the range
        }

        /** Stochastic rounding, no residual; a tensor that is not finite is rejected. */
        public Int8(int block) {
            this(block, true, Residual.NONE, OnNonFinite.ERROR);
        }
    }

    /**
     * Half a byte per value and one scale per block.
     *
     * @param block values per scale, 8 to 65,536
     * @param stochastic whether rounding is stochastic, or else to nearest
     * @param residual of what rounding leaves out
     * @param onNonFinite for NaN and infinity
     */
    record Int4(int block, boolean stochastic, Residual residual, OnNonFinite onNonFinite) implements Coded {
        /** Blocks are small because with 15 levels, values far below the largest of their block are lost; scales cost 12 %. */
        public static final int BLOCK_DEFAULT = 64;

        public Int4 {
            var _ = new BlockFormat(Byte.SIZE / 2, block); // checks the range
        }

        /** Rounding to nearest, the residual kept as float32; a tensor that is not finite is rejected. */
        public Int4(int block) {
            this(block, false, Residual.FLOAT32, OnNonFinite.ERROR);
        }
    }

    /**
     * Sends only the largest values, with their indices.
     *
     * @param fraction share of the values that is kept, above 0, at most 1
     * @param chunk values of which that share is kept, a power of two, 64 to 65,536; 0 for all of the tensor
     * @param bits of each value that is kept: 16 or 32, in chunks 2, 4 or 16
     * @param residual of all values that are not sent, and of rounding
     * @param onNonFinite for NaN and infinity
     */
    record TopK(double fraction, int chunk, int bits, Residual residual, OnNonFinite onNonFinite) implements Coded {
        /** One value in a hundred: with error feedback, it trains like dense gradients. */
        public static final double FRACTION_DEFAULT = 0.01;

        public TopK {
            Ranges.requireFraction("topk", fraction);
            if (chunk == 0) {
                Ranges.requireBits(bits);
            } else {
                Ranges.requireChunks(chunk, bits);
            }
        }

        /** 16 bits of each value, the residual kept as float32; a tensor that is not finite is rejected. */
        public TopK(double fraction) {
            this(fraction, 0, Short.SIZE, Residual.FLOAT32, OnNonFinite.ERROR);
        }
    }

    private static void requireWide(String codec, Residual residual) {
        if (residual == Residual.BFLOAT16) {
            throw new IllegalArgumentException("residual of " + codec
                    + " must be none or float32, got bfloat16, which topk, int8, int4, fp16 and bf16 take");
        }
    }

    /**
     * Sends values drawn by a seed that all members share. The drawn values are summed as plain float32: {@code RandomKMemory}.
     *
     * @param fraction share of the values that is kept, above 0, at most 1
     * @param residual of all values that are not sent; not {@code BFLOAT16}
     * @param onNonFinite for NaN and infinity
     */
    record RandomK(double fraction, Residual residual, OnNonFinite onNonFinite) implements Coded {
        public RandomK {
            Ranges.requireFraction("randomk", fraction);
            requireWide("randomk", residual);
        }

        /** The residual kept as float32; a tensor that is not finite is rejected. */
        public RandomK(double fraction) {
            this(fraction, Residual.FLOAT32, OnNonFinite.ERROR);
        }
    }

    /**
     * Sends the largest values of a sum that gathers momentum while it waits: {@code DgcMemory}. A member that joins later goes through the
     * warm-up by itself, and sends the larger shares meanwhile.
     *
     * @param fraction share of the values that is kept after the warm-up, above 0, at most 1
     * @param momentum of the optimiser, which must not apply it again: 0 to below 1
     * @param warmUpSteps steps with each of the larger shares that come first (25 %, 6 %, 1.6 %, 0.4 %, those that are larger), 0 for no
     *     warm-up
     * @param clipNorm largest L2 norm of a tensor's summed gradient; above 0, infinite for no clipping
     * @param reuseSteps steps between exact searches for the values to send, 1 or more. In between, the values that reach the last
     *     threshold are sent, as long as their number is half to twice the wanted one
     * @param bits of each value that is sent, 16 or 32
     */
    record Dgc(double fraction, float momentum, int warmUpSteps, double clipNorm, int reuseSteps, int bits)
            implements CompressionStrategy {
        /** One value in a thousand, as in the paper. */
        static final double FRACTION_DEFAULT = 0.001;

        public Dgc {
            if (warmUpSteps < 0) {
                throw new IllegalArgumentException("need 0 or more warm-up steps, got " + warmUpSteps
                        + "; a usual choice is the steps of an epoch");
            }
            Ranges.requireBits(bits);
            options(fraction, momentum, warmUpSteps, clipNorm).reusing(reuseSteps);
        }

        /** 16 bits of each value, searched in every step. */
        public Dgc(double fraction, float momentum, int warmUpSteps, double clipNorm) {
            this(fraction, momentum, warmUpSteps, clipNorm, 1, Short.SIZE);
        }

        @Override
        public String text() {
            return StrategyText.of(this);
        }

        /** None: the memory applies momentum to the values that it holds back. */
        @Override
        public float momentumLeft(float usual) {
            return 0;
        }

        /** The options of the memory. */
        public DgcOptions options() {
            return options(fraction, momentum, warmUpSteps, clipNorm)
                    .reusing(reuseSteps)
                    .full(bits == Float.SIZE);
        }

        private static DgcOptions options(double fraction, float momentum, int warmUpSteps, double clipNorm) {
            Ranges.requireFraction("dgc", fraction);
            SparsitySchedule schedule = warmUpSteps == 0
                    ? SparsitySchedule.constant(fraction)
                    : SparsitySchedule.downTo(fraction, warmUpSteps);
            return DgcOptions.of(schedule, momentum).clippedTo(clipNorm);
        }
    }

    /**
     * Sends the gradient, taken as a matrix, as the product of two thin matrices: {@code PowerSgdMemory}.
     *
     * @param rank columns of both factors, 1 or more
     * @param residual of the product; not {@code BFLOAT16}
     */
    record PowerSgd(int rank, Residual residual) implements CompressionStrategy {
        /** The usual rank. */
        static final int RANK_DEFAULT = 2;

        public PowerSgd {
            Ranges.requireRank(rank);
            requireWide("powersgd", residual);
        }

        /** The residual kept as float32. */
        public PowerSgd(int rank) {
            this(rank, Residual.FLOAT32);
        }

        @Override
        public String text() {
            return StrategyText.of(this);
        }

        @Override
        public float momentumLeft(float usual) {
            return usual;
        }
    }

    /**
     * Plain values, or a codec that is predicted to be clearly faster. The group chooses for each size of tensor, from the measured speed
     * of its links and codecs.
     *
     * @param allowed codecs besides plain values, the preferred first; at most {@link #ALLOWED_MAX}, each once. When a tensor changes its
     *     codec, its residual moves along
     */
    record Auto(List<Coded> allowed) implements CompressionStrategy {
        /** Most codecs to choose among. */
        public static final int ALLOWED_MAX = 6;

        private static final Fp16 DENSE_FP16 = new Fp16(Residual.NONE, OnNonFinite.DENSE);
        private static final Int8 DENSE_INT8 = new Int8(Int8.BLOCK_DEFAULT, true, Residual.NONE, OnNonFinite.DENSE);
        private static final Auto INT8 = new Auto(List.of(DENSE_FP16, DENSE_INT8));
        private static final Auto LOSSY = new Auto(List.of(
                DENSE_FP16,
                DENSE_INT8,
                new TopK(TopK.FRACTION_DEFAULT, 0, Short.SIZE, Residual.FLOAT32, OnNonFinite.DENSE)));

        public Auto {
            allowed = List.copyOf(allowed);
            boolean areKnown = allowed.stream()
                    .noneMatch(each -> each instanceof None || each instanceof RandomK || each instanceof Custom);
            if (!areKnown
                    || allowed.size() > ALLOWED_MAX
                    || allowed.stream().map(Coded::text).distinct().count() < allowed.size()) {
                throw new IllegalArgumentException("auto chooses between none and up to " + ALLOWED_MAX
                        + " others of fp16, bf16, int8, int4 and topk, each once, got " + StrategyText.names(allowed));
            }
            if (commonBlock(allowed) > BlockFormat.BLOCK_MAX) {
                throw new IllegalArgumentException("the blocks of " + StrategyText.names(allowed)
                        + " have no common multiple up to " + BlockFormat.BLOCK_MAX
                        + ", at which parts of a tensor could begin; choose blocks that are powers of two");
            }
            StrategyText.requireShort("auto:" + StrategyText.names(allowed));
        }

        /** The least common multiple of the blocks of all allowed codecs; 1 if none has blocks. */
        public int block() {
            return (int) commonBlock(allowed);
        }

        private static long commonBlock(List<Coded> all) {
            long common = 1;
            for (Coded each : all) {
                common = common / gcd(common, each.block()) * each.block();
                if (common > BlockFormat.BLOCK_MAX) {
                    return common;
                }
            }
            return common;
        }

        private static long gcd(long one, long other) {
            return other == 0 ? one : gcd(other, one % other);
        }

        /**
         * Allows the usual lossy codecs instead: half precision, a byte per value, and the largest hundredth. Each sends plain values if
         * some are not finite or beyond its range, so whether they arrive does not depend on the chosen codec.
         */
        public Auto allowLossy() {
            return LOSSY;
        }

        /** As {@link #allowLossy}, but no codec that loses more than one with a byte per value. */
        public Auto allowInt8() {
            return INT8;
        }

        @Override
        public String text() {
            return StrategyText.of(this);
        }

        @Override
        public float momentumLeft(float usual) {
            return usual;
        }
    }

    /**
     * Reads {@code name[:main][,key=value]…}: a codec, the main one of its settings, and others in any order, as {@code int8},
     * {@code int8:64,rounding=nearest}, {@code dgc:0.001,warmup=100,clip=1}; or {@code auto}, {@code auto:lossless}, {@code auto:int8},
     * {@code auto:lossy}, {@code auto:fp16+int8:64}; or {@link CompressionRules}. {@link #help} lists all settings.
     *
     * @throws IllegalArgumentException if {@code text} is none of these or a setting is out of range; the message says what is allowed
     */
    static CompressionStrategy parse(String text) {
        return StrategyText.parse(text);
    }

    /**
     * Reads several strategies, separated by commas: {@code int8,block=32,topk} are two.
     *
     * @throws IllegalArgumentException as {@link #parse}
     */
    static List<CompressionStrategy> parseList(String texts) {
        return StrategyText.parseList(texts);
    }

    /** For people: a line for each codec, and below it one for each of its settings with its usual and possible values. */
    static List<String> help() {
        return StrategyText.help();
    }
}
