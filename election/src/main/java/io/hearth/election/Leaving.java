package io.hearth.election;

import io.hearth.election.ViewMachine.Effect;
import io.hearth.identity.NodeId;
import java.util.List;
import java.util.Optional;

/** Leaves in good order: waits until the others have the results that this node has, then asks to be left out. */
final class Leaving {
    private Leaving() {}

    static void onLeave(Turn turn) {
        if (!turn.isLeaving()) {
            turn.departure = new Departure.Draining(turn.now);
            turn.crossing = Crossing.STAYING;
        }
    }

    /** Walks out of the lineage at once: it votes on there without a status, so the others go on without it. */
    static void onResign(Turn turn) {
        if (turn.isLeaving()) {
            return;
        }
        tellToGoOn(turn);
        Learner.walkOut(turn);
    }

    /** The members need not wait for this node any more: it is about to live elsewhere. */
    static void tellToGoOn(Turn turn) {
        turn.sendToMembers(leave(turn, turn.view(), true));
    }

    /** A member asks to be left out. */
    static void onLeave(Turn turn, NodeId from, Message.Leave leave) {
        if (!leave.lineage().equals(turn.home.lineage())) {
            return;
        }
        Optional<Member> member = turn.view().member(from);
        if (member.isEmpty()) {
            turn.send(from, new Message.Commit(turn.view())); // it is out and missed the news
            return;
        }
        if (member.get().entryEpoch() > leave.entryEpoch()) {
            return; // it left and is back: this was long on its way
        }
        turn.peer(from).ifPresent(peer -> turn.peer(from, peer.asksToLeave(true)));
        if (leave.returns()) {
            Admissions.resigned(turn, member.get());
        }
    }

    /** Does what is due. */
    static void drive(Turn turn) {
        switch (turn.departure) {
            case Departure.Staying(), Departure.Gone() -> {}
            case Departure.Draining draining -> {
                if (othersHaveAll(turn)
                        || turn.now - draining.sinceNanos()
                                >= turn.config.leaving().drainNanos()) {
                    turn.departure = new Departure.Asking(turn.now, turn.now);
                    ask(turn);
                }
            }
            case Departure.Asking asking -> {
                if (turn.now - asking.sinceNanos() >= turn.config.leaving().lifeNanos()) {
                    go(turn);
                } else if (turn.now - asking.sentNanos()
                        >= turn.config.leaving().repeatNanos()) {
                    turn.departure = new Departure.Asking(asking.sinceNanos(), turn.now);
                    ask(turn);
                } else if (isLast(turn)) {
                    go(turn);
                }
            }
        }
    }

    private static void ask(Turn turn) {
        turn.sendToMembers(leave(turn, turn.view(), false));
        for (View view : walkedOutOf(turn)) {
            Message leave = leave(turn, view, false);
            others(turn, view).forEach(member -> turn.send(member.node(), leave));
        }
        if (isLast(turn)) {
            go(turn);
        }
    }

    private static Message leave(Turn turn, View view, boolean returns) {
        Member me = view.member(turn.self.node()).orElseThrow();
        return new Message.Leave(view.lineage(), me.entryEpoch(), returns);
    }

    private static void go(Turn turn) {
        turn.departure = Departure.GONE;
        turn.campaign = Campaign.NONE;
        turn.effect(new Effect.Left());
    }

    /** Nobody stays who could miss this node, or its vote. */
    private static boolean isLast(Turn turn) {
        return turn.view().members().stream().allMatch(member -> Standing.isLeaving(turn, member))
                && walkedOutOf(turn).isEmpty();
    }

    /** Views that list this start though it lives elsewhere: where somebody is left, its vote is still needed. */
    private static List<View> walkedOutOf(Turn turn) {
        return turn.lineages().values().stream()
                .flatMap(known -> known.view().stream())
                .filter(view -> !view.lineage().equals(turn.home.lineage())
                        && view.member(turn.self.node())
                                .filter(me -> me.incarnation() == turn.self.incarnation())
                                .isPresent()
                        && others(turn, view).stream().anyMatch(member -> isThere(turn, member)))
                .toList();
    }

    private static List<Member> others(Turn turn, View view) {
        return view.members().stream().filter(member -> !turn.isSelf(member)).toList();
    }

    private static boolean isThere(Turn turn, Member member) {
        return Standing.known(turn, member)
                .filter(peer -> peer.linked() && !peer.suspected() && !peer.leaving())
                .isPresent();
    }

    private static boolean othersHaveAll(Turn turn) {
        return turn.self.role() == Role.AGENT
                || turn.view().group(turn.self.group()).stream()
                        .allMatch(member -> turn.isSelf(member) || hasAll(turn, member));
    }

    private static boolean hasAll(Turn turn, Member member) {
        return Standing.known(turn, member)
                .filter(peer -> peer.livesIn(turn.home.lineage()))
                .flatMap(Peer::presence)
                .filter(presence -> presence.doneUpTo() >= turn.progress.doneUpTo())
                .isPresent();
    }
}
