package io.hearth.election;

import io.hearth.election.ViewMachine.Effect;
import io.hearth.identity.NodeId;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;

/** Takes committed views, whoever brings them and however many were missed, and founds lineages. */
final class Learner {
    private Learner() {}

    static void onCommit(Turn turn, NodeId from, Message.Commit commit) {
        if (ViewRules.fault(commit.view()).isPresent()) {
            turn.refuse(Refusal.BAD_VIEW);
        } else if (turn.record(commit.view().lineage()) == null) {
            turn.refuse(Refusal.NO_RECORD);
        } else {
            hear(turn, from, commit.view());
        }
    }

    /**
     * Takes what another node says is a committed view, unless it cannot be one, or comes from a node that has no say.
     *
     * <p>Who is in the newest view known may bring any newer one. Who is not may do so only while no quorum of that view is
     * heard: a quorum either knows what was committed or can commit it, so it needs no outsider; without one, an outsider may
     * be the only node left that knows. To a node that knows no view of the lineage yet, only a view that lists it is news.
     */
    static void hear(Turn turn, NodeId from, View view) {
        LineageRecord record = turn.record(view.lineage());
        if (record == null) {
            return;
        }
        if (record.view().isEmpty()) {
            if (view.member(from).isPresent() && view.member(turn.self.node()).isPresent()) {
                learn(turn, view);
            } else {
                turn.refuse(Refusal.OUTSIDER);
            }
            return;
        }
        View known = record.view().get();
        if (view.epoch() <= known.epoch()) {
            learn(turn, view);
        } else if (ViewRules.descendantFault(known, view).isPresent()) {
            turn.refuse(Refusal.BAD_VIEW);
        } else if (known.member(from).isEmpty()
                && isQuorumHeard(turn.self.node(), turn.home.lineage(), turn.peers(), known)) {
            turn.refuse(Refusal.OUTSIDER);
        } else {
            learn(turn, view);
        }
    }

    /** Whether a quorum of {@code view} is there and says that it lives in that lineage. */
    static boolean isQuorumHeard(NodeId self, Lineage home, Map<NodeId, Peer> peers, View view) {
        var heard = new TreeSet<NodeId>();
        for (Member voter : view.voters()) {
            Peer peer = peers.get(voter.node());
            boolean isThere = voter.node().equals(self)
                    ? home.equals(view.lineage())
                    : peer != null && peer.linked() && !peer.suspected() && peer.livesIn(view.lineage());
            if (isThere) {
                heard.add(voter.node());
            }
        }
        return view.isQuorum(heard);
    }

    /** Takes a committed view if it is news of a lineage in which this node has a record. */
    static void learn(Turn turn, View view) {
        LineageRecord record = turn.record(view.lineage());
        if (record == null) {
            return;
        }
        if (record.view().isPresent() && record.view().get().epoch() >= view.epoch()) {
            if (record.view().get().epoch() == view.epoch()
                    && !record.view().get().equals(view)) {
                turn.refuse(Refusal.CONFLICT);
            }
            return;
        }
        turn.persist(record.learned(view));
        if (turn.home.lineage().equals(view.lineage())) {
            succeed(turn, view);
        } else if (Merge.isAdmittedBy(turn, view)) {
            moveInto(turn, view);
        }
    }

    /** The home lineage has a new view. */
    private static void succeed(Turn turn, View view) {
        Member me = turn.view().member(turn.self.node()).orElseThrow();
        if (!view.member(turn.self.node()).equals(Optional.of(me))) {
            dismissed(turn, view);
            return;
        }
        View before = turn.view();
        Admissions.afterView(turn, before, view);
        turn.home = turn.home.succeededBy(view, turn.now);
        settle(turn);
        announceMaster(turn, Optional.of(before));
    }

    /** A lone node was admitted where it asked for entry; its own lineage ends. */
    private static void moveInto(Turn turn, View view) {
        end(turn, turn.homeRecord());
        turn.progress = turn.progress.elsewhere();
        turn.home = Home.founded(view, turn.now);
        turn.admission = turn.admission.moved(turn.now);
        turn.crossing = Crossing.STAYING;
        settle(turn);
        turn.pending("");
        announceMaster(turn, Optional.empty());
    }

    /** Nobody else ever knew a lineage of one view; in a longer one, former members still have to learn that it is over. */
    private static void end(Turn turn, LineageRecord record) {
        if (turn.view().epoch() == 1) {
            turn.forget(record.lineage());
        } else {
            turn.persist(record.ended());
        }
    }

    private static void dismissed(Turn turn, View view) {
        if (turn.isLeaving()) {
            turn.departure = Departure.GONE;
            turn.effect(new Effect.Left());
            return;
        }
        if (!view.isTombstone()) {
            turn.effect(new Effect.Removed("the others went on without this node: view " + view.epoch() + " of lineage "
                    + view.lineage().shortText() + " has " + view.members().size() + " members and not it"));
            turn.progress = turn.progress.interrupted();
        } else if (turn.progress.isBusy()) {
            turn.effect(
                    new Effect.Removed("lineage " + view.lineage().shortText() + " ended to merge with a better one"));
        }
        found(turn, false);
    }

    /** This node walks out of its lineage, and votes on there without being kept. */
    static void walkOut(Turn turn) {
        if (turn.home.isLone()) {
            end(turn, turn.homeRecord());
        }
        turn.progress = turn.progress.interrupted();
        found(turn, false);
    }

    /** A lineage of this node alone, to live in from now on. */
    static void found(Turn turn, boolean continued) {
        var lineage =
                new Lineage(continued, turn.wallMillis(), turn.self.node(), turn.self.incarnation(), turn.foundings);
        turn.foundings++;
        View view = firstView(turn.self, turn.resolver, lineage);
        turn.persist(LineageRecord.asking(lineage, turn.self.incarnation()).learned(view));
        turn.progress = turn.progress.elsewhere();
        turn.home = Home.founded(view, turn.now);
        turn.admission = turn.admission.moved(turn.now);
        turn.crossing = Crossing.STAYING;
        settle(turn);
        announceMaster(turn, Optional.empty());
    }

    /** Epoch 1: the founder alone. */
    static View firstView(ViewState.Self self, Resolver resolver, Lineage lineage) {
        var member = new Member(self.node(), self.incarnation(), 1, self.role(), self.group());
        List<GroupView> groups = self.role() == Role.AGENT
                ? List.of()
                : List.of(new GroupView(self.group(), 1, resolver.resolve(self.group(), List.of(member), List.of())));
        return new View(lineage, 1, List.of(member), groups);
    }

    private static void settle(Turn turn) {
        for (Member member : turn.view().members()) {
            if (turn.home.knownSince(member.node()) == turn.now) { // it has just entered, whatever it asked for before
                turn.peer(member.node())
                        .filter(Peer::leaving)
                        .ifPresent(peer -> turn.peer(member.node(), peer.asksToLeave(false)));
            }
        }
        turn.freeze = Freeze.THAWED;
        turn.campaign = Campaign.NONE;
        turn.change = Change.none(turn.now);
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
