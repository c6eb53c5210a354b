package io.hearth.bench;

import io.hearth.compression.CompressionStrategy;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;

/**
 * One way to compress gradients that is compared with the others.
 *
 * @param text as it was asked for
 * @param strategy what it compresses with
 * @param feedback whether nodes remember what was left out; always for strategies that are nothing without it
 */
public record ConvergenceCodec(String text, CompressionStrategy strategy, boolean feedback) {
    /** The one that all others are compared with. */
    static final String EXACT = "none";

    private static final String WITHOUT = "!";
    private static final int CODECS_MAX = 64;

    /**
     * Reads strategies with commas between, each as {@link CompressionStrategy#parse} does and perhaps with a {@code !} behind it,
     * which means without error feedback.
     *
     * @throws IllegalArgumentException says which one is wrong
     */
    public static List<ConvergenceCodec> parseList(String text) {
        var codecs = new LinkedHashSet<ConvergenceCodec>();
        for (String part : text.split(",", -1)) {
            if (!codecs.add(parse(part.strip()))) {
                throw new IllegalArgumentException(part.strip() + " stands twice in '" + text + "'; leave one out");
            }
        }
        if (codecs.size() > CODECS_MAX) {
            throw new IllegalArgumentException("at most " + CODECS_MAX + " codecs in one run, got " + codecs.size());
        }
        return new ArrayList<>(codecs);
    }

    private static ConvergenceCodec parse(String text) {
        boolean feedback = !text.endsWith(WITHOUT);
        CompressionStrategy strategy =
                CompressionStrategy.parse(feedback ? text : text.substring(0, text.length() - WITHOUT.length()));
        if (strategy instanceof CompressionStrategy.Auto) {
            throw new IllegalArgumentException(
                    "'" + text + "' chooses by links, which there are none of here; name a codec");
        }
        if (feedback) {
            return new ConvergenceCodec(text, strategy, true);
        }
        if (!(strategy instanceof CompressionStrategy.Coded coded) || !coded.isOwed()) {
            throw new IllegalArgumentException("'" + text + "': " + strategy.text()
                    + " has no error feedback that could be left out; leave the '!' out");
        }
        return new ConvergenceCodec(text, strategy, false);
    }

    /** As {@link CompressionStrategy#momentumLeft}. */
    float momentum(float usual) {
        return strategy.momentumLeft(usual);
    }
}
