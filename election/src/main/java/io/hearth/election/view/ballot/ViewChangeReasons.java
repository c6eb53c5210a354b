package io.hearth.election.view.ballot;

import io.hearth.election.Member;
import io.hearth.election.view.entry.Admissions;
import io.hearth.election.view.entry.BetterLineage;
import io.hearth.election.view.opinion.MemberStatus;
import io.hearth.election.view.opinion.RemovalReasons;
import io.hearth.election.view.state.Freeze;
import io.hearth.election.view.state.Peer;
import io.hearth.election.view.step.Transition;
import io.hearth.identity.NodeId;
import java.util.Optional;
import java.util.Set;

/** The reason why the view has to change, in this node's opinion; the first one found. */
public final class ViewChangeReasons {
    /** Factor by which a change that is driven without end may keep this node frozen for longer. */
    private static final long DRIVEN_SPANS = 12;

    private ViewChangeReasons() {}

    static Optional<String> of(Transition transition) {
        for (Member member : transition.view().members()) {
            if (transition.isOut(member)) {
                return Optional.of(RemovalReasons.excluded(member));
            }
            if (!transition.isSelf(member)
                    && MemberStatus.isSilent(transition, member)
                    && !isTheLeadsBusiness(transition, member)) {
                return Optional.of(RemovalReasons.silent(member));
            }
        }
        if (transition.now - transition.current.learnedNanos() < transition.config.settleNanos()) {
            return Optional.empty(); // only silence justifies another view at once
        }
        for (Member member : transition.view().members()) {
            if (!transition.isSelf(member)) {
                Optional<String> why = RemovalReasons.otherThanSilence(transition, member);
                if (why.isPresent()) {
                    return why;
                }
            }
        }
        if (transition.change.broken().isPresent()) {
            return transition.change.broken();
        }
        if (isOrphaned(transition)) {
            return Optional.of("frozen for a change that nobody drives to its end");
        }
        return MemberStatus.isLead(transition) ? ofLead(transition) : Optional.empty();
    }

    /** Whether this node is frozen for a change that went silent, or that is driven without end. */
    static boolean isOrphaned(Transition transition) {
        if (!(transition.freeze instanceof Freeze.Frozen frozen)) {
            return false;
        }
        long orphanNanos = transition.config.ballots().orphanNanos();
        return transition.now - Math.max(transition.change.drivenNanos(), frozen.sinceNanos()) >= orphanNanos
                || transition.now - frozen.sinceNanos() >= DRIVEN_SPANS * orphanNanos;
    }

    /**
     * A broken pair: this node misses the member while the lead still hears it. The lead settles it; if both ends removed each other, the
     * view would change without end.
     */
    private static boolean isTheLeadsBusiness(Transition transition, Member silent) {
        var proposers = MemberStatus.proposers(transition);
        if (proposers.isEmpty() || transition.isSelf(proposers.getFirst())) {
            return false;
        }
        Optional<Peer> lead = transition.peer(proposers.getFirst().node());
        long patience = 2 * transition.config.silenceNanos() + transition.config.brokenPairNanos();
        long together = Math.max(
                transition.current.knownSince(silent.node()), transition.current.knownSince(transition.self.node()));
        long missed = transition
                .peer(silent.node())
                .map(Peer::suspectedNanos)
                .orElse(together); // a node that was never linked has no status of its own
        return lead.filter(peer -> peer.livesIn(transition.current.lineage())
                                && !peer.reports().brokenSince().containsKey(silent.node()))
                        .isPresent()
                && transition.now - Math.max(missed, together) < patience;
    }

    private static Optional<String> ofLead(Transition transition) {
        Set<NodeId> broken = MemberStatus.brokenMembers(transition);
        if (!broken.isEmpty()) {
            return Optional.of(broken.iterator().next().shortText() + " cannot reach another member");
        }
        Optional<String> joiner = Admissions.entrant(transition);
        return joiner.isPresent() ? joiner : BetterLineage.dissolution(transition);
    }
}
