package io.hearth.compression;

import java.util.ArrayList;

/**
 * Reads {@code name[:setting][:stochastic][:full][:dense]} and
 * {@code dgc[:fraction][:momentum=M][:warmup=STEPS][:clip=NORM][:reuse=STEPS][:full]} and {@code auto[:lossy|:codec[+codec]…]}.
 */
final class StrategyText {
    private static final float MOMENTUM_DEFAULT = 0.9f;

    private final String text;
    private String rest;

    private StrategyText(String text) {
        this.text = text;
        rest = text;
    }

    static CompressionStrategy parse(String text) {
        var reader = new StrategyText(text);
        if (text.equals("auto") || text.startsWith("auto:")) {
            return reader.auto();
        }
        return text.equals("dgc") || text.startsWith("dgc:") ? reader.dgc() : reader.strategy();
    }

    private CompressionStrategy auto() {
        String allowed = rest.substring(Math.min(rest.length(), "auto:".length()));
        if (allowed.equals("lossy")) {
            return CompressionStrategy.AUTO.allowLossy();
        }
        if (allowed.isEmpty()) {
            return only(rest.equals("auto"), CompressionStrategy.AUTO);
        }
        var codecs = new ArrayList<CompressionStrategy.Coded>();
        for (String each : allowed.split("\\+", -1)) {
            if (!(parse(each) instanceof CompressionStrategy.Coded coded)) {
                throw new IllegalArgumentException("'" + each + "' in '" + text
                        + "' is not for auto: choose among fp16, bf16, int8, int4, topk and randomk");
            }
            codecs.add(coded);
        }
        return new CompressionStrategy.Auto(codecs);
    }

    /** Options stand in this order, each at most once. */
    private CompressionStrategy dgc() {
        boolean full = takeOption(":full");
        try {
            int reuse = whole("reuse", 1);
            double clip = number("clip", Double.POSITIVE_INFINITY);
            int warmUp = whole("warmup", 0);
            double momentum = number("momentum", MOMENTUM_DEFAULT);
            int colon = rest.indexOf(':');
            double fraction = fraction(colon, rest.substring(colon + 1));
            return new CompressionStrategy.Dgc(fraction, (float) momentum, warmUp, clip, reuse, full);
        } catch (NumberFormatException notNumber) {
            throw unknown();
        }
    }

    /** The value of an option at the end, which is taken off. */
    private double number(String option, double otherwise) {
        int at = rest.lastIndexOf(":" + option + "=");
        if (at < 0) {
            return otherwise;
        }
        double value = Double.parseDouble(rest.substring(at + option.length() + 2));
        rest = rest.substring(0, at);
        return value;
    }

    private int whole(String option, int otherwise) {
        double value = number(option, otherwise);
        if (value != Math.rint(value) || Math.abs(value) > Integer.MAX_VALUE) {
            throw unknown();
        }
        return (int) value;
    }

    /** Options are taken from the end, so that what is left is a name and perhaps a setting. */
    private CompressionStrategy strategy() {
        OnNonFinite onNonFinite = takeOption(":dense") ? OnNonFinite.PASS_DENSE : OnNonFinite.ERROR;
        boolean full = takeOption(":full");
        boolean stochastic = takeOption(":stochastic");
        int colon = rest.indexOf(':');
        String name = colon < 0 ? rest : rest.substring(0, colon);
        String setting = colon < 0 ? "" : rest.substring(colon + 1);
        boolean plain = colon < 0 && !stochastic && !full;
        try {
            return switch (name) {
                case "none" -> only(plain && onNonFinite == OnNonFinite.ERROR, CompressionStrategy.NONE);
                case "fp16" -> only(plain, new CompressionStrategy.Fp16(onNonFinite));
                case "bf16" -> only(plain, new CompressionStrategy.Bf16(onNonFinite));
                case "int8" ->
                    only(
                            !full,
                            new CompressionStrategy.Int8(
                                    colon < 0 ? Int8Codec.BLOCK_DEFAULT : Integer.parseInt(setting),
                                    stochastic,
                                    onNonFinite));
                case "int4" ->
                    only(
                            !full,
                            new CompressionStrategy.Int4(
                                    colon < 0 ? Int4Codec.BLOCK_DEFAULT : Integer.parseInt(setting),
                                    stochastic,
                                    onNonFinite));
                case "topk" ->
                    only(!stochastic, new CompressionStrategy.TopK(fraction(colon, setting), full, onNonFinite));
                case "randomk" ->
                    only(!stochastic, new CompressionStrategy.RandomK(fraction(colon, setting), full, onNonFinite));
                case "powersgd" ->
                    only(
                            !stochastic && !full && onNonFinite == OnNonFinite.ERROR,
                            new CompressionStrategy.LowRank(
                                    colon < 0 ? CompressionStrategy.LowRank.RANK_DEFAULT : Integer.parseInt(setting)));
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
        return new IllegalArgumentException(
                "unknown compression '" + text
                        + "': choose none, fp16, bf16, int8, int4, topk, randomk, dgc or powersgd; int8:BLOCK and int4:BLOCK (values per scale, "
                        + Int8Codec.BLOCK_DEFAULT
                        + "), also with :stochastic; topk:FRACTION and randomk:FRACTION (share kept, "
                        + TopKCodec.FRACTION_DEFAULT
                        + "), also with :full (32 bits of each, not 16); these also with :dense (plain values where some are not finite), as fp16 and bf16;"
                        + " dgc:FRACTION:momentum=M:warmup=STEPS:clip=NORM:reuse=STEPS:full (each may be left out); powersgd:RANK ("
                        + CompressionStrategy.LowRank.RANK_DEFAULT
                        + "); auto:lossy (none, fp16, int8 or topk, whichever is fastest) or auto:CODEC+CODEC (none or these), auto alone for none");
    }
}
