package io.hearth.compression;

/** What crosses the wire instead of float32 gradients: chosen once for a group, alike on all its ranks. */
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
     * One byte per value and one scale per block.
     *
     * @param block values per scale, 8 to 65,536
     */
    record Int8(int block) implements CompressionStrategy {
        public Int8 {
            Int8Codec.checkBlock(block);
        }

        @Override
        public Codec codec() {
            return new Int8Codec(block);
        }

        @Override
        public String text() {
            return "int8:" + block;
        }

        @Override
        public QuantizationType quantization() {
            return QuantizationType.INT8;
        }
    }

    /**
     * Only the largest values, with their indices.
     *
     * @param fraction share of the values that is kept, above 0, at most 1
     */
    record TopK(double fraction) implements CompressionStrategy {
        public TopK {
            TopKCodec.checkFraction(fraction);
        }

        @Override
        public Codec codec() {
            return new TopKCodec(fraction);
        }

        @Override
        public String text() {
            return "topk:" + fraction;
        }

        @Override
        public QuantizationType quantization() {
            return QuantizationType.NONE;
        }
    }

    /**
     * Reads {@code none}, {@code int8}, {@code int8:256}, {@code topk} or {@code topk:0.01}.
     *
     * @throws IllegalArgumentException if {@code text} is none of these or a setting is out of range; says what is allowed
     */
    static CompressionStrategy parse(String text) {
        int colon = text.indexOf(':');
        String name = colon < 0 ? text : text.substring(0, colon);
        String setting = colon < 0 ? "" : text.substring(colon + 1);
        try {
            return switch (name) {
                case "none" -> {
                    if (colon >= 0) {
                        throw unknown(text);
                    }
                    yield NONE;
                }
                case "int8" -> new Int8(colon < 0 ? Int8Codec.BLOCK_DEFAULT : Integer.parseInt(setting));
                case "topk" -> new TopK(colon < 0 ? TopKCodec.FRACTION_DEFAULT : Double.parseDouble(setting));
                default -> throw unknown(text);
            };
        } catch (NumberFormatException notNumber) {
            throw unknown(text);
        }
    }

    private static IllegalArgumentException unknown(String text) {
        return new IllegalArgumentException("unknown compression '" + text
                + "': choose none, int8, int8:BLOCK (values per scale, 256) or topk, topk:FRACTION (share kept, 0.01)");
    }
}
