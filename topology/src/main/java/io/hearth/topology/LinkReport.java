package io.hearth.topology;

import io.hearth.identity.Labels;
import io.hearth.identity.NodeId;
import java.util.Collections;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.BiPredicate;

/**
 * What a node measured on its links. Each node sends its report to all nodes that it has a link with, so that each of them knows the graph
 * of all. A node reports its own links only, and nobody can check a report: {@link LinkReports} believes the lower of two ends.
 *
 * @param links by peer, at most {@value #LINKS_MAX}
 * @param straggler the node for which its collectives wait now; for people only
 * @param codecPercent share of its time that it encodes and decodes while collectives run, 0 to {@value #CODEC_PERCENT_MAX}
 */
public record LinkReport(SortedMap<NodeId, Measured> links, Optional<Straggler> straggler, int codecPercent) {
    /** Most links of a report. */
    public static final int LINKS_MAX = 256;

    /** All the time. */
    public static final int CODEC_PERCENT_MAX = 100;

    /** A smaller change of the share is not worth a report. */
    private static final int CODEC_PERCENT_NOTABLE = 10;

    /** A report without links. */
    public static final LinkReport NONE = new LinkReport(Collections.emptySortedMap());

    /** Fastest rate that counts, in bytes per second: faster than any memory. A higher one is a lie or a fault. */
    public static final long BYTES_PER_SECOND_MAX = 1_000_000_000_000L;

    /** Longest round trip that counts, in nanoseconds. */
    public static final long ROUND_TRIP_NANOS_MAX = 60_000_000_000L;

    public LinkReport {
        links = Collections.unmodifiableSortedMap(new TreeMap<>(links));
        if (links.size() > LINKS_MAX) {
            throw new IllegalArgumentException("a report has at most " + LINKS_MAX + " links, got " + links.size());
        }
        if (codecPercent < 0 || codecPercent > CODEC_PERCENT_MAX) {
            throw new IllegalArgumentException(
                    "codecs take 0 to " + CODEC_PERCENT_MAX + " percent of the time, got " + codecPercent);
        }
    }

    /** A report without a straggler. */
    public LinkReport(SortedMap<NodeId, Measured> links) {
        this(links, Optional.empty(), 0);
    }

    /**
     * The measurements of one link; 0 means not measured.
     *
     * @param roundTripNanos the shortest of the last minute, at most {@link #ROUND_TRIP_NANOS_MAX}
     * @param outBytesPerSecond from the reporting node to the peer, at most {@link #BYTES_PER_SECOND_MAX}
     * @param inBytesPerSecond from the peer to the reporting node, likewise
     * @param seenBytesPerSecond from the peer to the reporting node, as collectives show it now; likewise. No plan counts it as it is: only
     *     the peer knows what else its port carried ({@link io.hearth.topology.bandwidth.OutRates})
     * @param way the path that was measured; empty if the node does not say
     */
    public record Measured(
            long roundTripNanos,
            long outBytesPerSecond,
            long inBytesPerSecond,
            long seenBytesPerSecond,
            Optional<Way> way) {
        /** Measurements of a path of which nothing else is known. */
        public Measured(long roundTripNanos, long outBytesPerSecond, long inBytesPerSecond) {
            this(roundTripNanos, outBytesPerSecond, inBytesPerSecond, 0, Optional.empty());
        }

        public Measured {
            if (!isWithin(roundTripNanos, ROUND_TRIP_NANOS_MAX)
                    || !isWithin(outBytesPerSecond, BYTES_PER_SECOND_MAX)
                    || !isWithin(inBytesPerSecond, BYTES_PER_SECOND_MAX)
                    || !isWithin(seenBytesPerSecond, BYTES_PER_SECOND_MAX)) {
                throw new IllegalArgumentException(
                        "measurements of a link are out of range: " + roundTripNanos + " ns, " + outBytesPerSecond
                                + ", " + inBytesPerSecond + " and " + seenBytesPerSecond + " B/s");
            }
        }

        private static boolean isWithin(long value, long most) {
            return value >= 0 && value <= most;
        }

        /** Whether the other differs by more than noise: an eighth of a rate, or half of a round trip. */
        private boolean differsForPlans(Measured other) {
            return differs(roundTripNanos, other.roundTripNanos, 2)
                    || differs(outBytesPerSecond, other.outBytesPerSecond, 8)
                    || differs(inBytesPerSecond, other.inBytesPerSecond, 8);
        }

        /** The same, or by a quarter of what collectives show, or by its path. */
        private boolean differs(Measured other) {
            return differsForPlans(other)
                    || !way.map(Way::place).equals(other.way.map(Way::place))
                    || differs(seenBytesPerSecond, other.seenBytesPerSecond, 4);
        }

        private static boolean differs(long one, long other, int part) {
            return (one == 0) != (other == 0) || Math.abs(one - other) > Math.max(one, other) / part;
        }
    }

    /**
     * The path of a link, as the reporting node sees it; for people.
     *
     * @param path as in {@link PathProfile#path}
     * @param kind the class of the reporting node's interface
     * @param ageSeconds age of the measurement when the report was made, 0 to {@link #AGE_SECONDS_MAX}
     * @param lossPermille lost packets of those that the reporting node sends, per thousand; empty if it does not know
     */
    public record Way(String path, InterfaceClass kind, long ageSeconds, OptionalInt lossPermille) {
        /** Ages above a hundred years are no ages. */
        public static final long AGE_SECONDS_MAX = 3_200_000_000L;

        public Way {
            path = Labels.clean(path, PathProfile.PATH_CHARACTERS_MAX);
            if (ageSeconds < 0 || ageSeconds > AGE_SECONDS_MAX) {
                throw new IllegalArgumentException(
                        "age of a measurement must be 0 to " + AGE_SECONDS_MAX + " s, got " + ageSeconds);
            }
            PathProfile.requireLoss(lossPermille);
        }

        /** The same path with the age left out: time alone makes no report worth sending. */
        private Way place() {
            return new Way(path, kind, 0, lossPermille);
        }
    }

    /** Whether the other has other links, notably other measurements, another straggler or another share of codecs: then it is worth sending. */
    public boolean differs(LinkReport other) {
        boolean namesAnother = straggler.isPresent() != other.straggler.isPresent()
                || straggler
                        .filter(named -> !named.isLike(other.straggler.orElse(named)))
                        .isPresent();
        boolean encodes = Math.abs(codecPercent - other.codecPercent) >= CODEC_PERCENT_NOTABLE;
        return namesAnother || encodes || differs(other, Measured::differs);
    }

    /** Whether the other has other links, or notably other measurements, of what plans are made from. */
    boolean differsForPlans(LinkReport other) {
        return differs(other, Measured::differsForPlans);
    }

    private boolean differs(LinkReport other, BiPredicate<Measured, Measured> howMuch) {
        return !links.keySet().equals(other.links.keySet())
                || links.entrySet().stream()
                        .anyMatch(link -> howMuch.test(
                                link.getValue(), other.links.getOrDefault(link.getKey(), link.getValue())));
    }
}
