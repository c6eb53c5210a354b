package io.hearth.compression;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.stream.Collectors;

/**
 * Chooses a compression for each kind of tensor: the first rule that fits a tensor applies, and a tensor that no rule fits is sent
 * uncompressed. As text {@code rules:none@1d/none@below=65536/powersgd:4}.
 *
 * @param rules at least one, at most {@link #RULES_MAX}
 */
public record CompressionRules(List<Rule> rules) implements CompressionStrategy {
    /** Most rules. */
    public static final int RULES_MAX = 8;

    private static final String NAME = "rules";

    public CompressionRules {
        rules = List.copyOf(rules);
        if (rules.isEmpty() || rules.size() > RULES_MAX) {
            throw new IllegalArgumentException(
                    "need 1 to " + RULES_MAX + " rules for compression, got " + rules.size());
        }
        StrategyText.requireShort(text(rules));
    }

    /** Whether a tensor is a matrix. A tensor of unknown shape counts as a matrix that is as square as possible. */
    public enum Form {
        /** Any tensor. */
        ANY(""),
        /** It has fewer than two dimensions. */
        VECTOR("@1d"),
        /** It has two or more. */
        MATRIX("@2d");

        private final String text;

        Form(String text) {
            this.text = text;
        }
    }

    /**
     * The compression of some tensors.
     *
     * @param compression of these tensors; not {@code dgc}, because an optimiser cannot have momentum for some tensors only
     * @param form of these tensors
     * @param from least number of values, 0 or more
     * @param below upper bound of the number of values, exclusive, above {@code from}; {@link Long#MAX_VALUE} for none
     */
    public record Rule(CompressionStrategy compression, Form form, long from, long below) {
        public Rule {
            if (compression instanceof CompressionRules || compression instanceof Dgc) {
                throw new IllegalArgumentException(
                        "a rule takes neither dgc, whose momentum an optimiser would have to leave out for these"
                                + " tensors only, nor other rules, got "
                                + compression.text());
            }
            if (from < 0 || below <= from) {
                throw new IllegalArgumentException(
                        "a rule needs 0 <= from < below, got from=" + from + " and below=" + below);
            }
        }

        /** For all tensors. */
        public static Rule of(CompressionStrategy compression) {
            return new Rule(compression, Form.ANY, 0, Long.MAX_VALUE);
        }

        /** The same for tensors of that form. */
        public Rule with(Form other) {
            return new Rule(compression, other, from, below);
        }

        /** The same for tensors of at least {@code values} values. */
        public Rule from(long values) {
            return new Rule(compression, form, values, below);
        }

        /** The same for tensors of fewer than {@code values} values. */
        public Rule below(long values) {
            return new Rule(compression, form, from, values);
        }

        private boolean fits(OptionalInt dimensions, long count) {
            Form is = dimensions.orElse(2) < 2 ? Form.VECTOR : Form.MATRIX;
            return (form == Form.ANY || form == is) && count >= from && count < below;
        }

        private String text() {
            return compression.text()
                    + form.text
                    + (from == 0 ? "" : "@from=" + from)
                    + (below == Long.MAX_VALUE ? "" : "@below=" + below);
        }

        private static Rule parse(String text) {
            String[] parts = text.split("@", -1);
            Rule rule = of(CompressionStrategy.parse(parts[0]));
            for (String condition : List.of(parts).subList(1, parts.length)) {
                rule = rule.and(condition);
            }
            return rule;
        }

        private Rule and(String condition) {
            int equals = condition.indexOf('=') + 1;
            return switch (condition.substring(0, equals)) {
                case "from=" -> from(number(condition, equals));
                case "below=" -> below(number(condition, equals));
                default ->
                    switch (condition) {
                        case "1d" -> with(Form.VECTOR);
                        case "2d" -> with(Form.MATRIX);
                        default -> throw wrong(condition);
                    };
            };
        }

        private static long number(String condition, int from) {
            try {
                return Long.parseLong(condition.substring(from));
            } catch (NumberFormatException none) {
                throw wrong(condition);
            }
        }

        private static IllegalArgumentException wrong(String condition) {
            return new IllegalArgumentException(
                    "'@" + condition + "' is no condition of a rule: choose @1d, @2d, @from=VALUES or"
                            + " @below=VALUES, as in rules:none@1d/none@below=65536/powersgd:4");
        }
    }

    /**
     * The compression of a tensor.
     *
     * @param dimensions of the tensor; empty if they are unknown
     * @param count values of the tensor
     */
    public CompressionStrategy of(OptionalInt dimensions, long count) {
        return rules.stream()
                .filter(rule -> rule.fits(dimensions, count))
                .map(Rule::compression)
                .findFirst()
                .orElse(NONE);
    }

    static CompressionRules parse(String rest) {
        if (!rest.startsWith(":")) {
            throw new IllegalArgumentException(
                    "rules are written as rules:none@1d/none@below=65536/powersgd:4, got '" + NAME + rest + "'");
        }
        var rules = new ArrayList<Rule>();
        for (String each : rest.substring(1).split("/", -1)) {
            rules.add(Rule.parse(each));
        }
        return new CompressionRules(rules);
    }

    private static String text(List<Rule> rules) {
        return rules.stream().map(Rule::text).collect(Collectors.joining("/", NAME + ":", ""));
    }

    @Override
    public String text() {
        return text(rules);
    }

    @Override
    public float momentumLeft(float usual) {
        return usual;
    }
}
