package io.hearth.compression;

/** Reads {@code name[:setting][:stochastic][:dense]}. */
final class StrategyText {
    private final String text;
    private String rest;

    private StrategyText(String text) {
        this.text = text;
        rest = text;
    }

    static CompressionStrategy parse(String text) {
        return new StrategyText(text).strategy();
    }

    /** Options are taken from the end, so that what is left is a name and perhaps a setting. */
    private CompressionStrategy strategy() {
        OnNonFinite onNonFinite = takeOption(":dense") ? OnNonFinite.PASS_DENSE : OnNonFinite.ERROR;
        boolean stochastic = takeOption(":stochastic");
        int colon = rest.indexOf(':');
        String name = colon < 0 ? rest : rest.substring(0, colon);
        String setting = colon < 0 ? "" : rest.substring(colon + 1);
        boolean plain = colon < 0 && !stochastic;
        try {
            return switch (name) {
                case "none" -> only(plain && onNonFinite == OnNonFinite.ERROR, CompressionStrategy.NONE);
                case "fp16" -> only(plain, new CompressionStrategy.Fp16(onNonFinite));
                case "bf16" -> only(plain, new CompressionStrategy.Bf16(onNonFinite));
                case "int8" ->
                    new CompressionStrategy.Int8(
                            colon < 0 ? Int8Codec.BLOCK_DEFAULT : Integer.parseInt(setting), stochastic, onNonFinite);
                case "int4" ->
                    new CompressionStrategy.Int4(
                            colon < 0 ? Int4Codec.BLOCK_DEFAULT : Integer.parseInt(setting), stochastic, onNonFinite);
                case "topk" -> only(!stochastic, new CompressionStrategy.TopK(fraction(colon, setting), onNonFinite));
                case "randomk" ->
                    only(!stochastic, new CompressionStrategy.RandomK(fraction(colon, setting), onNonFinite));
                default -> throw unknown();
            };
        } catch (NumberFormatException notNumber) {
            throw unknown();
        }
    }

    private boolean takeOption(String option) {
        boolean there = rest.endsWith(option);
        if (there) {
            rest = rest.substring(0, rest.length() - option.length());
        }
        return there;
    }

    private static double fraction(int colon, String setting) {
        return colon < 0 ? TopKCodec.FRACTION_DEFAULT : Double.parseDouble(setting);
    }

    private CompressionStrategy only(boolean allowed, CompressionStrategy strategy) {
        if (!allowed) {
            throw unknown();
        }
        return strategy;
    }

    private IllegalArgumentException unknown() {
        return new IllegalArgumentException("unknown compression '" + text
                + "': choose none, fp16, bf16, int8, int4, topk or randomk; int8:BLOCK and int4:BLOCK (values per scale, "
                + Int8Codec.BLOCK_DEFAULT + "), also with :stochastic; topk:FRACTION and randomk:FRACTION (share kept, "
                + TopKCodec.FRACTION_DEFAULT
                + "); all but none also with :dense (plain values where some are not finite)");
    }
}
