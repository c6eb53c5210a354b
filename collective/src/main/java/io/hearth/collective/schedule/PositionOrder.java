package io.hearth.collective.schedule;

import io.hearth.collective.schedule.Transfer.Action;

/**
 * Adds contributions in the order of positions, ((x0 op x1) op x2) and so on, with the position's own one at its place. So every position
 * that adds gets the same bits: an owner of a share, a centre, or each position for itself.
 *
 * <p>Contributions arrive from 0, 1, 2, … without the position itself. Its own contribution is added together with the first one that is a
 * neighbour in this order, so it costs no extra pass over memory.
 */
final class PositionOrder {
    private PositionOrder() {}

    /** The action of {@code position} on the contribution of {@code from}. */
    static Action action(int position, int from) {
        if (position == 0) {
            return from == 1 ? Action.COMBINE_WITH_INPUT : Action.COMBINE;
        }
        if (from == 0) {
            return position == 1 ? Action.COPY_THEN_INPUT : Action.COPY;
        }
        return from == position - 1 ? Action.COMBINE_THEN_INPUT : Action.COMBINE;
    }

    /** Whether the contribution of {@code from} is the last that {@code position} receives. */
    static boolean isLast(int position, int from, int world) {
        return from == (position == world - 1 ? world - 2 : world - 1);
    }
}
