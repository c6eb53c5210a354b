package io.hearth.collective.exchange;

import io.hearth.collective.schedule.Transfer;
import io.hearth.transport.ReceivedRecord;

/**
 * Plain elements.
 *
 * @param combiner of the receiving thread
 * @param input this rank's contribution
 * @param buffer receives the result
 * @param undo saves overwritten bytes of the input
 */
public record PlainSegments(Combiner combiner, Region input, Region buffer, InPlaceBackup undo) implements SegmentWork {
    @Override
    public void sending(Transfer transfer) {
        undo.sending(transfer);
    }

    @Override
    public void take(Transfer expected, ReceivedRecord arrived, int prefix, int rank) {
        undo.receiving(expected);
        combiner.apply(expected, arrived, prefix, input, buffer);
    }
}
