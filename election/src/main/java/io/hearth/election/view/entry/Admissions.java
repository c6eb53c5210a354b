package io.hearth.election.view.entry;

import io.hearth.election.ElectionConfig;
import io.hearth.election.GroupPhase;
import io.hearth.election.Member;
import io.hearth.election.Message;
import io.hearth.election.MessageRejection;
import io.hearth.election.Role;
import io.hearth.election.View;
import io.hearth.election.view.opinion.MemberStatus;
import io.hearth.election.view.state.GroupRejection;
import io.hearth.election.view.state.JoinState;
import io.hearth.election.view.state.Joiner;
import io.hearth.election.view.state.Peer;
import io.hearth.election.view.state.ReadmissionDelay;
import io.hearth.election.view.step.Transition;
import io.hearth.identity.NodeId;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Handles nodes that ask for entry: reports why they wait, and keeps recently removed nodes out for a while. */
public final class Admissions {
    /** Most nodes that ask at once. */
    static final int JOINERS_MAX = 512;

    /** Most nodes remembered as removed. */
    static final int HOLD_DOWNS_MAX = 256;

    private Admissions() {}

    public static void onJoin(Transition transition, NodeId from, long incarnation, Message.Join join) {
        if (!join.lineage().equals(transition.current.lineage())) {
            return; // the next heartbeat tells it in which lineage this node lives
        }
        Optional<Member> member = transition.view().member(from);
        if (member.isPresent() && member.get().incarnation() == incarnation) {
            transition.send(
                    from, new Message.Commit(transition.view())); // it is a member already and missed the commit
            return;
        }
        transition.peer(from).filter(Peer::leaving).ifPresent(peer -> transition.peer(from, peer.asksToLeave(false)));
        Joiner known = transition.admission.joiners().get(from);
        if (known == null && transition.admission.joiners().size() >= JOINERS_MAX) {
            transition.refuse(MessageRejection.TOO_MANY_JOINERS);
            return;
        }
        long answered =
                known == null ? transition.now - transition.config.joining().answerNanos() : known.answeredNanos();
        var joiner =
                new Joiner(incarnation, join.seat(), join.role(), join.group(), join.phase(), transition.now, answered);
        transition.admission = transition.admission.with(from, joiner);
        tellWhyNot(transition, from, joiner);
    }

    private static void tellWhyNot(Transition transition, NodeId from, Joiner joiner) {
        if (transition.now - joiner.answeredNanos()
                        < transition.config.joining().answerNanos()
                || !MemberStatus.isLead(transition)) {
            return;
        }
        obstacle(transition, from, joiner).ifPresent(reason -> {
            transition.admission = transition.admission.with(from, joiner.answered(transition.now));
            transition.send(from, new Message.NotYet(transition.current.lineage(), reason));
        });
    }

    /** The reason why a joining node cannot enter now; found without a freeze. */
    private static Optional<String> obstacle(Transition transition, NodeId node, Joiner joiner) {
        Optional<String> outside = outside(transition, node, joiner);
        if (outside.isPresent() || joiner.role() == Role.AGENT) {
            return outside;
        }
        return obstacle(transition, joiner);
    }

    /** Reasons that do not depend on the state of its group. */
    private static Optional<String> outside(Transition transition, NodeId node, Joiner joiner) {
        if (transition.hasNoVote(node.peer())) {
            return Optional.of(
                    transition.excluded.contains(node.peer())
                            ? "it was put out of the namespace"
                            : "two computers use its identity");
        }
        ReadmissionDelay hold = transition.admission.readmissionDelays().get(node);
        if (hold != null && hold.untilNanos() - transition.now > 0) {
            return Optional.of("it was removed lately and has to wait "
                    + (hold.untilNanos() - transition.now + 999_999_999L) / 1_000_000_000L + " s");
        }
        Optional<Member> apart = MemberStatus.cannotReach(transition, node);
        if (apart.isPresent()) {
            return Optional.of("member " + apart.get().node().shortText() + " cannot reach it");
        }
        return otherSeat(transition, node, joiner);
    }

    /** All members of one machine have the seat of its one record. */
    private static Optional<String> otherSeat(Transition transition, NodeId node, Joiner joiner) {
        long seat = transition.view().seat(node.peer());
        return seat == 0 || seat == joiner.seat()
                ? Optional.empty()
                : Optional.of(
                        "another process of its machine is in with a vote record that is gone; it waits until that leaves");
    }

    private static Optional<String> obstacle(Transition transition, Joiner joiner) {
        if (joiner.phase() == GroupPhase.BUSY) {
            return Optional.of("it is in the middle of a step of its own");
        }
        if (transition.view().group(joiner.group()).isEmpty()) {
            return Optional.empty();
        }
        Optional<String> busy = MemberStatus.busy(transition, joiner.group());
        if (busy.isPresent()) {
            return busy;
        }
        if (joiner.phase() == GroupPhase.FRESH && !MemberStatus.isUntouched(transition, joiner.group())) {
            return Optional.of("its group is already training; beginStep() lets it in");
        }
        GroupRejection refused = transition.admission.refused().get(joiner.group());
        return refused != null && refused.untilNanos() - transition.now > 0
                ? Optional.of(refused.why())
                : Optional.empty();
    }

    /** A node that could enter this node's group if the group waited at the beginning of a step. */
    static boolean isAwaited(Transition transition) {
        for (Map.Entry<NodeId, Joiner> entry : transition.admission.joiners().entrySet()) {
            Joiner joiner = entry.getValue();
            if (joiner.phase() == GroupPhase.BOUNDARY
                    && joiner.group().equals(transition.self.group())
                    && isHeard(transition, entry.getKey(), joiner)
                    && outside(transition, entry.getKey(), joiner).isEmpty()) {
                return true;
            }
        }
        return false;
    }

    /** A joining node that could enter now, which is a reason for a change. */
    public static Optional<String> entrant(Transition transition) {
        for (Map.Entry<NodeId, Joiner> entry : transition.admission.joiners().entrySet()) {
            if (mayEnter(transition, entry.getKey(), entry.getValue())) {
                return Optional.of(entry.getKey().shortText() + " joins");
            }
        }
        return Optional.empty();
    }

    private static boolean mayEnter(Transition transition, NodeId node, Joiner joiner) {
        return isHeard(transition, node, joiner)
                && obstacle(transition, node, joiner).isEmpty();
    }

    private static boolean isHeard(Transition transition, NodeId node, Joiner joiner) {
        return transition.now - joiner.heardNanos()
                        <= transition.config.joining().freshNanos()
                && transition
                        .peer(node)
                        .filter(peer -> peer.linked()
                                && !peer.suspected()
                                && !peer.leaving()
                                && peer.incarnation() == joiner.incarnation())
                        .isPresent();
    }

    /** A member leaves because of its own error and will return; as after a removal, it has to wait for readmission. */
    public static void resigned(Transition transition, Member member) {
        var holds = new TreeMap<>(transition.admission.readmissionDelays());
        holds.put(member.node(), readmissionDelay(transition, member));
        transition.admission = transition.admission.readmissionDelays(holds);
    }

    /** All joining nodes that could enter, agents first, as members of the view that would admit them. */
    public static List<Member> entrants(Transition transition, long epoch) {
        var entrants = new ArrayList<Member>();
        transition.admission.joiners().forEach((node, joiner) -> {
            if (mayEnter(transition, node, joiner)) {
                entrants.add(
                        new Member(node, joiner.incarnation(), epoch, joiner.role(), joiner.group(), joiner.seat()));
            }
        });
        entrants.sort(Member.ORDER);
        return entrants;
    }

    /** Drops requests of nodes that entered, and starts the delay of removed ones. */
    public static void afterView(Transition transition, View before, View after) {
        var joiners = new TreeMap<>(transition.admission.joiners());
        after.members().forEach(member -> joiners.remove(member.node()));
        var holds = new TreeMap<>(transition.admission.readmissionDelays());
        for (Member member : before.members()) {
            boolean isRemoved = after.member(member.node()).isEmpty() && !MemberStatus.isLeaving(transition, member);
            if (isRemoved && !transition.isSelf(member)) {
                holds.put(member.node(), readmissionDelay(transition, member));
            }
        }
        while (holds.size() > HOLD_DOWNS_MAX) {
            holds.pollFirstEntry();
        }
        transition.admission = transition.admission.joiners(joiners).readmissionDelays(holds);
    }

    private static ReadmissionDelay readmissionDelay(Transition transition, Member member) {
        ElectionConfig.ReadmissionDelays spans = transition.config.readmissionDelays();
        ReadmissionDelay last = transition.admission.readmissionDelays().get(member.node());
        boolean wasHealthy = transition.now - transition.current.knownSince(member.node()) >= spans.healthyNanos();
        if (MemberStatus.isAbandoner(transition, member.node())) {
            return new ReadmissionDelay(spans.mostNanos(), transition.now + spans.mostNanos());
        }
        long span = last == null || wasHealthy ? spans.firstNanos() : Math.min(spans.mostNanos(), 2 * last.spanNanos());
        return new ReadmissionDelay(span, transition.now + span);
    }

    /** Forgets nodes that stopped asking, and delays of nodes that have been healthy for long. */
    public static void sweep(Transition transition) {
        long fresh = transition.config.joining().freshNanos();
        if (transition.admission.joiners().values().stream()
                .anyMatch(joiner -> transition.now - joiner.heardNanos() > fresh)) {
            var joiners = new TreeMap<>(transition.admission.joiners());
            joiners.values().removeIf(joiner -> transition.now - joiner.heardNanos() > fresh);
            transition.admission = transition.admission.joiners(joiners);
        }
        if (transition.admission.refused().values().stream()
                .anyMatch(refused -> refused.untilNanos() - transition.now <= 0)) {
            transition.admission = transition.admission.withoutOldRefusals(transition.now);
        }
        long healthy = transition.config.readmissionDelays().healthyNanos();
        if (transition.admission.readmissionDelays().values().stream()
                .anyMatch(hold -> transition.now - hold.untilNanos() > healthy)) {
            var holds = new TreeMap<>(transition.admission.readmissionDelays());
            holds.values().removeIf(hold -> transition.now - hold.untilNanos() > healthy);
            transition.admission = transition.admission.readmissionDelays(holds);
        }
    }

    /**
     * Whether this lone node asked for entry there and {@code view}, newer than all it knows, grants exactly what it asked for. A view
     * that was known before it asked does not admit it: that view may list this node as it was long ago.
     */
    public static boolean isAdmittedBy(Transition transition, View view) {
        return isAnswered(transition, view)
                && transition.join instanceof JoinState.Joining joining
                && view.member(transition.self.node())
                        .equals(Optional.of(new Member(
                                transition.self.node(),
                                transition.self.incarnation(),
                                view.epoch(),
                                transition.self.role(),
                                transition.self.group(),
                                joining.seat())));
    }

    /** Whether {@code view} of the target lineage lists this start otherwise than it asked for. */
    public static boolean isMistaken(Transition transition, View view) {
        return isAnswered(transition, view)
                && view.member(transition.self.node())
                        .filter(me -> me.incarnation() == transition.self.incarnation())
                        .isPresent()
                && !isAdmittedBy(transition, view);
    }

    private static boolean isAnswered(Transition transition, View view) {
        return transition.current.isLone()
                && transition.join instanceof JoinState.Joining joining
                && joining.target().equals(view.lineage());
    }
}
