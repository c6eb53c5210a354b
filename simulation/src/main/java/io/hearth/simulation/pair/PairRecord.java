package io.hearth.simulation.pair;

import io.hearth.collective.group.CallRejection;
import io.hearth.collective.pair.machine.TransferSpec;
import java.util.Optional;

/** A record on the stream of a pair, as in {@code PairRecords}. */
sealed interface PairRecord {
    /** The receiver's first record on a stream: the number that it received last, and the error if that ended with one. */
    record Greet(long done, Optional<CallRejection> how) implements PairRecord {}

    /** The sender offers a transfer. */
    record Offer(long number, TransferSpec parcel) implements PairRecord {}

    /** The receiver is ready for the values of a transfer. */
    record Grant(long number) implements PairRecord {}

    /** One value, from place 0. */
    record Data(long number, int place, long value) implements PairRecord {}

    /** The receiver has all values. */
    record Done(long number) implements PairRecord {}

    /** The receiver called for a different transfer. */
    record Rejected(long number, CallRejection how) implements PairRecord {}
}
