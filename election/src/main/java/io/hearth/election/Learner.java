package io.hearth.election;

import io.hearth.election.ViewMachine.Effect;
import io.hearth.identity.NodeId;
import io.hearth.identity.PeerId;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;

/**
 * Takes committed views, no matter which node brings them and how many were missed, and founds lineages. A view may be used before
 * it is on disk.
 */
final class Learner {
    private Learner() {}

    static void onCommit(Turn turn, NodeId from, Message.Commit commit) {
        if (ViewRules.fault(commit.view()).isPresent()) {
            turn.refuse(Refusal.BAD_VIEW);
        } else if (turn.known(commit.view().lineage()).isEmpty()) {
            turn.refuse(Refusal.NO_RECORD);
        } else {
            hear(turn, from, commit.view());
        }
    }

    /**
     * Takes what another node says is a committed view, unless it cannot be one, or comes from a node that has no say.
     *
     * <p>A node in the newest view known may bring any newer one. Any other node may do so only while no quorum of that view is
     * heard: a quorum either knows what was committed or can commit it, so it needs no outsider; without one, an outsider may
     * be the only node left that knows. To a node that knows no view of the lineage yet, only a view that lists it is news.
     */
    static void hear(Turn turn, NodeId from, View view) {
        Optional<KnownLineage> lineage = turn.known(view.lineage());
        if (lineage.isEmpty()) {
            return;
        }
        if (lineage.get().view().isEmpty()) {
            if (view.member(from).isPresent() && view.member(turn.self.node()).isPresent()) {
                learn(turn, view, new ViewSource.Told(from));
            } else {
                turn.refuse(Refusal.OUTSIDER);
            }
            return;
        }
        View known = lineage.get().view().get();
        if (view.epoch() <= known.epoch()) {
            learn(turn, view, new ViewSource.Told(from));
        } else if (ViewRules.descendantFault(known, view).isPresent()) {
            turn.refuse(Refusal.BAD_VIEW);
        } else if (known.member(from).isEmpty()
                && isQuorumHeard(turn.self.node(), turn.home.lineage(), turn.peers(), known)) {
            turn.refuse(Refusal.OUTSIDER);
        } else {
            learn(turn, view, new ViewSource.Told(from));
        }
    }

    /** Whether a quorum of {@code view} is there and says that it lives in that lineage. */
    static boolean isQuorumHeard(NodeId self, Lineage home, Map<NodeId, Peer> peers, View view) {
        var heard = new TreeSet<PeerId>();
        for (Member member : view.members()) {
            Peer peer = peers.get(member.node());
            boolean isThere = member.node().equals(self)
                    ? home.equals(view.lineage())
                    : peer != null && peer.linked() && !peer.suspected() && peer.livesIn(view.lineage());
            if (isThere) {
                heard.add(member.machine());
            }
        }
        return view.isQuorum(heard);
    }

    /** Takes a committed view if it is news of a lineage that this process knows. */
    static void learn(Turn turn, View view, ViewSource source) {
        Optional<KnownLineage> lineage = turn.known(view.lineage());
        if (lineage.isEmpty()) {
            return;
        }
        Optional<View> known = lineage.get().view();
        if (known.isPresent() && known.get().epoch() >= view.epoch()) {
            if (known.get().epoch() == view.epoch() && !known.get().equals(view)) {
                turn.refuse(Refusal.CONFLICT);
                String other = "a view " + view.epoch() + " of lineage "
                        + view.lineage().shortText();
                turn.announce(new ElectionEvent.Conflict(
                        source,
                        other + ", " + source.clause() + ", is not the one known, which is "
                                + lineage.get().source().clause() + ": one of the two is forged"));
            }
            return;
        }
        turn.know(view.lineage(), lineage.get().learned(view, source, turn.now));
        if (turn.home.lineage().equals(view.lineage())) {
            succeed(turn, view);
        } else if (Merge.isAdmittedBy(turn, view)) {
            moveInto(turn, view);
        } else if (Merge.isMistaken(turn, view)) {
            turn.refuse(Refusal.OTHER_ENTRY);
        }
        VoteQueue.submit(turn, new VoterTask.Learn(view));
    }

    /** The home lineage has a new view. */
    private static void succeed(Turn turn, View view) {
        Member me = turn.view().member(turn.self.node()).orElseThrow();
        if (!view.member(turn.self.node()).equals(Optional.of(me))) {
            dismissed(turn, view);
            return;
        }
        View before = turn.view();
        announceRemovals(turn, before, view);
        Admissions.afterView(turn, before, view);
        turn.home = turn.home.succeededBy(view, turn.now);
        settle(turn);
        announceMaster(turn, Optional.of(before));
    }

    private static void announceRemovals(Turn turn, View before, View after) {
        for (Member member : before.members()) {
            if (!after.member(member.node()).equals(Optional.of(member))) {
                String why = Needs.against(turn, member).orElseGet(() -> unexplained(turn));
                turn.announce(new ElectionEvent.MemberRemoved(member.node(), after.lineage(), after.epoch(), why));
            }
        }
    }

    /** Only the node that built a view knows why a member is not in it. */
    private static String unexplained(Turn turn) {
        return switch (source(turn)) {
            case ViewSource.Own _ -> "it did not answer the ballot in time";
            case ViewSource.Disk _, ViewSource.Told _ ->
                "no reason is known here; the view is " + source(turn).clause();
        };
    }

    private static String whoMayKnow(Turn turn) {
        return "this node knows no reason, "
                + switch (source(turn)) {
                    case ViewSource.Told(NodeId by) -> by.shortText() + " may say why";
                    case ViewSource.Own _, ViewSource.Disk _ -> "the others may say why";
                };
    }

    /** Where the newest view known of the home lineage is from. */
    private static ViewSource source(Turn turn) {
        return turn.known(turn.home.lineage()).map(KnownLineage::source).orElse(new ViewSource.Own());
    }

    /** A lone node was admitted where it asked for entry; its own lineage ends with it. */
    private static void moveInto(Turn turn, View view) {
        turn.progress = turn.progress.elsewhere();
        turn.lapses = Lapses.NONE; // they were of another view
        turn.home = Home.entered(view, turn.now);
        turn.admission = turn.admission.moved(turn.now);
        turn.crossing = Crossing.STAYING;
        settle(turn);
        turn.pending("");
        announceMaster(turn, Optional.empty());
    }

    private static void dismissed(Turn turn, View view) {
        if (turn.isLeaving()) {
            turn.departure = Departure.GONE;
            turn.effect(new Effect.Left());
            return;
        }
        if (!view.isTombstone()) {
            turn.effect(new Effect.Removed(
                    Effect.Removed.Cause.REMOVED,
                    "view " + view.epoch() + " of lineage " + view.lineage().shortText() + ", "
                            + source(turn).clause() + ", has " + view.members().size()
                            + (view.members().size() == 1 ? " member" : " members") + " and not this node; "
                            + turn.lapses.text(turn.now).orElseGet(() -> whoMayKnow(turn))));
            turn.progress = turn.progress.interrupted();
        } else if (turn.progress.isBusy()) {
            turn.effect(new Effect.Removed(
                    Effect.Removed.Cause.REMOVED,
                    "lineage " + turn.home.lineage().shortText() + " ended to merge with a better one, with view "
                            + view.epoch() + ", " + source(turn).clause()));
        }
        found(turn, false);
    }

    /** This node walks out of its lineage; its machine votes on there, and the node is not kept. */
    static void walkOut(Turn turn) {
        turn.progress = turn.progress.interrupted();
        found(turn, false);
    }

    /** A lineage of this node alone, to live in from now on. */
    static void found(Turn turn, boolean continued) {
        var lineage =
                new Lineage(continued, turn.wallMillis(), turn.self.node(), turn.self.incarnation(), turn.foundings);
        turn.foundings++;
        View view = firstView(turn.self, turn.resolver, lineage, turn.drawSeat());
        turn.progress = turn.progress.elsewhere();
        turn.admission = turn.admission.moved(turn.now);
        turn.crossing = Crossing.STAYING;
        begin(turn, view);
        announceMaster(turn, Optional.empty());
    }

    /** Lives in a lineage that this node just founded; its record is on its way to the disk. */
    static void begin(Turn turn, View view) {
        turn.know(
                view.lineage(),
                KnownLineage.of(view.members().getFirst().seat(), Optional.of(view), new ViewSource.Own(), turn.now));
        turn.home = Home.founded(view, turn.now);
        settle(turn);
        VoteQueue.submit(turn, new VoterTask.Found(view));
    }

    /** Epoch 1: the founder alone. */
    static View firstView(ViewState.Self self, Resolver resolver, Lineage lineage, long seat) {
        var member = new Member(self.node(), self.incarnation(), 1, self.role(), self.group(), seat);
        List<GroupView> groups = self.role() == Role.AGENT
                ? List.of()
                : List.of(new GroupView(self.group(), 1, resolver.resolve(self.group(), List.of(member), List.of())));
        return new View(lineage, 1, List.of(member), groups);
    }

    private static void settle(Turn turn) {
        for (Member member : turn.view().members()) {
            if (turn.home.knownSince(member.node())
                    == turn.now) { // it has just entered; an earlier request to leave is void
                turn.peer(member.node())
                        .filter(Peer::leaving)
                        .ifPresent(peer -> turn.peer(member.node(), peer.asksToLeave(false)));
            }
        }
        turn.freeze = Freeze.THAWED;
        turn.campaign = Campaign.NONE;
        turn.change = Change.none(turn.now);
        if (turn.home.isLone()) { // it is its own quorum; a view of several does not end the wait after an outage
            turn.hearing = Hearing.QUORUM;
        }
        turn.stall = Stall.FLOWING;
        turn.effect(new Effect.Install(turn.view()));
    }

    private static void announceMaster(Turn turn, Optional<View> before) {
        View view = turn.view();
        Member master = view.members().getFirst();
        if (before.isPresent() && before.get().members().getFirst().equals(master)) {
            return;
        }
        turn.announce(
                turn.isSelf(master)
                        ? new ElectionEvent.ElectedSelf(view.lineage(), view.epoch())
                        : new ElectionEvent.NewMaster(master.node(), view.lineage(), view.epoch()));
    }
}
