package io.hearth.election.view.lineage;

import io.hearth.election.Member;
import io.hearth.election.Message;
import io.hearth.election.Role;
import io.hearth.election.View;
import io.hearth.election.view.entry.Admissions;
import io.hearth.election.view.opinion.MemberStatus;
import io.hearth.election.view.state.Campaign;
import io.hearth.election.view.state.JoinState;
import io.hearth.election.view.state.LeaveState;
import io.hearth.election.view.state.Peer;
import io.hearth.election.view.state.ViewEffect;
import io.hearth.election.view.step.Transition;
import io.hearth.identity.NodeId;
import java.util.List;
import java.util.Optional;

/** Leaves in order: waits until the others have this node's results, then asks to be left out. */
public final class Leaving {
    private Leaving() {}

    public static void onLeave(Transition transition) {
        if (!transition.isLeaving()) {
            transition.leave = new LeaveState.Draining(transition.now);
            transition.join = JoinState.STAYING;
        }
    }

    /** Leaves the lineage at once: it votes on there without a status, so the others go on without it. */
    public static void onResign(Transition transition) {
        if (transition.isLeaving()) {
            return;
        }
        tellToGoOn(transition);
        Learner.walkOut(transition);
    }

    /** The members need not wait for this node any more: it is about to live elsewhere. */
    public static void tellToGoOn(Transition transition) {
        transition.sendToMembers(leave(transition, transition.view(), true));
    }

    /** A member asks to be left out. */
    public static void onLeave(Transition transition, NodeId from, Message.Leave leave) {
        if (!leave.lineage().equals(transition.current.lineage())) {
            return;
        }
        Optional<Member> member = transition.view().member(from);
        if (member.isEmpty()) {
            transition.send(from, new Message.Commit(transition.view())); // it is out already and missed the commit
            return;
        }
        if (member.get().entryEpoch() > leave.entryEpoch()) {
            return; // it left and is back: the message is outdated
        }
        transition.peer(from).ifPresent(peer -> transition.peer(from, peer.asksToLeave(true)));
        if (leave.returns()) {
            Admissions.resigned(transition, member.get());
        }
    }

    /** Does what is due. */
    public static void drive(Transition transition) {
        switch (transition.leave) {
            case LeaveState.Staying(), LeaveState.Gone() -> {}
            case LeaveState.Draining draining -> {
                if (othersHaveAll(transition)
                        || transition.now - draining.sinceNanos()
                                >= transition.config.leaving().drainNanos()) {
                    transition.leave = new LeaveState.Asking(transition.now, transition.now);
                    ask(transition);
                }
            }
            case LeaveState.Asking asking -> {
                if (transition.now - asking.sinceNanos()
                        >= transition.config.leaving().lifeNanos()) {
                    go(transition);
                } else if (transition.now - asking.sentNanos()
                        >= transition.config.leaving().repeatNanos()) {
                    transition.leave = new LeaveState.Asking(asking.sinceNanos(), transition.now);
                    ask(transition);
                } else if (isLast(transition)) {
                    go(transition);
                }
            }
        }
    }

    private static void ask(Transition transition) {
        transition.sendToMembers(leave(transition, transition.view(), false));
        for (View view : walkedOutOf(transition)) {
            Message leave = leave(transition, view, false);
            others(transition, view).forEach(member -> transition.send(member.node(), leave));
        }
        if (isLast(transition)) {
            go(transition);
        }
    }

    private static Message leave(Transition transition, View view, boolean returns) {
        Member me = view.member(transition.self.node()).orElseThrow();
        return new Message.Leave(view.lineage(), me.entryEpoch(), returns);
    }

    private static void go(Transition transition) {
        transition.leave = LeaveState.GONE;
        transition.campaign = Campaign.NONE;
        transition.effect(new ViewEffect.Left());
    }

    /** Whether no member stays that needs this node or its vote. */
    private static boolean isLast(Transition transition) {
        return transition.view().members().stream().allMatch(member -> MemberStatus.isLeaving(transition, member))
                && walkedOutOf(transition).isEmpty();
    }

    /** Views that list this start though it lives elsewhere; where members are left, its vote is still needed. */
    private static List<View> walkedOutOf(Transition transition) {
        return transition.lineages().values().stream()
                .flatMap(known -> known.view().stream())
                .filter(view -> !view.lineage().equals(transition.current.lineage())
                        && view.member(transition.self.node())
                                .filter(me -> me.incarnation() == transition.self.incarnation())
                                .isPresent()
                        && others(transition, view).stream().anyMatch(member -> isThere(transition, member)))
                .toList();
    }

    private static List<Member> others(Transition transition, View view) {
        return view.members().stream()
                .filter(member -> !transition.isSelf(member))
                .toList();
    }

    private static boolean isThere(Transition transition, Member member) {
        return MemberStatus.known(transition, member)
                .filter(peer -> peer.linked() && !peer.suspected() && !peer.leaving())
                .isPresent();
    }

    private static boolean othersHaveAll(Transition transition) {
        return transition.self.role() == Role.AGENT
                || transition.view().group(transition.self.group()).stream()
                        .allMatch(member -> transition.isSelf(member) || hasAll(transition, member));
    }

    private static boolean hasAll(Transition transition, Member member) {
        return MemberStatus.known(transition, member)
                .filter(peer -> peer.livesIn(transition.current.lineage()))
                .flatMap(Peer::presence)
                .filter(presence -> presence.doneUpTo() >= transition.progress.doneUpTo())
                .isPresent();
    }
}
