package io.hearth.coordinator.collective;

import java.util.ArrayList;
import java.util.List;

/**
 * The steps of a ring (reduce-scatter, then all-gather). Values are cut into as many slices as there are workers. In each step a worker
 * sends one slice to the next rank and takes another one from the rank before it.
 */
public final class Ring {
    /**
     * A step.
     *
     * @param send slice for the next rank
     * @param receive slice from the rank before
     * @param adds whether the received slice is added to the own one; else it takes its place
     */
    public record Move(int send, int receive, boolean adds) {}

    /** The part {@code from} to before {@code to} of all values. */
    public record Slice(int from, int to) {}

    private Ring() {}

    /** All steps of a rank. After the first half of them, the rank has the sum of slice {@link #owned}. */
    public static List<Move> moves(int rank, int size) {
        var moves = new ArrayList<Move>();
        for (int step = 0; step < size - 1; step++) {
            moves.add(new Move(Math.floorMod(rank - step, size), Math.floorMod(rank - step - 1, size), true));
        }
        for (int step = 0; step < size - 1; step++) {
            moves.add(new Move(Math.floorMod(rank + 1 - step, size), Math.floorMod(rank - step, size), false));
        }
        return moves;
    }

    /** The slice whose sum a rank has in the middle. */
    public static int owned(int rank, int size) {
        return (rank + 1) % size;
    }

    /** A slice of this many values; lengths differ by at most 1. */
    public static Slice slice(int index, int size, int values) {
        return new Slice((int) ((long) values * index / size), (int) ((long) values * (index + 1) / size));
    }
}
