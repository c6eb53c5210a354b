package io.hearth.collective.exchange;

/**
 * What positions of a schedule are.
 *
 * @param ranks rank of each position
 */
@SuppressWarnings("ArrayRecordComponent") // of the mesh, never changed
public record RankOrder(int[] ranks) {
    /** Where a rank is; -1 for none of them. */
    public int position(int rank) {
        for (int position = 0; position < ranks.length; position++) {
            if (ranks[position] == rank) {
                return position;
            }
        }
        return -1;
    }
}
