package io.hearth.topology.plan;

/**
 * Predicted cost of a structure in the alpha-beta model.
 *
 * @param alphaNanos one-way latency: half of the worst known round trip that the structure uses, or of the mean one of a ring;
 *     0 if none is known
 * @param picosPerByte time for each byte, see {@link PlanCosts}; 0 if not measured
 */
public record Route(long alphaNanos, long picosPerByte) {
    /** Nothing is measured. */
    public static final Route UNKNOWN = new Route(0, 0);

    /** The structure is impossible: it needs a link that does not work. */
    public static final Route NEVER = new Route(0, Long.MAX_VALUE);

    public Route {
        if (alphaNanos < 0 || picosPerByte < 0) {
            throw new IllegalArgumentException("a route needs alphaNanos and picosPerByte of 0 or more, got "
                    + alphaNanos + " and " + picosPerByte);
        }
    }

    /** Whether the structure can work. */
    public boolean isPossible() {
        return picosPerByte != Long.MAX_VALUE;
    }

    /** Whether its rate is known. */
    public boolean isMeasured() {
        return picosPerByte > 0 && isPossible();
    }
}
