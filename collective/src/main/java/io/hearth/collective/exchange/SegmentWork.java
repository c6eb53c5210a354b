package io.hearth.collective.exchange;

import io.hearth.collective.schedule.Transfer;
import io.hearth.compression.NonFiniteException;
import io.hearth.core.MalformedMessageException;
import io.hearth.transport.ReceivedRecord;
import java.io.IOException;

/**
 * Produces the segments that this rank sends in a schedule, and consumes the received ones.
 *
 * <p>Two threads call {@link #sending} and {@link #take}, each in the order of its side of the schedule. The segments that a send needs
 * were received before.
 */
public interface SegmentWork {
    /**
     * Puts the bytes of a segment at their place in the input or buffer; they are sent from there next.
     *
     * @throws NonFiniteException the codec cannot encode this rank's values: the number is rejected on all ranks
     */
    default void sending(Transfer transfer) throws NonFiniteException {}

    /** Whether this work reports its phases to the watch itself, because it has more than one. */
    default boolean reportsPhases() {
        return false;
    }

    /**
     * Consumes a segment that the schedule expected.
     *
     * @param arrived borrowed; the bytes begin after the first {@code prefix} ones
     * @param rank sender of the bytes
     * @throws NonFiniteException as {@link #sending}
     * @throws MalformedMessageException the bytes are malformed, and no rank has a result yet: the number is rejected on all ranks
     * @throws IOException the bytes are malformed, and a rank may have a result: the stream is broken
     */
    void take(Transfer expected, ReceivedRecord arrived, int prefix, int rank)
            throws NonFiniteException, MalformedMessageException, IOException;
}
