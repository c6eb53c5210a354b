package io.hearth.cli.terminal;

import java.util.Locale;

/** Spans of time for people, in one unit. */
public final class Spans {
    private static final long SECOND = 1_000;
    private static final long MINUTE = 60 * SECOND;
    private static final long HOUR = 60 * MINUTE;
    private static final long DAY = 24 * HOUR;

    private Spans() {}

    /** Milliseconds as {@code 12 s}, {@code 14 min}, {@code 3 h} or {@code 5 days}; a negative span, as of two clocks, is 0. */
    public static String text(long millis) {
        long span = Math.max(0, millis);
        return span < 2 * MINUTE
                ? span / SECOND + " s"
                : span < 2 * HOUR
                        ? span / MINUTE + " min"
                        : span < 2 * DAY ? span / HOUR + " h" : String.format(Locale.ROOT, "%d days", span / DAY);
    }
}
