package io.hearth.simulation;

import io.hearth.collective.Status;
import io.hearth.election.Lineage;
import io.hearth.identity.NodeId;
import java.util.List;
import java.util.Optional;

/**
 * What a number ended with at one trainer.
 *
 * @param beginsStep it is no sum: its value is the state that all agreed on
 * @param sum empty if it was refused
 * @param ranks that the application sees from here on
 */
record Ending(Lineage lineage, boolean beginsStep, Status.Kept outcome, Optional<Frame.Sum> sum, List<NodeId> ranks) {
    boolean isSameAs(Ending other) {
        return sum.equals(other.sum) && outcome.equals(other.outcome) && ranks.equals(other.ranks);
    }
}
