package io.hearth.collective.schedule;

import io.hearth.collective.schedule.Transfer.Action;

/**
 * Adding contributions in the order of positions, ((x0 op x1) op x2) and so on, the own one at its place: whoever adds so gets
 * the same bits, be it an owner of a share, a centre or everybody for himself.
 *
 * <p>Contributions come in from 0, 1, 2, … without the own position. The own one is taken along with the first that is a
 * neighbour of it in this order, so it costs no pass over memory.
 */
final class PositionOrder {
    private PositionOrder() {}

    /** What {@code position} does with the contribution of {@code from}. */
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
