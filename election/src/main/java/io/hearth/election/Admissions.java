package io.hearth.election;

import io.hearth.identity.NodeId;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Hears those who ask for entry, tells them why they wait, and keeps out for a while who was just removed. */
final class Admissions {
    /** Most nodes that ask at once. */
    static final int JOINERS_MAX = 512;

    /** Most nodes remembered as removed. */
    static final int HOLD_DOWNS_MAX = 256;

    private Admissions() {}

    static void onJoin(Turn turn, NodeId from, long incarnation, Message.Join join) {
        if (!join.lineage().equals(turn.home.lineage())) {
            return; // it will hear from the next heartbeat where this node lives
        }
        Optional<Member> member = turn.view().member(from);
        if (member.isPresent() && member.get().incarnation() == incarnation) {
            turn.send(from, new Message.Commit(turn.view())); // it is in and missed the news
            return;
        }
        turn.peer(from).filter(Peer::leaving).ifPresent(peer -> turn.peer(from, peer.asksToLeave(false)));
        Joiner known = turn.admission.joiners().get(from);
        if (known == null && turn.admission.joiners().size() >= JOINERS_MAX) {
            turn.refuse(Refusal.TOO_MANY_JOINERS);
            return;
        }
        long answered = known == null ? turn.now - turn.config.joining().answerNanos() : known.answeredNanos();
        var joiner = new Joiner(incarnation, join.seat(), join.role(), join.group(), join.phase(), turn.now, answered);
        turn.admission = turn.admission.with(from, joiner);
        tellWhyNot(turn, from, joiner);
    }

    private static void tellWhyNot(Turn turn, NodeId from, Joiner joiner) {
        if (turn.now - joiner.answeredNanos() < turn.config.joining().answerNanos() || !Standing.isLead(turn)) {
            return;
        }
        obstacle(turn, from, joiner).ifPresent(reason -> {
            turn.admission = turn.admission.with(from, joiner.answered(turn.now));
            turn.send(from, new Message.NotYet(turn.home.lineage(), reason));
        });
    }

    /** Why a joiner cannot enter now, as far as that can be told without freezing anybody. */
    private static Optional<String> obstacle(Turn turn, NodeId node, Joiner joiner) {
        Optional<String> outside = outside(turn, node, joiner);
        if (outside.isPresent() || joiner.role() == Role.AGENT) {
            return outside;
        }
        return obstacle(turn, joiner);
    }

    /** What keeps a node out whatever its group does. */
    private static Optional<String> outside(Turn turn, NodeId node, Joiner joiner) {
        if (turn.hasNoVote(node.peer())) {
            return Optional.of(
                    turn.excluded.contains(node.peer())
                            ? "it was put out of the namespace"
                            : "two computers use its identity");
        }
        HoldDown hold = turn.admission.holdDowns().get(node);
        if (hold != null && hold.untilNanos() - turn.now > 0) {
            return Optional.of("it was removed lately and has to wait "
                    + (hold.untilNanos() - turn.now + 999_999_999L) / 1_000_000_000L + " s");
        }
        Optional<Member> apart = Standing.cannotReach(turn, node);
        if (apart.isPresent()) {
            return Optional.of("member " + apart.get().node().shortText() + " cannot reach it");
        }
        return otherSeat(turn, node, joiner);
    }

    /** All members of one machine have the one seat of its record. */
    private static Optional<String> otherSeat(Turn turn, NodeId node, Joiner joiner) {
        long seat = turn.view().seat(node.peer());
        return seat == 0 || seat == joiner.seat()
                ? Optional.empty()
                : Optional.of(
                        "another process of its machine is in with a vote record that is gone; it waits until that leaves");
    }

    private static Optional<String> obstacle(Turn turn, Joiner joiner) {
        if (joiner.phase() == GroupPhase.BUSY) {
            return Optional.of("it is in the middle of a step of its own");
        }
        if (turn.view().group(joiner.group()).isEmpty()) {
            return Optional.empty();
        }
        Optional<String> busy = Standing.busy(turn, joiner.group());
        if (busy.isPresent()) {
            return busy;
        }
        if (joiner.phase() == GroupPhase.FRESH && !Standing.isUntouched(turn, joiner.group())) {
            return Optional.of("its group is already training; beginStep() lets it in");
        }
        Refused refused = turn.admission.refused().get(joiner.group());
        return refused != null && refused.untilNanos() - turn.now > 0 ? Optional.of(refused.why()) : Optional.empty();
    }

    /** Somebody who would enter the own group if it waited at the beginning of a step. */
    static boolean isAwaited(Turn turn) {
        for (Map.Entry<NodeId, Joiner> entry : turn.admission.joiners().entrySet()) {
            Joiner joiner = entry.getValue();
            if (joiner.phase() == GroupPhase.BOUNDARY
                    && joiner.group().equals(turn.self.group())
                    && isHeard(turn, entry.getKey(), joiner)
                    && outside(turn, entry.getKey(), joiner).isEmpty()) {
                return true;
            }
        }
        return false;
    }

    /** A joiner that could enter: the need of a change. */
    static Optional<String> entrant(Turn turn) {
        for (Map.Entry<NodeId, Joiner> entry : turn.admission.joiners().entrySet()) {
            if (mayEnter(turn, entry.getKey(), entry.getValue())) {
                return Optional.of(entry.getKey().shortText() + " joins");
            }
        }
        return Optional.empty();
    }

    private static boolean mayEnter(Turn turn, NodeId node, Joiner joiner) {
        return isHeard(turn, node, joiner) && obstacle(turn, node, joiner).isEmpty();
    }

    private static boolean isHeard(Turn turn, NodeId node, Joiner joiner) {
        return turn.now - joiner.heardNanos() <= turn.config.joining().freshNanos()
                && turn.peer(node)
                        .filter(peer -> peer.linked()
                                && !peer.suspected()
                                && !peer.leaving()
                                && peer.incarnation() == joiner.incarnation())
                        .isPresent();
    }

    /** A member goes because of an error of its own, and will be back: as after a removal, it has to wait for that. */
    static void resigned(Turn turn, Member member) {
        var holds = new TreeMap<>(turn.admission.holdDowns());
        holds.put(member.node(), holdDown(turn, member));
        turn.admission = turn.admission.holdDowns(holds);
    }

    /** All joiners that could enter, agents first, as members of the view that would admit them. */
    static List<Member> entrants(Turn turn, long epoch) {
        var entrants = new ArrayList<Member>();
        turn.admission.joiners().forEach((node, joiner) -> {
            if (mayEnter(turn, node, joiner)) {
                entrants.add(
                        new Member(node, joiner.incarnation(), epoch, joiner.role(), joiner.group(), joiner.seat()));
            }
        });
        entrants.sort(Member.ORDER);
        return entrants;
    }

    /** Those who are in ask no more; those who were removed wait. */
    static void afterView(Turn turn, View before, View after) {
        var joiners = new TreeMap<>(turn.admission.joiners());
        after.members().forEach(member -> joiners.remove(member.node()));
        var holds = new TreeMap<>(turn.admission.holdDowns());
        for (Member member : before.members()) {
            boolean isRemoved = after.member(member.node()).isEmpty() && !Standing.isLeaving(turn, member);
            if (isRemoved && !turn.isSelf(member)) {
                holds.put(member.node(), holdDown(turn, member));
            }
        }
        while (holds.size() > HOLD_DOWNS_MAX) {
            holds.pollFirstEntry();
        }
        turn.admission = turn.admission.joiners(joiners).holdDowns(holds);
    }

    private static HoldDown holdDown(Turn turn, Member member) {
        ElectionConfig.HoldDowns spans = turn.config.holdDowns();
        HoldDown last = turn.admission.holdDowns().get(member.node());
        boolean wasHealthy = turn.now - turn.home.knownSince(member.node()) >= spans.healthyNanos();
        if (Standing.isAbandoner(turn, member.node())) {
            return new HoldDown(spans.mostNanos(), turn.now + spans.mostNanos());
        }
        long span = last == null || wasHealthy ? spans.firstNanos() : Math.min(spans.mostNanos(), 2 * last.spanNanos());
        return new HoldDown(span, turn.now + span);
    }

    /** Forgets who asks no more and who has been good for long. */
    static void sweep(Turn turn) {
        long fresh = turn.config.joining().freshNanos();
        if (turn.admission.joiners().values().stream().anyMatch(joiner -> turn.now - joiner.heardNanos() > fresh)) {
            var joiners = new TreeMap<>(turn.admission.joiners());
            joiners.values().removeIf(joiner -> turn.now - joiner.heardNanos() > fresh);
            turn.admission = turn.admission.joiners(joiners);
        }
        if (turn.admission.refused().values().stream().anyMatch(refused -> refused.untilNanos() - turn.now <= 0)) {
            turn.admission = turn.admission.withoutOldRefusals(turn.now);
        }
        long healthy = turn.config.holdDowns().healthyNanos();
        if (turn.admission.holdDowns().values().stream().anyMatch(hold -> turn.now - hold.untilNanos() > healthy)) {
            var holds = new TreeMap<>(turn.admission.holdDowns());
            holds.values().removeIf(hold -> turn.now - hold.untilNanos() > healthy);
            turn.admission = turn.admission.holdDowns(holds);
        }
    }
}
