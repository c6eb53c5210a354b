package io.hearth.election.view.state;

import io.hearth.election.Role;
import java.util.Optional;

/**
 * Rules about which parts of a {@link ViewState} can occur together after a step. The state is a product of small machines, and some
 * combinations never occur. The simulator checks them after every step; docs/design/membership.md has them as a table.
 */
public final class StateRules {
    private StateRules() {}

    /** The rule that {@code state} breaks, for engineers; empty if it keeps all. */
    public static Optional<String> fault(ViewState state) {
        if (state.hasLeft()) {
            return Optional.empty(); // a node that left does nothing any more
        }
        boolean isLone = state.current().isLone();
        boolean isLeaving = !(state.leave() instanceof LeaveState.Staying);
        boolean isJoining = !(state.join() instanceof JoinState.Staying);
        boolean hasBallot = !(state.campaign() instanceof Campaign.None);
        boolean isThawed = state.freeze() instanceof Freeze.Thawed;
        boolean hearsQuorum = state.hearing() instanceof HearingState.Quorum;
        if (!state.view().equals(state.newest(state.current().lineage()).orElse(null))) {
            return Optional.of("the view of the home lineage is not the newest known");
        }
        if (state.view()
                .member(state.self().node())
                .filter(me -> me.incarnation() == state.self().incarnation())
                .isEmpty()) {
            return Optional.of("a node lives where it is not listed");
        }
        if (!state.current().isRecorded()
                && !(isLone && state.view().epoch() == state.current().first().epoch())) {
            return Optional.of("a lineage without a record on disk has a successor");
        }
        if (isJoining && (!isLone || !isThawed || hasBallot || isLeaving)) {
            return Optional.of("a node goes elsewhere and is not alone, frozen, a proposer, or leaving");
        }
        if (isLeaving && hasBallot) {
            return Optional.of("a leaver proposes");
        }
        if (hasBallot && !(state.campaign() instanceof Campaign.Candidate) && isThawed) {
            return Optional.of("a proposer's data threads run");
        }
        if (!hearsQuorum && hasBallot && !(state.campaign() instanceof Campaign.Accepting)) {
            return Optional.of("a ballot goes on without a quorum in hearing");
        }
        if (isLone && !hearsQuorum) {
            return Optional.of("a lone node hears no quorum of itself");
        }
        if (state.stall() instanceof QuorumLoss.Stalled && (isLone || isLeaving)) {
            return Optional.of("a lone node or a leaver is stalled");
        }
        if (state.stall() instanceof QuorumLoss.Stalled && state.hearing() instanceof HearingState.Returning) {
            return Optional.of("a node is stalled though a quorum is back");
        }
        if (state.hold().held() && (isLeaving || state.self().role() != Role.TRAINER)) {
            return Optional.of("a leaver or an agent holds its group");
        }
        if (state.isDoubled() && !isLeaving && (!isLone || isJoining)) {
            return Optional.of("a node whose identity another computer uses is not alone");
        }
        return Optional.empty();
    }
}
