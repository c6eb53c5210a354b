package io.hearth.topology.plan;

import java.util.Arrays;
import java.util.BitSet;
import java.util.stream.IntStream;

/**
 * What is known of the links between the ranks of a group. A number that cannot be right counts as unknown, so that a peer that lies or a
 * failed probe makes a plan worse but never impossible.
 */
public final class LinkMatrix {
    /** Most ranks of a matrix. */
    public static final int WORLD_MAX = 1_024;

    /** Rates above 1 TB/s are no measurements. */
    public static final long BYTES_PER_SECOND_MAX = 1_000_000_000_000L;

    /** Round trips above 18 minutes are no measurements. */
    public static final long ROUND_TRIP_NANOS_MAX = 1L << 40;

    private final int world;
    private final long[] roundTripNanos;
    private final long[] bytesPerSecond;
    private final BitSet unreachable;
    private final int[] machines;
    private final boolean isMeasured;
    private final long medianRate;

    private LinkMatrix(int world, long[] roundTripNanos, long[] bytesPerSecond, BitSet unreachable, int[] machines) {
        this.world = world;
        this.roundTripNanos = roundTripNanos;
        this.bytesPerSecond = bytesPerSecond;
        this.unreachable = unreachable;
        this.machines = machines;
        long[] known = pairs().mapToLong(pair -> bytesPerSecond[pair])
                .filter(rate -> rate > 0)
                .sorted()
                .toArray();
        this.isMeasured = known.length == pairs().count();
        this.medianRate = known.length == 0 ? 0 : known[(known.length - 1) / 2];
    }

    private IntStream pairs() {
        return IntStream.range(0, world * world).filter(pair -> pair / world != pair % world && !unreachable.get(pair));
    }

    /**
     * Starts a matrix in which nothing is known: all pairs are reachable, and each rank has a machine of its own.
     *
     * @param world number of ranks, 1 to {@value #WORLD_MAX}
     */
    public static Builder builder(int world) {
        return new Builder(world);
    }

    /** Number of ranks. */
    public int world() {
        return world;
    }

    /** Measured round trip from one rank to another; 0 if unknown. */
    public long roundTripNanos(int from, int to) {
        return roundTripNanos[at(from, to)];
    }

    /** Measured rate of one direction; 0 if unknown. Plans use {@link #rate}. */
    public long bytesPerSecond(int from, int to) {
        return bytesPerSecond[at(from, to)];
    }

    /** Whether the first rank has a working link to the other. */
    public boolean reachable(int from, int to) {
        return !unreachable.get(at(from, to));
    }

    /** Machine of a rank; ranks with the same number share a computer. */
    public int machine(int rank) {
        return machines[rank];
    }

    /**
     * Rate of one direction in bytes per second for a plan. In a partly measured matrix an unknown rate counts as the median of the known
     * ones: neither an attraction nor a reason to avoid a link. It is 0 if the pair is not reachable, or no rate is known at all.
     */
    public long rate(int from, int to) {
        if (from == to || unreachable.get(at(from, to))) {
            return 0;
        }
        long known = bytesPerSecond[at(from, to)];
        return known > 0 ? known : medianRate;
    }

    /** Whether each reachable pair has a measured rate. */
    public boolean isMeasured() {
        return isMeasured;
    }

    /** Whether at least one reachable pair has a measured rate, so that {@link #rate} knows all of them. */
    public boolean hasRates() {
        return medianRate > 0;
    }

    /** The same without any rate. */
    public LinkMatrix withoutRates() {
        return new LinkMatrix(world, roundTripNanos, new long[world * world], unreachable, machines);
    }

    private int at(int from, int to) {
        if (from < 0 || from >= world || to < 0 || to >= world) {
            throw new IndexOutOfBoundsException(
                    "ranks of a pair must be 0 to " + (world - 1) + ", got " + from + " and " + to);
        }
        return from * world + to;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof LinkMatrix that
                && world == that.world
                && Arrays.equals(roundTripNanos, that.roundTripNanos)
                && Arrays.equals(bytesPerSecond, that.bytesPerSecond)
                && unreachable.equals(that.unreachable)
                && Arrays.equals(machines, that.machines);
    }

    @Override
    public int hashCode() {
        return 31 * Arrays.hashCode(roundTripNanos) + Arrays.hashCode(bytesPerSecond);
    }

    @Override
    public String toString() {
        return "LinkMatrix[world=" + world + ", measured=" + isMeasured + ", unreachable=" + unreachable.cardinality()
                + "]";
    }

    /** Collects what is known of the links. */
    public static final class Builder {
        private final LinkMatrix blank;

        private Builder(int world) {
            if (world < 1 || world > WORLD_MAX) {
                throw new IllegalArgumentException("world must be 1 to " + WORLD_MAX + ", got " + world);
            }
            int[] machines = IntStream.range(0, world).toArray();
            blank = new LinkMatrix(world, new long[world * world], new long[world * world], new BitSet(), machines);
        }

        /** Sets the round trip from one rank to another; a number outside of 1 to {@link #ROUND_TRIP_NANOS_MAX} is unknown. */
        public Builder roundTrip(int from, int to, long nanos) {
            blank.roundTripNanos[blank.at(from, to)] = nanos > 0 && nanos <= ROUND_TRIP_NANOS_MAX ? nanos : 0;
            return this;
        }

        /** Sets the rate of one direction; a number outside of 1 to {@link #BYTES_PER_SECOND_MAX} is unknown. */
        public Builder rate(int from, int to, long bytesPerSecond) {
            blank.bytesPerSecond[blank.at(from, to)] =
                    bytesPerSecond > 0 && bytesPerSecond <= BYTES_PER_SECOND_MAX ? bytesPerSecond : 0;
            return this;
        }

        /** States that the first rank has no working link to the other. The opposite direction is another statement. */
        public Builder unreachable(int from, int to) {
            if (from != to) {
                blank.unreachable.set(blank.at(from, to));
            }
            return this;
        }

        /** Sets the machine of a rank: the same number for ranks of one computer. */
        public Builder machine(int rank, int machine) {
            blank.machines[rank] = machine;
            return this;
        }

        /** The matrix; the builder may go on. */
        public LinkMatrix build() {
            return new LinkMatrix(
                    blank.world,
                    blank.roundTripNanos.clone(),
                    blank.bytesPerSecond.clone(),
                    (BitSet) blank.unreachable.clone(),
                    blank.machines.clone());
        }
    }
}
