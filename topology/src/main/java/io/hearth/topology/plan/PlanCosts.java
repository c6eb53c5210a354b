package io.hearth.topology.plan;

import java.util.Optional;

/**
 * Predicted costs of the structures of a plan.
 *
 * @param ring {@code picosPerByte}: of the slowest hop, for each byte that passes it
 * @param direct {@code picosPerByte}: of the slowest port or link, for each byte of the whole buffer
 * @param islands {@code picosPerByte}: of the slowest port or link, for each byte of the whole buffer
 * @param pair {@code picosPerByte}: of the slowest link between two ranks that reach each other
 */
public record PlanCosts(Route ring, Route direct, Route islands, Route pair) {
    /** Nothing is measured. */
    public static final PlanCosts UNKNOWN = new PlanCosts(Route.UNKNOWN, Route.UNKNOWN, Route.UNKNOWN, Route.UNKNOWN);

    /** A structure must be faster than one that comes before it in {@link Structure} by more than rounding. */
    private static final double CLEARLY = 0.999;

    private static final double NANOS_PER_PICO = 1e-3;

    /** The cost of a structure. */
    public Route of(Structure structure) {
        return switch (structure) {
            case RING -> ring;
            case DIRECT -> direct;
            case ISLANDS -> islands;
        };
    }

    /**
     * Predicted nanoseconds of an all-reduce: latency of its rounds, and the bytes through its slowest place.
     *
     * @param world number of ranks, 2 or more
     * @param bytes of the buffer
     * @return infinite if the structure is impossible; NaN if it is not measured
     */
    public double nanos(Structure structure, int world, long bytes) {
        Route route = of(structure);
        if (!route.isPossible()) {
            return Double.POSITIVE_INFINITY;
        }
        if (!route.isMeasured()) {
            return Double.NaN;
        }
        double rounds = switch (structure) {
            case RING -> 2.0 * (world - 1);
            case DIRECT -> 2;
            case ISLANDS -> 4;
        };
        double passes = structure == Structure.RING ? rounds / world : 1;
        return rounds * route.alphaNanos() + passes * bytes * NANOS_PER_PICO * route.picosPerByte();
    }

    /** The structure with the shortest predicted time; of equal ones the first. Empty if none is measured and possible. */
    public Optional<Structure> fastest(int world, long bytes) {
        Optional<Structure> best = Optional.empty();
        double bestNanos = Double.POSITIVE_INFINITY;
        for (Structure structure : Structure.values()) {
            double nanos = nanos(structure, world, bytes);
            if (nanos < bestNanos * CLEARLY) { // false for NaN
                best = Optional.of(structure);
                bestNanos = nanos;
            }
        }
        return best;
    }
}
