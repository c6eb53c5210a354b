package io.hearth.compression.text;

import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * A setting of a codec in text form: {@code key=value}, or the value alone if it is the codec's main setting.
 *
 * @param key small letters
 * @param values the possible values, for people: one clause
 * @param usual the value if a text does not name the setting
 * @param read reads the text of a value; an IllegalArgumentException for a text that is none
 * @param write writes a value as {@code read} reads it
 */
public record Setting<T>(String key, String values, T usual, Function<String, T> read, Function<T, String> write) {
    /** Decimal numbers only: other forms of Java literals (hexadecimal, a type suffix) would be a mistake here. */
    private static final Pattern NUMBER = Pattern.compile("[+-]?([0-9]+\\.?[0-9]*|\\.[0-9]+)([eE][+-]?[0-9]+)?");

    private static final Pattern WHOLE = Pattern.compile("-?[0-9]+");
    private static final String INFINITE = "infinite";

    /** A whole number. */
    public static Setting<Integer> whole(String key, String values, int usual) {
        return new Setting<>(key, values, usual, Setting::integer, String::valueOf);
    }

    /** Any number, {@code infinite} too; written as short as it can be. */
    public static Setting<Double> number(String key, String values, double usual) {
        return new Setting<>(key, values, usual, Setting::decimal, Setting::shortest);
    }

    /** One of the constants of an enum, by its name in small letters. */
    public static <E extends Enum<E>> Setting<E> oneOf(String key, List<E> values, E usual) {
        String names = values.stream().map(Setting::small).collect(Collectors.joining(" or "));
        return new Setting<>(
                key,
                names,
                usual,
                text -> values.stream()
                        .filter(each -> small(each).equals(text))
                        .findFirst()
                        .orElseThrow(() -> new IllegalArgumentException(text)),
                Setting::small);
    }

    private static String small(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT);
    }

    private static Integer integer(String text) {
        if (!WHOLE.matcher(text).matches()) {
            throw new IllegalArgumentException(text);
        }
        return Integer.valueOf(text);
    }

    private static Double decimal(String text) {
        if (text.equals(INFINITE)) {
            return Double.POSITIVE_INFINITY;
        }
        if (!NUMBER.matcher(text).matches()) {
            throw new IllegalArgumentException(text);
        }
        return Double.valueOf(text);
    }

    private static String shortest(double value) {
        if (Double.isInfinite(value)) {
            return INFINITE;
        }
        return value == Math.rint(value) && Math.abs(value) < 1e9
                ? String.valueOf((long) value)
                : String.valueOf(value);
    }

    /** The line in the help text: {@code block=64 (8 to 65536 values per scale)}. */
    String help() {
        return key + "=" + write.apply(usual) + " (" + values + ")";
    }
}
