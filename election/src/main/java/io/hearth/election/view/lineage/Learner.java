package io.hearth.election.view.lineage;

import io.hearth.election.ElectionEvent;
import io.hearth.election.GroupView;
import io.hearth.election.Lineage;
import io.hearth.election.Member;
import io.hearth.election.Message;
import io.hearth.election.MessageRejection;
import io.hearth.election.Resolver;
import io.hearth.election.Role;
import io.hearth.election.View;
import io.hearth.election.ViewRules;
import io.hearth.election.ViewSource;
import io.hearth.election.view.entry.Admissions;
import io.hearth.election.view.opinion.RemovalReasons;
import io.hearth.election.view.state.Campaign;
import io.hearth.election.view.state.Change;
import io.hearth.election.view.state.CurrentView;
import io.hearth.election.view.state.Freeze;
import io.hearth.election.view.state.HearingState;
import io.hearth.election.view.state.JoinState;
import io.hearth.election.view.state.KnownLineage;
import io.hearth.election.view.state.Lapses;
import io.hearth.election.view.state.LeaveState;
import io.hearth.election.view.state.Peer;
import io.hearth.election.view.state.QuorumLoss;
import io.hearth.election.view.state.ViewEffect;
import io.hearth.election.view.state.ViewState;
import io.hearth.election.view.step.Transition;
import io.hearth.election.vote.VoterTask;
import io.hearth.identity.NodeId;
import java.util.List;
import java.util.Optional;

/**
 * Learns committed views from any node, even after missed ones, and founds lineages. A view may be used before it is on disk.
 */
public final class Learner {
    private Learner() {}

    public static void onCommit(Transition transition, NodeId from, Message.Commit commit) {
        if (ViewRules.fault(commit.view()).isPresent()) {
            transition.refuse(MessageRejection.BAD_VIEW);
        } else if (transition.known(commit.view().lineage()).isEmpty()) {
            transition.refuse(MessageRejection.NO_RECORD);
        } else {
            hear(transition, from, commit.view());
        }
    }

    /**
     * Learns a committed view from another node, unless it is invalid or the node has no say there.
     *
     * <p>A node in the newest known view may bring any newer one. Any other node may do so only while no quorum of that view is heard. A
     * quorum either knows the committed view or can commit it, so it needs no outsider; without a quorum, an outsider may be the only node
     * that still knows. A node that knows no view of the lineage yet accepts only a view that lists it.
     */
    public static void hear(Transition transition, NodeId from, View view) {
        Optional<KnownLineage> lineage = transition.known(view.lineage());
        if (lineage.isEmpty()) {
            return;
        }
        if (lineage.get().view().isEmpty()) {
            if (view.member(from).isPresent()
                    && view.member(transition.self.node()).isPresent()) {
                learn(transition, view, new ViewSource.Told(from));
            } else {
                transition.refuse(MessageRejection.OUTSIDER);
            }
            return;
        }
        View known = lineage.get().view().get();
        if (view.epoch() <= known.epoch()) {
            learn(transition, view, new ViewSource.Told(from));
        } else if (ViewRules.descendantFault(known, view).isPresent()) {
            transition.refuse(MessageRejection.BAD_VIEW);
        } else if (known.member(from).isEmpty()
                && ViewState.isQuorumHeard(
                        transition.self.node(), transition.current.lineage(), transition.peers(), known)) {
            transition.refuse(MessageRejection.OUTSIDER);
        } else {
            learn(transition, view, new ViewSource.Told(from));
        }
    }

    /** Learns a committed view if it is newer than the known one of a lineage that this process knows. */
    public static void learn(Transition transition, View view, ViewSource source) {
        Optional<KnownLineage> lineage = transition.known(view.lineage());
        if (lineage.isEmpty()) {
            return;
        }
        Optional<View> known = lineage.get().view();
        if (known.isPresent() && known.get().epoch() >= view.epoch()) {
            if (known.get().epoch() == view.epoch() && !known.get().equals(view)) {
                transition.refuse(MessageRejection.CONFLICT);
                String other = "a view " + view.epoch() + " of lineage "
                        + view.lineage().shortText();
                transition.announce(new ElectionEvent.Conflict(
                        source,
                        other + ", " + source.clause() + ", is not the one known, which is "
                                + lineage.get().source().clause() + ": one of the two is forged"));
            }
            return;
        }
        transition.know(view.lineage(), lineage.get().learned(view, source, transition.now));
        if (transition.current.lineage().equals(view.lineage())) {
            succeed(transition, view);
        } else if (Admissions.isAdmittedBy(transition, view)) {
            moveInto(transition, view);
        } else if (Admissions.isMistaken(transition, view)) {
            transition.refuse(MessageRejection.OTHER_ENTRY);
        }
        VoteQueue.submit(transition, new VoterTask.Learn(view));
    }

    /** The home lineage has a new view. */
    private static void succeed(Transition transition, View view) {
        Member me = transition.view().member(transition.self.node()).orElseThrow();
        if (!view.member(transition.self.node()).equals(Optional.of(me))) {
            dismissed(transition, view);
            return;
        }
        View before = transition.view();
        announceRemovals(transition, before, view);
        Admissions.afterView(transition, before, view);
        transition.current = transition.current.succeededBy(view, transition.now);
        settle(transition);
        announceMaster(transition, Optional.of(before));
    }

    private static void announceRemovals(Transition transition, View before, View after) {
        for (Member member : before.members()) {
            if (!after.member(member.node()).equals(Optional.of(member))) {
                String why = RemovalReasons.of(transition, member).orElseGet(() -> unexplained(transition));
                transition.announce(
                        new ElectionEvent.MemberRemoved(member.node(), after.lineage(), after.epoch(), why));
            }
        }
    }

    /** Only the node that built a view knows why a member is not in it. */
    private static String unexplained(Transition transition) {
        return switch (source(transition)) {
            case ViewSource.Own _ -> "it did not answer the ballot in time";
            case ViewSource.Disk _, ViewSource.Told _ ->
                "no reason is known here; the view is " + source(transition).clause();
        };
    }

    private static String whoMayKnow(Transition transition) {
        return "this node knows no reason, "
                + switch (source(transition)) {
                    case ViewSource.Told(NodeId by) -> by.shortText() + " may say why";
                    case ViewSource.Own _, ViewSource.Disk _ -> "the others may say why";
                };
    }

    /** The origin of the newest known view of the home lineage. */
    private static ViewSource source(Transition transition) {
        return transition
                .known(transition.current.lineage())
                .map(KnownLineage::source)
                .orElse(new ViewSource.Own());
    }

    /** A lone node was admitted where it asked for entry; its own lineage ends with it. */
    private static void moveInto(Transition transition, View view) {
        transition.progress = transition.progress.elsewhere();
        transition.lapses = Lapses.NONE; // they belonged to another view
        transition.current = CurrentView.entered(view, transition.now);
        transition.admission = transition.admission.moved(transition.now);
        transition.join = JoinState.STAYING;
        settle(transition);
        transition.pending("");
        announceMaster(transition, Optional.empty());
    }

    private static void dismissed(Transition transition, View view) {
        if (transition.isLeaving()) {
            transition.leave = LeaveState.GONE;
            transition.effect(new ViewEffect.Left());
            return;
        }
        if (!view.isTombstone()) {
            transition.effect(new ViewEffect.Removed(
                    ViewEffect.Removed.Cause.REMOVED,
                    "view " + view.epoch() + " of lineage " + view.lineage().shortText() + ", "
                            + source(transition).clause() + ", has "
                            + view.members().size()
                            + (view.members().size() == 1 ? " member" : " members") + " and not this node; "
                            + transition.lapses.text(transition.now).orElseGet(() -> whoMayKnow(transition))));
            transition.progress = transition.progress.interrupted();
        } else if (transition.progress.isBusy()) {
            transition.effect(new ViewEffect.Removed(
                    ViewEffect.Removed.Cause.REMOVED,
                    "lineage " + transition.current.lineage().shortText()
                            + " ended to merge with a better one, with view " + view.epoch() + ", "
                            + source(transition).clause()));
        }
        found(transition, false);
    }

    /** This node leaves its lineage at once; its machine votes on there, and the node is not kept. */
    public static void walkOut(Transition transition) {
        transition.progress = transition.progress.interrupted();
        found(transition, false);
    }

    /** A lineage of this node alone, to live in from now on. */
    public static void found(Transition transition, boolean continued) {
        var lineage = new Lineage(
                continued,
                transition.wallMillis(),
                transition.self.node(),
                transition.self.incarnation(),
                transition.foundings);
        transition.foundings++;
        View view = firstView(transition.self, transition.resolver, lineage, transition.drawSeat());
        transition.progress = transition.progress.elsewhere();
        transition.admission = transition.admission.moved(transition.now);
        transition.join = JoinState.STAYING;
        begin(transition, view);
        announceMaster(transition, Optional.empty());
    }

    /** Enters a lineage that this node just founded; its record is being written. */
    static void begin(Transition transition, View view) {
        transition.know(
                view.lineage(),
                KnownLineage.of(
                        view.members().getFirst().seat(), Optional.of(view), new ViewSource.Own(), transition.now));
        transition.current = CurrentView.founded(view, transition.now);
        settle(transition);
        VoteQueue.submit(transition, new VoterTask.Found(view));
    }

    /** Epoch 1: the founder alone. */
    public static View firstView(ViewState.Self self, Resolver resolver, Lineage lineage, long seat) {
        var member = new Member(self.node(), self.incarnation(), 1, self.role(), self.group(), seat);
        List<GroupView> groups = self.role() == Role.AGENT
                ? List.of()
                : List.of(new GroupView(self.group(), 1, resolver.resolve(self.group(), List.of(member), List.of())));
        return new View(lineage, 1, List.of(member), groups);
    }

    private static void settle(Transition transition) {
        for (Member member : transition.view().members()) {
            if (transition.current.knownSince(member.node())
                    == transition.now) { // it has just entered, so an earlier request to leave is void
                transition
                        .peer(member.node())
                        .filter(Peer::leaving)
                        .ifPresent(peer -> transition.peer(member.node(), peer.asksToLeave(false)));
            }
        }
        transition.freeze = Freeze.THAWED;
        transition.campaign = Campaign.NONE;
        transition.change = Change.none(transition.now);
        if (transition.current
                .isLone()) { // it is its own quorum; a view of several does not end the wait after an outage
            transition.hearing = HearingState.QUORUM;
        }
        transition.stall = QuorumLoss.FLOWING;
        transition.effect(new ViewEffect.Install(transition.view()));
    }

    private static void announceMaster(Transition transition, Optional<View> before) {
        View view = transition.view();
        Member master = view.members().getFirst();
        if (before.isPresent() && before.get().members().getFirst().equals(master)) {
            return;
        }
        transition.announce(
                transition.isSelf(master)
                        ? new ElectionEvent.ElectedSelf(view.lineage(), view.epoch())
                        : new ElectionEvent.NewMaster(master.node(), view.lineage(), view.epoch()));
    }
}
