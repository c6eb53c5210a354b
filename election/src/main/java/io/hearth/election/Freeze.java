package io.hearth.election;

import io.hearth.core.Bytes;
import java.util.Optional;

/** Whether this node's data threads run; once stopped for an epoch, only a successor of it lets them run again. */
sealed interface Freeze {
    record Thawed() implements Freeze {}

    /** The shell was asked to stop them. */
    record Freezing() implements Freeze {}

    /** They stopped, and then the collectives said how far they are. */
    record Frozen(Optional<Bytes> status, long sinceNanos) implements Freeze {}

    Freeze THAWED = new Thawed();
}
