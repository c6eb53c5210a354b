package io.hearth.bench;

import io.hearth.compression.CompressionStrategy;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;

/**
 * One way to compress gradients that is compared with the others.
 *
 * @param text with all settings
 * @param strategy what it compresses with
 */
public record ConvergenceCodec(String text, CompressionStrategy strategy) {
    /** The one that all others are compared with. */
    static final String EXACT = "none";

    private static final int CODECS_MAX = 64;

    /**
     * Reads strategies as {@link CompressionStrategy#parseList} does.
     *
     * @throws IllegalArgumentException says which one is wrong
     */
    public static List<ConvergenceCodec> parseList(String text) {
        var codecs = new LinkedHashSet<ConvergenceCodec>();
        for (CompressionStrategy strategy : CompressionStrategy.parseList(text)) {
            if (strategy instanceof CompressionStrategy.Auto) {
                throw new IllegalArgumentException("'" + strategy.text()
                        + "' chooses by links, and here all go through memory; name a codec, or give rules");
            }
            if (!codecs.add(new ConvergenceCodec(strategy.text(), strategy))) {
                throw new IllegalArgumentException(strategy.text() + " stands twice in '" + text + "'; leave one out");
            }
        }
        if (codecs.size() > CODECS_MAX) {
            throw new IllegalArgumentException("at most " + CODECS_MAX + " codecs in one run, got " + codecs.size());
        }
        return new ArrayList<>(codecs);
    }

    /** As {@link CompressionStrategy#momentumLeft}. */
    float momentum(float usual) {
        return strategy.momentumLeft(usual);
    }
}
