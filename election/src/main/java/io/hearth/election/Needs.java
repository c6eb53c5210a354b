package io.hearth.election;

import io.hearth.identity.NodeId;
import java.util.Optional;
import java.util.Set;

/** Why the view has to change, as far as this node can tell; the first reason found. */
final class Needs {
    /** How many times longer a change that is driven on and on may keep this node frozen. */
    private static final long DRIVEN_SPANS = 12;

    private Needs() {}

    static Optional<String> of(Turn turn) {
        for (Member member : turn.view().members()) {
            if (Exclusion.isOut(turn, member)) {
                return Optional.of(excluded(member));
            }
            if (!turn.isSelf(member) && Standing.isSilent(turn, member) && !isTheLeadsBusiness(turn, member)) {
                return Optional.of(silent(member));
            }
        }
        if (turn.now - turn.home.learnedNanos() < turn.config.settleNanos()) {
            return Optional.empty(); // only silence may follow one view with another at once
        }
        for (Member member : turn.view().members()) {
            if (!turn.isSelf(member)) {
                Optional<String> why = otherThanSilence(turn, member);
                if (why.isPresent()) {
                    return why;
                }
            }
        }
        if (turn.change.broken().isPresent()) {
            return turn.change.broken();
        }
        if (isOrphaned(turn)) {
            return Optional.of("frozen for a change that nobody drives to its end");
        }
        return Standing.isLead(turn) ? ofLead(turn) : Optional.empty();
    }

    /** Whether this node stands frozen for a change of which it heard nothing for long, or that is driven without end. */
    static boolean isOrphaned(Turn turn) {
        if (!(turn.freeze instanceof Freeze.Frozen frozen)) {
            return false;
        }
        long orphanNanos = turn.config.ballots().orphanNanos();
        return turn.now - Math.max(turn.change.drivenNanos(), frozen.sinceNanos()) >= orphanNanos
                || turn.now - frozen.sinceNanos() >= DRIVEN_SPANS * orphanNanos;
    }

    /** What speaks against a member, whichever node settles it. */
    static Optional<String> against(Turn turn, Member member) {
        if (Exclusion.isOut(turn, member)) {
            return Optional.of(excluded(member));
        }
        Optional<String> why = otherThanSilence(turn, member);
        if (why.isPresent()) {
            return why;
        }
        if (Standing.brokenMembers(turn).contains(member.node())) {
            return Optional.of(member.node().shortText() + " cannot reach another member");
        }
        return Standing.isSilent(turn, member) ? Optional.of(silent(member)) : Optional.empty();
    }

    private static String excluded(Member member) {
        return member.node().shortText() + " was put out of the namespace";
    }

    private static String silent(Member member) {
        return member.node().shortText() + " is silent";
    }

    private static Optional<String> otherThanSilence(Turn turn, Member member) {
        String name = member.node().shortText();
        if (Standing.isAbandoner(turn, member.node())) {
            return Optional.of(name + " began ballots and abandoned them");
        }
        if (Standing.isPlain(turn, member)) {
            return Optional.empty();
        }
        if (Standing.isRestarted(turn, member)) {
            return Optional.of(name + " was restarted");
        }
        if (Standing.isElsewhere(turn, member)) {
            return Optional.of(name + " lives in another lineage");
        }
        if (Standing.isLeaving(turn, member)) {
            return Optional.of(name + " leaves");
        }
        return Optional.empty();
    }

    /**
     * Only this node misses the member while the lead still hears it: a broken pair, which the lead settles. Were both ends to
     * throw each other out, such a pair would change the view without end.
     */
    private static boolean isTheLeadsBusiness(Turn turn, Member silent) {
        var proposers = Standing.proposers(turn);
        if (proposers.isEmpty() || turn.isSelf(proposers.getFirst())) {
            return false;
        }
        Optional<Peer> lead = turn.peer(proposers.getFirst().node());
        long patience = 2 * turn.config.silenceNanos() + turn.config.brokenPairNanos();
        long together = Math.max(turn.home.knownSince(silent.node()), turn.home.knownSince(turn.self.node()));
        long missed = turn.peer(silent.node())
                .map(Peer::suspectedNanos)
                .orElse(together); // who was never linked has no word of its own
        return lead.filter(peer -> peer.livesIn(turn.home.lineage())
                                && !peer.brokenSince().containsKey(silent.node()))
                        .isPresent()
                && turn.now - Math.max(missed, together) < patience;
    }

    private static Optional<String> ofLead(Turn turn) {
        Set<NodeId> broken = Standing.brokenMembers(turn);
        if (!broken.isEmpty()) {
            return Optional.of(broken.iterator().next().shortText() + " cannot reach another member");
        }
        Optional<String> joiner = Admissions.entrant(turn);
        return joiner.isPresent() ? joiner : Merge.dissolution(turn);
    }
}
