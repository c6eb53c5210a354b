package io.hearth.bench;

import io.hearth.transport.DataTransport;
import java.util.Collection;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The transport that each pair of ranks with a stream really used.
 *
 * @param pairs {@code shm}, {@code tcp} or {@code mixed} for each {@code lower-higher} pair of ranks
 */
record PairWays(SortedMap<String, String> pairs) {
    private static final String MIXED = "mixed";
    private static final String NONE = "none";

    PairWays {
        pairs = new TreeMap<>(pairs);
    }

    /** Joins the reports of all ranks, with both ends of each pair. */
    static PairWays of(List<RankTimes> ranks) {
        var pairs = new TreeMap<String, String>();
        for (RankTimes rank : ranks) {
            rank.transports().forEach((other, way) -> {
                String pair = Math.min(rank.rank(), other) + "-" + Math.max(rank.rank(), other);
                pairs.merge(pair, way, PairWays::joined);
            });
        }
        return new PairWays(pairs);
    }

    /** One word for the streams of a pair. */
    static String word(Collection<DataTransport> ways) {
        return ways.stream().map(DataTransport::text).reduce(PairWays::joined).orElse(NONE);
    }

    /** One word for all pairs. */
    String word() {
        return pairs.values().stream().reduce(PairWays::joined).orElse(NONE);
    }

    private static String joined(String one, String other) {
        return one.equals(other) ? one : MIXED;
    }
}
