package io.hearth.simulation.call;

import io.hearth.collective.Signature;
import io.hearth.collective.group.Status;
import io.hearth.election.Lineage;
import io.hearth.identity.NodeId;
import java.util.List;
import java.util.Optional;

/**
 * The end of a number at one trainer.
 *
 * @param asked the call
 * @param sum the result; empty if it was rejected
 * @param ranks that the application sees from here on
 */
public record Ending(
        Lineage lineage, Signature asked, Status.Kept outcome, Optional<GroupFrame.Sum> sum, List<NodeId> ranks) {
    /** Whether it began a step; then its value is the agreed state. */
    public boolean beginsStep() {
        return asked.kind() == Signature.Kind.BOUNDARY;
    }

    /** The part of the result that is the same at all members. */
    public Optional<GroupFrame.Sum> common() {
        return Parts.areIn(asked) ? sum.map(own -> own.with(0)) : sum;
    }

    /** A value that all members derive alike; -1 without a result. */
    public long learned() {
        return common().map(all ->
                        all.value() + (Parts.areIn(asked) ? all.contributors().size() : 0))
                .orElse(-1L);
    }

    public boolean isSameAs(Ending other) {
        return common().equals(other.common()) && outcome.equals(other.outcome) && ranks.equals(other.ranks);
    }
}
