package io.hearth.collective.schedule;

import io.hearth.topology.plan.PlanCosts;
import io.hearth.topology.plan.Route;

/**
 * Predicts the time of a schedule: latency and bytes on the longest chain of messages, plus the other work of one processor.
 *
 * <p>Hockney's alpha-beta model ("The communication challenge for MPP", 1994), as Thakur, Rabenseifner and Gropp use it ("Optimization of
 * collective communication operations in MPICH", 2005), with four additions: pipelining by segments; the processor's time for messages that
 * do not wait for each other; ports at which several senders meet; and the hand-over to a second thread, which small calls avoid. Sizes are
 * those of the whole buffer, unless the text names a share or a block.
 *
 * <p>Once the links of a group are measured, latency and time per byte of an all-reduce are those of its plan: of the slowest hop round the
 * ring, of the slowest port of a direct sum with its shares, of the slowest place of the islands.
 *
 * <p>Only differences between schedules matter; the absolute times leave out the cipher and other load on the machine.
 *
 * @param link the same for all pairs; the part of the costs that is not measured
 * @param measured costs of the group's plan
 * @param segmentBytes most bytes of a segment, 1 or more
 * @param inTurnBytesMax 0 or more; with more bytes to any one receiver, a second thread takes part
 */
public record CostModel(LinkModel link, PlanCosts measured, int segmentBytes, long inTurnBytesMax) {
    private static final double NANOS_PER_PICO = 1e-3;

    public CostModel {
        if (segmentBytes < 1) {
            throw new IllegalArgumentException("segmentBytes must be 1 or more, got " + segmentBytes);
        }
        if (inTurnBytesMax < 0) {
            throw new IllegalArgumentException("inTurnBytesMax must be 0 or more, got " + inTurnBytesMax);
        }
    }

    /** A model of links that are not measured. */
    public CostModel(LinkModel link, int segmentBytes, long inTurnBytesMax) {
        this(link, PlanCosts.UNKNOWN, segmentBytes, inTurnBytesMax);
    }

    /** Whether the links of the group are measured. */
    public boolean isMeasured() {
        return measured.ring().isMeasured()
                || measured.direct().isMeasured()
                || measured.islands().isMeasured();
    }

    private Route route(AllReduceAlgorithm algorithm) {
        return switch (algorithm) {
            case RING -> measured.ring();
            case DIRECT -> measured.direct();
            case ISLANDS -> measured.islands();
            case WHOLE_EXCHANGE, TREE, STAR -> measured.pair();
        };
    }

    /**
     * Nanoseconds of an all-reduce of {@code bytes}; 0 in a world of one, infinite if it needs a link that does not work. In {@code ISLANDS}
     * each position is alone.
     */
    public double allReduceNanos(AllReduceAlgorithm algorithm, int world, long bytes) {
        if (world == 1) {
            return 0;
        }
        Route route = route(algorithm);
        if (!route.isPossible()) {
            return Double.POSITIVE_INFINITY;
        }
        if (!route.isMeasured()) {
            return assumedNanos(algorithm, world, bytes);
        }
        double nanosPerByte = (double) route.picosPerByte() * NANOS_PER_PICO;
        double perMessageByte =
                algorithm == AllReduceAlgorithm.DIRECT ? nanosPerByte * world / (2.0 * (world - 1)) : nanosPerByte;
        CostModel here = over(route.alphaNanos(), perMessageByte);
        return algorithm == AllReduceAlgorithm.ISLANDS
                ? here.plannedIslandsNanos(bytes)
                : here.assumedNanos(algorithm, world, bytes);
    }

    /** The same over links with at least this latency, and with this time for each byte. */
    private CostModel over(long alphaNanos, double nanosPerByte) {
        return new CostModel(
                new LinkModel(
                        Math.max(link.alphaNanos(), (double) alphaNanos),
                        nanosPerByte,
                        link.gammaNanosPerByte(),
                        link.messageNanos(),
                        link.contention(),
                        link.handOverNanos()),
                segmentBytes,
                inTurnBytesMax);
    }

    /** All four stages overlap, so the slowest place sets the time. */
    private double plannedIslandsNanos(long bytes) {
        return noteNanos()
                + 4 * link.alphaNanos()
                + 2 * link.messageNanos() * Segments.of(bytes, segmentBytes)
                + link.contention() * bytes(bytes)
                + combine((double) bytes)
                + handOver((double) bytes);
    }

    private double assumedNanos(AllReduceAlgorithm algorithm, int world, long bytes) {
        int others = world - 1;
        long share = Math.ceilDiv(bytes, world);
        double levels = levels(world);
        return switch (algorithm) {
            case WHOLE_EXCHANGE ->
                crowd(1, others, bytes) + combine(others * (double) bytes) + handOver((double) bytes);
            case DIRECT -> crowd(2, 2.0 * others, share) + combine(others * (double) share) + handOver(2.0 * share);
            case RING -> ring(2 * others, share) + combine(others * (double) share) + handOver(2.0 * others * share);
            case TREE ->
                noteNanos()
                        + 2 * levels * hop(bytes)
                        + levels * following(bytes)
                        + combine(levels * bytes)
                        + handOver((double) bytes);
            case STAR ->
                noteNanos()
                        + crowd(2, others, bytes)
                        + others * bytes(Math.min(bytes, segmentBytes))
                        + combine(others * (double) bytes)
                        + handOver((double) bytes);
            case ISLANDS -> islandsNanos(world, 1, bytes);
        };
    }

    /**
     * Nanoseconds of an all-reduce of {@code bytes} by {@code ISLANDS}; 0 in a world of one. The port of the leader with most members sets
     * the time: it carries what its island and the other leaders send, while results leave through it. Links inside are no faster than
     * those between.
     */
    public double allReduceNanos(Islands islands, long bytes) {
        return measured.islands().equals(Route.UNKNOWN)
                ? islandsNanos(islands.count(), islands.largest(), bytes)
                : allReduceNanos(AllReduceAlgorithm.ISLANDS, islands.world(), bytes);
    }

    private double islandsNanos(int islands, int largest, long bytes) {
        int members = largest - 1;
        int others = islands - 1;
        if (members + others == 0) {
            return 0;
        }
        long share = Math.ceilDiv(bytes, islands);
        double inside = members == 0
                ? 0
                : crowd(2, members, bytes)
                        + members * bytes(Math.min(share, segmentBytes))
                        + combine(members * (double) bytes);
        double between = others == 0 ? 0 : crowd(2, 2.0 * others, share) + combine(others * (double) share);
        return noteNanos() + inside + between + handOver(members == 0 ? 2.0 * share : (double) bytes);
    }

    /** Nanoseconds of a broadcast of {@code bytes} until all hold them; 0 in a world of one. */
    public double broadcastNanos(BroadcastAlgorithm algorithm, int world, long bytes) {
        if (world == 1) {
            return 0;
        }
        return noteNanos()
                + handOver((double) bytes)
                + switch (algorithm) {
                    case TREE -> levels(world) * (hop(bytes) + following(bytes)) + barrierNanos(world);
                    case RING -> (world - 1) * hop(bytes) + following(bytes) + world * link.alphaNanos();
                };
    }

    /** Nanoseconds of a reduction of {@code bytes} to a root, completion barrier included; 0 in a world of one. */
    public double reduceNanos(ReduceAlgorithm algorithm, int world, long bytes) {
        if (world == 1) {
            return 0;
        }
        int others = world - 1;
        double levels = levels(world);
        return noteNanos()
                + barrierNanos(world)
                + handOver((double) bytes)
                + switch (algorithm) {
                    case STAR -> crowd(1, others, bytes) + combine(others * (double) bytes);
                    case TREE -> levels * (hop(bytes) + following(bytes)) + combine(levels * bytes);
                    case RING ->
                        others * hop(bytes)
                                + following(bytes)
                                + combine(others * (double) Math.min(bytes, segmentBytes) + bytes);
                };
    }

    /** Nanoseconds of a reduce-scatter whose largest share has {@code share} bytes, completion barrier included; 0 in a world of one. */
    public double reduceScatterNanos(PairAlgorithm algorithm, int world, long share) {
        return world == 1
                ? 0
                : barrierNanos(world) + pairs(algorithm, world, share) + combine((world - 1) * (double) share);
    }

    /** Nanoseconds of an all-gather whose longest block has {@code block} bytes; 0 in a world of one. */
    public double allGatherNanos(PairAlgorithm algorithm, int world, long block) {
        return world == 1 ? 0 : pairs(algorithm, world, block);
    }

    /** Nanoseconds of a {@link CompletionBarrier}; 0 in a world of one. */
    public double barrierNanos(int world) {
        return world == 1 ? 0 : crowd(1, world - 1, 0);
    }

    private double pairs(PairAlgorithm algorithm, int world, long share) {
        int others = world - 1;
        return switch (algorithm) {
            case DIRECT -> crowd(1, others, share) + handOver((double) share);
            case RING -> ring(others, share) + handOver(others * (double) share);
        };
    }

    /** {@code messages} of {@code length} bytes through one port, with the same number in the other direction, in dependent rounds. */
    private double crowd(int rounds, double messages, long length) {
        double contention = messages > rounds ? link.contention() : 1;
        double besides = messages * Segments.of(length, segmentBytes) - rounds;
        return rounds * link.alphaNanos()
                + besides * 2 * link.messageNanos()
                + messages * contention * link.betaNanosPerByte() * length;
    }

    /**
     * Steps around the ring. The first segment of a step leaves once two things have happened: the first segment of the step before has
     * arrived, and all segments of that step have left. So long chunks hide latency.
     */
    private double ring(int steps, long chunk) {
        long besides = (Segments.of(chunk, segmentBytes) - 1) * steps;
        return steps * Math.max(hop(chunk), bytes(chunk))
                + (bytes(chunk) > hop(chunk) ? link.alphaNanos() : 0)
                + besides * 2 * link.messageNanos();
    }

    /** Time of the first segment over one hop. */
    private double hop(long length) {
        return link.alphaNanos() + bytes(Math.min(length, segmentBytes));
    }

    /** Time of all segments but the first through one port. */
    private double following(long length) {
        return bytes(length - Math.min(length, segmentBytes))
                + (Segments.of(length, segmentBytes) - 1) * 2 * link.messageNanos();
    }

    private double bytes(long length) {
        return link.betaNanosPerByte() * length;
    }

    private double combine(double length) {
        return link.gammaNanosPerByte() * length;
    }

    /** Time of a note to the next position and one from the previous one. */
    private double noteNanos() {
        return 2 * link.messageNanos();
    }

    private double handOver(double toOneBytes) {
        return toOneBytes > inTurnBytesMax ? link.handOverNanos() : 0;
    }

    private static double levels(int world) {
        return 32 - Integer.numberOfLeadingZeros(world - 1);
    }
}
