package io.hearth.compression;

/**
 * What crosses the wire instead of float32 gradients: chosen once for a group, alike on all its ranks.
 *
 * <p>{@link PowerSgd} is not among them: it needs two sums of its own instead of one encoding. {@link DgcMemory} is a memory around
 * encodings, as {@link ErrorFeedback} is, and not a codec.
 */
public sealed interface CompressionStrategy {
    /** All bits, always exact. */
    CompressionStrategy NONE = new None();

    /** The encoder and decoder; stateless, so threads may share it. */
    Codec codec();

    /** The form that {@link #parse} reads, settings included: what ranks compare to agree. */
    String text();

    /** How a single value is stored. */
    QuantizationType quantization();

    /** Exact float32. */
    record None() implements CompressionStrategy {
        @Override
        public Codec codec() {
            return new NoneCodec();
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
     * @param onNonFinite for finite values beyond its range; NaN and infinity arrive as such
     */
    record Fp16(OnNonFinite onNonFinite) implements CompressionStrategy {
        @Override
        public Codec codec() {
            return onNonFinite.around(new Fp16Codec());
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
    record Bf16(OnNonFinite onNonFinite) implements CompressionStrategy {
        @Override
        public Codec codec() {
            return onNonFinite.around(new Bf16Codec());
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
    record Int8(int block, boolean stochastic, OnNonFinite onNonFinite) implements CompressionStrategy {
        public Int8 {
            Int8Codec.format(block);
        }

        /** Rounded to nearest, refusing what is not finite. */
        public Int8(int block) {
            this(block, false, OnNonFinite.ERROR);
        }

        @Override
        public Codec codec() {
            return onNonFinite.around(new Int8Codec(block, stochastic));
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
    record Int4(int block, boolean stochastic, OnNonFinite onNonFinite) implements CompressionStrategy {
        public Int4 {
            Int4Codec.format(block);
        }

        @Override
        public Codec codec() {
            return onNonFinite.around(new Int4Codec(block, stochastic));
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
     * @param onNonFinite for NaN and infinity
     */
    record TopK(double fraction, OnNonFinite onNonFinite) implements CompressionStrategy {
        public TopK {
            TopKCodec.checkFraction("topk", fraction);
        }

        /** Refusing what is not finite. */
        public TopK(double fraction) {
            this(fraction, OnNonFinite.ERROR);
        }

        @Override
        public Codec codec() {
            return onNonFinite.around(new TopKCodec(fraction));
        }

        @Override
        public String text() {
            return "topk:" + fraction + onNonFinite.text();
        }

        @Override
        public QuantizationType quantization() {
            return QuantizationType.NONE;
        }
    }

    /**
     * Values drawn from a seed.
     *
     * @param fraction share of the values that is kept, above 0, at most 1
     * @param onNonFinite for NaN and infinity
     */
    record RandomK(double fraction, OnNonFinite onNonFinite) implements CompressionStrategy {
        public RandomK {
            TopKCodec.checkFraction("randomk", fraction);
        }

        @Override
        public Codec codec() {
            return onNonFinite.around(new RandomKCodec(fraction));
        }

        @Override
        public String text() {
            return "randomk:" + fraction + onNonFinite.text();
        }

        @Override
        public QuantizationType quantization() {
            return QuantizationType.NONE;
        }
    }

    /**
     * Reads a name, a setting and options, with colons between: {@code int8}, {@code int8:64}, {@code int8:64:stochastic:dense}.
     *
     * @throws IllegalArgumentException if {@code text} is none of these or a setting is out of range; says what is allowed
     */
    static CompressionStrategy parse(String text) {
        return StrategyText.parse(text);
    }
}
