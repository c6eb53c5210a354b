package io.hearth.simulation;

import io.hearth.collective.Signature;
import io.hearth.collective.Status;
import io.hearth.election.Lineage;
import io.hearth.identity.NodeId;
import java.util.List;
import java.util.Optional;

/**
 * What a number ended with at one trainer.
 *
 * @param asked what it was
 * @param sum empty if it was refused
 * @param ranks that the application sees from here on
 */
record Ending(Lineage lineage, Signature asked, Status.Kept outcome, Optional<Frame.Sum> sum, List<NodeId> ranks) {
    /** Its value is the state that all agreed on. */
    boolean beginsStep() {
        return asked.kind() == Signature.Kind.BOUNDARY;
    }

    boolean isSameAs(Ending other) {
        return sum.equals(other.sum) && outcome.equals(other.outcome) && ranks.equals(other.ranks);
    }
}
