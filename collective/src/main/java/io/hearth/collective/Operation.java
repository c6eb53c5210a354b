package io.hearth.collective;

import java.util.Locale;

/** The calls of a {@link DistributedContext} that are counted, each for itself. */
public enum Operation {
    ALL_REDUCE,
    REDUCE_SCATTER,
    ALL_GATHER,
    REDUCE,
    GATHER,
    SCATTER,
    ALL_TO_ALL,
    BROADCAST,
    BARRIER,
    SEND,
    RECEIVE,
    /** The beginning of a step; a newcomer's includes the transfer of the state. */
    BEGIN_STEP;

    /** The name in JSON and metrics, such as {@code all_reduce}. */
    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }
}
