package io.hearth.topology;

import java.util.Optional;

/**
 * What changes on a machine while it runs.
 *
 * @param percent 1-minute load average per core, in percent; {@value #UNKNOWN} when not known. Above 100 more threads want to run than
 *     there are cores
 * @param battery of the machine; empty if it has none, or none is known
 */
public record NodeLoad(int percent, Optional<Battery> battery) {
    /** The load is not known. */
    public static final int UNKNOWN = -1;

    /** Upper bound of the load: more than any machine has. */
    public static final int PERCENT_MAX = 100_000;

    /** Of a machine that says nothing about it. */
    public static final NodeLoad NONE = new NodeLoad(UNKNOWN, Optional.empty());

    public NodeLoad {
        if (percent < UNKNOWN || percent > PERCENT_MAX) {
            throw new IllegalArgumentException("load must be " + UNKNOWN + " (not known) or 0 to " + PERCENT_MAX
                    + " percent of a core, got " + percent);
        }
    }

    /**
     * A battery.
     *
     * @param percent of its charge, 0 to 100
     * @param isOnMains whether the machine takes its power from a plug
     */
    public record Battery(int percent, boolean isOnMains) {
        public Battery {
            if (percent < 0 || percent > 100) {
                throw new IllegalArgumentException("a battery must be charged to 0 to 100 percent, got " + percent);
            }
        }
    }
}
