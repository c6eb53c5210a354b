package io.hearth.compression;

import io.hearth.compression.CompressionStrategy.Auto;
import io.hearth.compression.CompressionStrategy.Bf16;
import io.hearth.compression.CompressionStrategy.Coded;
import io.hearth.compression.CompressionStrategy.Custom;
import io.hearth.compression.CompressionStrategy.Dgc;
import io.hearth.compression.CompressionStrategy.Fp16;
import io.hearth.compression.CompressionStrategy.Int4;
import io.hearth.compression.CompressionStrategy.Int8;
import io.hearth.compression.CompressionStrategy.None;
import io.hearth.compression.CompressionStrategy.PowerSgd;
import io.hearth.compression.CompressionStrategy.RandomK;
import io.hearth.compression.CompressionStrategy.TopK;
import io.hearth.compression.text.CodecText;
import io.hearth.compression.text.Setting;
import io.hearth.compression.text.Values;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Reads and writes strategies, with the tables of all codecs and {@code auto[:lossless|int8|lossy|codec[+codec]…]}. */
final class StrategyText {
    private static final String BLOCK_VALUES = "8 to 65536 values per scale";
    private static final String FRACTION_VALUES = "above 0, at most 1: the share of the values that is sent";

    private static final Setting<Integer> BLOCK8 = Setting.whole("block", BLOCK_VALUES, Int8.BLOCK_DEFAULT);
    private static final Setting<Integer> BLOCK4 = Setting.whole("block", BLOCK_VALUES, Int4.BLOCK_DEFAULT);
    private static final Setting<Boolean> ROUNDING8 = rounding(true);
    private static final Setting<Boolean> ROUNDING4 = rounding(false);
    private static final Setting<Double> FRACTION = Setting.number("fraction", FRACTION_VALUES, TopK.FRACTION_DEFAULT);
    private static final Setting<Integer> BITS = Setting.whole("bits", "16 or 32 of each value", Short.SIZE);
    private static final Setting<Residual> NO_RESIDUAL =
            Setting.oneOf("residual", List.of(Residual.values()), Residual.NONE);
    private static final Setting<Residual> RESIDUAL =
            Setting.oneOf("residual", List.of(Residual.values()), Residual.FLOAT32);
    private static final Setting<Residual> WIDE_RESIDUAL =
            Setting.oneOf("residual", List.of(Residual.NONE, Residual.FLOAT32), Residual.FLOAT32);
    private static final Setting<OnNonFinite> NON_FINITE =
            Setting.oneOf("nonfinite", List.of(OnNonFinite.values()), OnNonFinite.ERROR);

    private static final CodecText<None> NONE_TEXT =
            new CodecText<>("none", Optional.empty(), List.of(), _ -> new None(), _ -> new Values());

    private static final CodecText<Fp16> FP16 = new CodecText<>(
            "fp16",
            Optional.empty(),
            List.of(NO_RESIDUAL, NON_FINITE),
            values -> new Fp16(values.get(NO_RESIDUAL), values.get(NON_FINITE)),
            fp16 -> new Values().with(NO_RESIDUAL, fp16.residual()).with(NON_FINITE, fp16.onNonFinite()));

    private static final CodecText<Bf16> BF16 = new CodecText<>(
            "bf16",
            Optional.empty(),
            List.of(NO_RESIDUAL, NON_FINITE),
            values -> new Bf16(values.get(NO_RESIDUAL), values.get(NON_FINITE)),
            bf16 -> new Values().with(NO_RESIDUAL, bf16.residual()).with(NON_FINITE, bf16.onNonFinite()));

    private static final CodecText<Int8> INT8 = new CodecText<>(
            "int8",
            Optional.of(BLOCK8),
            List.of(ROUNDING8, NO_RESIDUAL, NON_FINITE),
            values -> new Int8(
                    values.get(BLOCK8), values.get(ROUNDING8), values.get(NO_RESIDUAL), values.get(NON_FINITE)),
            int8 -> new Values()
                    .with(BLOCK8, int8.block())
                    .with(ROUNDING8, int8.stochastic())
                    .with(NO_RESIDUAL, int8.residual())
                    .with(NON_FINITE, int8.onNonFinite()));

    private static final CodecText<Int4> INT4 = new CodecText<>(
            "int4",
            Optional.of(BLOCK4),
            List.of(ROUNDING4, RESIDUAL, NON_FINITE),
            values -> new Int4(values.get(BLOCK4), values.get(ROUNDING4), values.get(RESIDUAL), values.get(NON_FINITE)),
            int4 -> new Values()
                    .with(BLOCK4, int4.block())
                    .with(ROUNDING4, int4.stochastic())
                    .with(RESIDUAL, int4.residual())
                    .with(NON_FINITE, int4.onNonFinite()));

    private static final Setting<Integer> CHUNK = Setting.whole(
            "chunk",
            "a power of two from 64 to 65536: that share of each chunk is sent; or 0 for the whole tensor as one chunk",
            0);
    private static final Setting<Integer> TOP_K_BITS =
            Setting.whole("bits", "16 or 32 of each value, in chunks 2, 4 or 16", Short.SIZE);

    private static final CodecText<TopK> TOP_K = new CodecText<>(
            "topk",
            Optional.of(FRACTION),
            List.of(CHUNK, TOP_K_BITS, RESIDUAL, NON_FINITE),
            values -> new TopK(
                    values.get(FRACTION),
                    values.get(CHUNK),
                    values.get(TOP_K_BITS),
                    values.get(RESIDUAL),
                    values.get(NON_FINITE)),
            topK -> new Values()
                    .with(FRACTION, topK.fraction())
                    .with(CHUNK, topK.chunk())
                    .with(TOP_K_BITS, topK.bits())
                    .with(RESIDUAL, topK.residual())
                    .with(NON_FINITE, topK.onNonFinite()));

    private static final CodecText<RandomK> RANDOM_K = new CodecText<>(
            "randomk",
            Optional.of(FRACTION),
            List.of(WIDE_RESIDUAL, NON_FINITE),
            values -> new RandomK(values.get(FRACTION), values.get(WIDE_RESIDUAL), values.get(NON_FINITE)),
            randomK -> new Values()
                    .with(FRACTION, randomK.fraction())
                    .with(WIDE_RESIDUAL, randomK.residual())
                    .with(NON_FINITE, randomK.onNonFinite()));

    private static final Setting<Double> DGC_FRACTION =
            Setting.number("fraction", FRACTION_VALUES, Dgc.FRACTION_DEFAULT);
    private static final Setting<Double> MOMENTUM =
            Setting.number("momentum", "0 to below 1, taken over from the optimiser, which then applies none", 0.9);
    private static final Setting<Integer> WARM_UP =
            Setting.whole("warmup", "0 or more steps with each of the larger shares that come first", 0);
    private static final Setting<Double> CLIP =
            Setting.number("clip", "above 0: the largest L2 norm of a tensor's sum", Double.POSITIVE_INFINITY);
    private static final Setting<Integer> REUSE =
            Setting.whole("reuse", "1 or more steps from one search for the values to send to the next", 1);

    private static final CodecText<Dgc> DGC = new CodecText<>(
            "dgc",
            Optional.of(DGC_FRACTION),
            List.of(MOMENTUM, WARM_UP, CLIP, REUSE, BITS),
            values -> new Dgc(
                    values.get(DGC_FRACTION),
                    values.get(MOMENTUM).floatValue(),
                    values.get(WARM_UP),
                    values.get(CLIP),
                    values.get(REUSE),
                    values.get(BITS)),
            dgc -> new Values()
                    .with(DGC_FRACTION, dgc.fraction())
                    .with(MOMENTUM, Double.parseDouble(Float.toString(dgc.momentum())))
                    .with(WARM_UP, dgc.warmUpSteps())
                    .with(CLIP, dgc.clipNorm())
                    .with(REUSE, dgc.reuseSteps())
                    .with(BITS, dgc.bits()));

    private static final Setting<Integer> RANK =
            Setting.whole("rank", "1 or more columns of both factors", PowerSgd.RANK_DEFAULT);

    private static final CodecText<PowerSgd> POWER_SGD = new CodecText<>(
            "powersgd",
            Optional.of(RANK),
            List.of(WIDE_RESIDUAL),
            values -> new PowerSgd(values.get(RANK), values.get(WIDE_RESIDUAL)),
            powerSgd -> new Values().with(RANK, powerSgd.rank()).with(WIDE_RESIDUAL, powerSgd.residual()));

    private static final List<CodecText<? extends CompressionStrategy>> TABLES =
            List.of(NONE_TEXT, FP16, BF16, INT8, INT4, TOP_K, RANDOM_K, DGC, POWER_SGD);

    private static final Pattern OPTION = Pattern.compile("[a-z]+=.*");
    private static final String AUTO = "auto";
    private static final String RULES = "rules";
    private static final String FOR_AUTO = "fp16, bf16, int8, int4 and topk";

    private StrategyText() {}

    /** {@code usual} is true for stochastic. */
    private static Setting<Boolean> rounding(boolean usual) {
        return new Setting<>(
                "rounding",
                "nearest or stochastic",
                usual,
                text -> switch (text) {
                    case "nearest" -> false;
                    case "stochastic" -> true;
                    default -> throw new IllegalArgumentException(text);
                },
                isStochastic -> isStochastic ? "stochastic" : "nearest");
    }

    /** Rejects a name that is empty, or too long to be compared in every sum. */
    static void requireShort(String text) {
        if (text.isEmpty() || text.length() > CompressionStrategy.TEXT_MAX) {
            throw new IllegalArgumentException(
                    "the name of a compression must have 1 to " + CompressionStrategy.TEXT_MAX
                            + " characters, because ranks compare it in every sum, got " + text.length() + ": '" + text
                            + "'; take fewer codecs, rounder settings or a shorter name");
        }
    }

    static String of(CompressionStrategy strategy) {
        return switch (strategy) {
            case None none -> NONE_TEXT.write(none);
            case Fp16 fp16 -> FP16.write(fp16);
            case Bf16 bf16 -> BF16.write(bf16);
            case Int8 int8 -> INT8.write(int8);
            case Int4 int4 -> INT4.write(int4);
            case TopK topK -> TOP_K.write(topK);
            case RandomK randomK -> RANDOM_K.write(randomK);
            case Dgc dgc -> DGC.write(dgc);
            case PowerSgd powerSgd -> POWER_SGD.write(powerSgd);
            case Custom custom -> custom.codec().name();
            case Auto auto -> auto(auto);
            case CompressionRules rules -> rules.text();
        };
    }

    private static String auto(Auto auto) {
        if (auto.allowed().isEmpty()) {
            return AUTO;
        }
        String allowed = auto.equals(CompressionStrategy.AUTO.allowLossy())
                ? "lossy"
                : auto.equals(CompressionStrategy.AUTO.allowInt8()) ? "int8" : names(auto.allowed());
        return AUTO + ":" + allowed;
    }

    static String names(List<Coded> codecs) {
        return codecs.stream().map(CompressionStrategy::text).collect(Collectors.joining("+"));
    }

    static CompressionStrategy parse(String text) {
        try {
            return read(text);
        } catch (IllegalArgumentException wrong) {
            Optional<String> today = today(text);
            if (today.isPresent()) {
                throw new IllegalArgumentException(
                        "'" + text + "' is the former spelling: write " + today.get(), wrong);
            }
            throw wrong;
        }
    }

    private static CompressionStrategy read(String text) {
        String name = text.split("[:,]", 2)[0];
        String rest = text.substring(name.length());
        if (name.equals(AUTO)) {
            return readAuto(text, rest);
        }
        if (name.equals(RULES)) {
            return CompressionRules.parse(rest);
        }
        return TABLES.stream()
                .filter(each -> each.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("unknown compression '" + text + "': choose "
                        + forms()
                        + ", auto[:lossless|int8|lossy|CODEC+CODEC] or rules:CODEC@CONDITION/…, settings after commas as in "
                        + "topk:0.01,bits=32"))
                .read(rest);
    }

    private static String forms() {
        return TABLES.stream().map(CodecText::form).collect(Collectors.joining(", "));
    }

    private static CompressionStrategy readAuto(String text, String rest) {
        return switch (rest) {
            case "", ":lossless" -> CompressionStrategy.AUTO;
            case ":int8" -> CompressionStrategy.AUTO.allowInt8();
            case ":lossy" -> CompressionStrategy.AUTO.allowLossy();
            default -> {
                if (!rest.startsWith(":")) {
                    throw new IllegalArgumentException(
                            "auto has no options, only those of its codecs: write auto:CODEC" + rest);
                }
                var codecs = new ArrayList<Coded>();
                for (String each : rest.substring(1).split("\\+", -1)) {
                    if (!(read(each) instanceof Coded coded)) {
                        throw new IllegalArgumentException(
                                "'" + each + "' in '" + text + "' is not for auto: choose among " + FOR_AUTO);
                    }
                    codecs.add(coded);
                }
                yield new Auto(codecs);
            }
        };
    }

    /** The present form of a former spelling, which had colons between settings; empty if the text is no such spelling. */
    private static Optional<String> today(String text) {
        if (text.startsWith(AUTO)) {
            return Stream.of(text.substring(Math.min(text.length(), AUTO.length() + 1))
                            .split("\\+", -1))
                    .map(each -> today(each).or(() -> Optional.of(each)))
                    .map(Optional::orElseThrow)
                    .collect(Collectors.collectingAndThen(
                            Collectors.joining("+"), codecs -> readable(AUTO + ":" + codecs)));
        }
        String[] parts = text.split(":", -1);
        var today = new StringBuilder(parts[0]);
        for (int i = 1; i < parts.length; i++) {
            switch (parts[i]) {
                case "stochastic" -> today.append(",rounding=stochastic");
                case "full" -> today.append(parts[0].equals(RANDOM_K.name()) ? "" : ",bits=32");
                case "dense" -> today.append(",nonfinite=dense");
                default -> today.append(parts[i].contains("=") ? "," : ":").append(parts[i]);
            }
        }
        return parts.length == 1 ? Optional.empty() : readable(today.toString());
    }

    private static Optional<String> readable(String text) {
        try {
            return Optional.of(read(text).text());
        } catch (IllegalArgumentException unreadable) {
            return Optional.empty();
        }
    }

    static List<CompressionStrategy> parseList(String texts) {
        var each = new ArrayList<String>();
        for (String part : texts.split(",", -1)) {
            boolean isOption = OPTION.matcher(part).matches() && !each.isEmpty();
            each.add((isOption ? each.removeLast() + "," : "") + part.strip());
        }
        return each.stream().map(StrategyText::parse).toList();
    }

    static List<String> help() {
        var lines = new ArrayList<String>();
        TABLES.forEach(each -> lines.addAll(each.help()));
        lines.add("auto[:lossless|int8|lossy|CODEC+CODEC]");
        lines.add(
                "  the fastest codec that loses no more than allowed (usually nothing), or the fastest of " + FOR_AUTO);
        lines.add("rules:CODEC@CONDITION/CODEC@CONDITION/…");
        lines.add(
                "  the first codec whose conditions a tensor fits: @1d, @2d, @from=VALUES, @below=VALUES; none by default");
        return lines;
    }
}
