package io.hearth.bench;

import io.hearth.compression.CompressionStrategy;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;

/**
 * A codec of gradients in a comparison.
 *
 * @param text the codec with all settings
 * @param strategy the compression
 */
public record ConvergenceCodec(String text, CompressionStrategy strategy) {
    /** The codec with which all others are compared. */
    static final String EXACT = "none";

    private static final int CODECS_MAX = 64;

    /**
     * Reads strategies as {@link CompressionStrategy#parseList} does.
     *
     * @throws IllegalArgumentException one of them is wrong; the message names it
     */
    public static List<ConvergenceCodec> parseList(String text) {
        var codecs = new LinkedHashSet<ConvergenceCodec>();
        for (CompressionStrategy strategy : CompressionStrategy.parseList(text)) {
            if (strategy instanceof CompressionStrategy.Auto) {
                throw new IllegalArgumentException(
                        "'" + strategy.text()
                                + "' chooses by the speed of links, and this benchmark has only loopback; name a codec or rules");
            }
            if (!codecs.add(new ConvergenceCodec(strategy.text(), strategy))) {
                throw new IllegalArgumentException(strategy.text() + " occurs twice in '" + text + "'; leave one out");
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
