package io.hearth.collective.exchange;

/**
 * The ranks at the positions of a schedule.
 *
 * @param ranks rank of each position
 */
@SuppressWarnings("ArrayRecordComponent") // of the mesh, never changed
public record RankOrder(int[] ranks) {
    /** Position of a rank; -1 if it has none. */
    public int position(int rank) {
        for (int position = 0; position < ranks.length; position++) {
            if (ranks[position] == rank) {
                return position;
            }
        }
        return -1;
    }
}
