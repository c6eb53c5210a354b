package io.hearth.simulation;

import io.hearth.collective.group.CallRejection;
import io.hearth.collective.pair.machine.TransferSpec;
import java.util.Optional;

/** What travels on the stream of a pair, as {@code PairRecords} has it. */
sealed interface PairRecord {
    /** First word of a stream, from the receiver: the number that it had last, and its error if it ended with one. */
    record Greet(long done, Optional<CallRejection> how) implements PairRecord {}

    /** The sender has something. */
    record Offer(long number, TransferSpec parcel) implements PairRecord {}

    /** The receiver waits for its values. */
    record Grant(long number) implements PairRecord {}

    /** One value, from place 0. */
    record Data(long number, int place, long value) implements PairRecord {}

    /** The receiver has them all. */
    record Done(long number) implements PairRecord {}

    /** The receiver asked for something else. */
    record Refused(long number, CallRejection how) implements PairRecord {}
}
