package io.hearth.collective.exchange;

import io.hearth.collective.schedule.Transfer;
import io.hearth.compression.NonFiniteException;
import io.hearth.core.MalformedMessageException;
import io.hearth.transport.ReceivedRecord;
import java.io.IOException;

/**
 * What the segments of a schedule mean at this rank: how the bytes to be sent come into being, and what becomes of those that come.
 *
 * <p>Its two methods are called by two threads, each in the order of its side of the schedule; what a send needs was received before.
 */
public interface SegmentWork {
    /**
     * Sees to it that the bytes of a segment are where the schedule says, from where they are sent next.
     *
     * @throws NonFiniteException this rank's values cannot be carried: the number ends so on all ranks
     */
    default void sending(Transfer transfer) throws NonFiniteException {}

    /** Whether this work tells the watch itself what it does with segments, because that is more than one thing. */
    default boolean tells() {
        return false;
    }

    /**
     * Takes a segment that came as the schedule expected it.
     *
     * @param arrived borrowed; the bytes begin after the first {@code prefix} ones
     * @param rank whose bytes they are
     * @throws NonFiniteException as {@link #sending}
     * @throws MalformedMessageException they are not what all ranks agreed to send, and nobody has a result yet: the number ends so
     *     on all ranks
     * @throws IOException they are not, and somebody may have a result: the stream is broken
     */
    void take(Transfer expected, ReceivedRecord arrived, int prefix, int rank)
            throws NonFiniteException, MalformedMessageException, IOException;
}
