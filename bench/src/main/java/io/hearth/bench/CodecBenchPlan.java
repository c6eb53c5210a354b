package io.hearth.bench;

import io.hearth.compression.CompressionStrategy;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Settings of a codec benchmark: the codecs and the numbers of contributors.
 *
 * @param codecs at least one, without duplicates
 * @param nodes numbers of contributors, each 2 to {@link #NODES_MAX}, without duplicates
 * @param values of each gradient, 1 to {@link #FLOATS_MAX} divided by the largest number of contributors
 */
public record CodecBenchPlan(List<CompressionStrategy.Coded> codecs, List<Integer> nodes, int values) {
    /** Largest number of contributors: no home has more machines. */
    public static final int NODES_MAX = 64;

    /** Largest number of values in all gradients of a sum, which are in memory at the same time: 1 GiB. */
    public static final long FLOATS_MAX = 1L << 28;

    public CodecBenchPlan {
        codecs = List.copyOf(codecs);
        nodes = List.copyOf(nodes);
        if (codecs.isEmpty() || nodes.isEmpty()) {
            throw new IllegalArgumentException("need at least one codec and one number of nodes");
        }
        for (int count : nodes) {
            if (count < 2 || count > NODES_MAX) {
                throw new IllegalArgumentException("the number of nodes must be 2 to " + NODES_MAX + ", got " + count);
            }
        }
        long most = FLOATS_MAX / Collections.max(nodes);
        if (values < 1 || values > most) {
            throw new IllegalArgumentException("with " + Collections.max(nodes)
                    + " nodes, each gradient must have 1 to " + most + " values, got " + values);
        }
    }

    /** The largest number of contributors. */
    int nodesMax() {
        return Collections.max(nodes);
    }

    /**
     * Reads both lists, separated by commas.
     *
     * @throws IllegalArgumentException a part is wrong; the message names it
     */
    public static CodecBenchPlan parse(String codecs, String nodes, int values) {
        var strategies = new ArrayList<CompressionStrategy.Coded>();
        Set<String> known = new HashSet<>();
        for (CompressionStrategy strategy : CompressionStrategy.parseList(codecs)) {
            if (!(strategy instanceof CompressionStrategy.Coded coded)) {
                throw new IllegalArgumentException("'" + strategy.text()
                        + "' depends on earlier steps or on links, so one sum cannot measure it; choose other codecs");
            }
            if (!known.add(coded.text())) {
                throw new IllegalArgumentException("codec " + coded.text() + " occurs twice in '" + codecs + "'");
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
                    throw new IllegalArgumentException("number " + number + " occurs twice in '" + nodes + "'");
                }
                numbers.add(number);
            } catch (NumberFormatException notANumber) {
                throw new IllegalArgumentException(
                        "the number of nodes must be a whole number such as 4, got '" + text + "'", notANumber);
            }
        }
        return numbers;
    }
}
