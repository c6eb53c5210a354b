package io.hearth.core;

import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads spans of time as people write them. */
public final class TimeSpans {
    private static final Pattern FORM = Pattern.compile("([0-9]{1,9})(ms|s|m|h)?");

    private TimeSpans() {}

    /**
     * Reads {@code 500ms}, {@code 60s}, {@code 10m} or {@code 1h}. A bare number is in seconds.
     *
     * @throws IllegalArgumentException if the text has none of these forms
     */
    public static Duration parse(String text) {
        Matcher form = FORM.matcher(text);
        if (!form.matches()) {
            throw new IllegalArgumentException("must be a time such as 500ms, 60s, 10m or 1h, got '" + text + "'");
        }
        long number = Long.parseLong(form.group(1));
        return switch (form.group(2) == null ? "s" : form.group(2)) {
            case "ms" -> Duration.ofMillis(number);
            case "m" -> Duration.ofMinutes(number);
            case "h" -> Duration.ofHours(number);
            default -> Duration.ofSeconds(number);
        };
    }
}
