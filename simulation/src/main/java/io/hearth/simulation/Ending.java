package io.hearth.simulation;

import io.hearth.collective.Signature;
import io.hearth.collective.group.Status;
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

    /** The result as far as it is the same at all members: where each gets a part of its own, all but that part. */
    Optional<Frame.Sum> common() {
        return Parts.areIn(asked) ? sum.map(own -> own.with(0)) : sum;
    }

    /** What all members learn from it alike; -1 without a result. */
    long learned() {
        return common().map(all ->
                        all.value() + (Parts.areIn(asked) ? all.contributors().size() : 0))
                .orElse(-1L);
    }

    boolean isSameAs(Ending other) {
        return common().equals(other.common()) && outcome.equals(other.outcome) && ranks.equals(other.ranks);
    }
}
