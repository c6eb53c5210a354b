package io.hearth.simulation.plant;

import io.hearth.collective.state.StateClaim;
import java.util.ArrayList;
import java.util.List;

/** Bugs at the beginning of steps: one class for each {@code PlantedBug} of that kind. */
public final class StepBugHooks {
    private StepBugHooks() {}

    public record JoinersVote() implements BugHooks {
        @Override
        public List<StateClaim> votes(List<StateClaim> claims) {
            return claims.stream().map(claim -> asJoiner(claim, true)).toList();
        }
    }

    public record LeadDecides() implements BugHooks {
        @Override
        public List<StateClaim> votes(List<StateClaim> claims) {
            var votes = new ArrayList<StateClaim>();
            boolean hasLead = false;
            for (StateClaim claim : claims) {
                votes.add(asJoiner(claim, claim.joined() || hasLead));
                hasLead |= !claim.joined() && claim.revision() > 0;
            }
            return votes;
        }
    }

    private static StateClaim asJoiner(StateClaim claim, boolean joined) {
        return new StateClaim(claim.revision(), claim.digest(), joined, claim.sources());
    }
}
