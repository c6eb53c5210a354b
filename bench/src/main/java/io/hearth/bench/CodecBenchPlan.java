package io.hearth.bench;

import io.hearth.compression.CompressionStrategy;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Which codecs are to be judged, and by sums of how many contributors.
 *
 * @param codecs at least one, none twice
 * @param nodes contributors of each sum: 2 to {@link #NODES_MAX}, none twice
 * @param values of each gradient, 1 to {@link #FLOATS_MAX} over the most contributors
 */
public record CodecBenchPlan(List<CompressionStrategy.Coded> codecs, List<Integer> nodes, int values) {
    /** More would not be a home. */
    public static final int NODES_MAX = 64;

    /** In all gradients of a sum together, which are in memory at once: 1 GiB. */
    public static final long FLOATS_MAX = 1L << 28;

    public CodecBenchPlan {
        codecs = List.copyOf(codecs);
        nodes = List.copyOf(nodes);
        if (codecs.isEmpty() || nodes.isEmpty()) {
            throw new IllegalArgumentException("need a codec and a number of nodes at least");
        }
        for (int count : nodes) {
            if (count < 2 || count > NODES_MAX) {
                throw new IllegalArgumentException("a sum has 2 to " + NODES_MAX + " nodes, got " + count);
            }
        }
        long most = FLOATS_MAX / Collections.max(nodes);
        if (values < 1 || values > most) {
            throw new IllegalArgumentException("gradients of " + Collections.max(nodes) + " nodes have 1 to " + most
                    + " values each, got " + values);
        }
    }

    /** The most contributors of any sum. */
    int nodesMax() {
        return Collections.max(nodes);
    }

    /**
     * Reads both lists, separated by commas.
     *
     * @throws IllegalArgumentException says which part is wrong
     */
    public static CodecBenchPlan parse(String codecs, String nodes, int values) {
        var strategies = new ArrayList<CompressionStrategy.Coded>();
        Set<String> known = new HashSet<>();
        for (CompressionStrategy strategy : CompressionStrategy.parseList(codecs)) {
            if (!(strategy instanceof CompressionStrategy.Coded coded)) {
                throw new IllegalArgumentException("'" + strategy.text()
                        + "' depends on earlier steps or on links, so one sum says nothing about it; choose others");
            }
            if (!known.add(coded.text())) {
                throw new IllegalArgumentException("codec " + coded.text() + " stands twice in '" + codecs + "'");
            }
            strategies.add(coded);
        }
        return new CodecBenchPlan(strategies, numbers(nodes), values);
    }

    private static List<Integer> numbers(String nodes) {
        var numbers = new ArrayList<Integer>();
        for (String text : nodes.split(",", -1)) {
            try {
                int number = Integer.parseInt(text.strip());
                if (numbers.contains(number)) {
                    throw new IllegalArgumentException("number " + number + " stands twice in '" + nodes + "'");
                }
                numbers.add(number);
            } catch (NumberFormatException notANumber) {
                throw new IllegalArgumentException("'" + text + "' is no number of nodes such as 4", notANumber);
            }
        }
        return numbers;
    }
}
