package io.hearth.simulation.rule;

import io.hearth.election.Ballot;
import io.hearth.election.GroupView;
import io.hearth.election.Lineage;
import io.hearth.election.LineageRecord;
import io.hearth.election.Member;
import io.hearth.election.Proposal;
import io.hearth.election.Role;
import io.hearth.election.View;
import io.hearth.identity.NodeId;
import io.hearth.identity.PeerId;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;

/** Observes every event of every node that concerns views, and checks the rules that no node can check by itself. */
public final class ViewChecker {
    private record EpochId(Lineage lineage, long epoch) {}

    private record Attempt(EpochId place, Ballot ballot) {}

    private record Answer(Attempt attempt, NodeId node, long incarnation) {}

    private record Frost(EpochId place, NodeId node, long incarnation) {}

    private record Vote(EpochId place, PeerId machine) {}

    /** A vote of one record of a machine. */
    private record SeatVote(EpochId place, PeerId machine, long seat) {}

    /**
     * A quorum of {@code before} accepted {@code view}.
     *
     * @param ballot in which that view was made; later ones may have taken it over
     * @param beganNanos when that ballot's proposer promised itself
     */
    public record Succession(View before, View view, Ballot ballot, long beganNanos) {}

    private final Map<EpochId, View> committed = new HashMap<>();
    private final Map<Lineage, View> newest = new HashMap<>();
    private final Map<Attempt, Set<PeerId>> acceptances = new HashMap<>();
    private final Map<Attempt, View> proposals = new HashMap<>();
    private final Map<View, Attempt> makings = new HashMap<>(); // the first attempt that proposed each view
    private final Map<Attempt, Long> beginnings = new HashMap<>(); // keyed by the epoch that the ballot succeeds
    private final Set<Answer> answers = new HashSet<>();
    private final Map<Vote, Ballot> promises = new HashMap<>();
    private final Set<SeatVote> acceptors = new HashSet<>();
    private final Set<Frost> frozen = new HashSet<>();
    private Consumer<View> onCommit = _ -> {};
    private Consumer<Succession> onSuccession = _ -> {};
    private final LongSupplier clock;
    private boolean isOff;

    public ViewChecker(LongSupplier clock) {
        this.clock = clock;
    }

    /**
     * Sets the observers. {@code commits} gets each view once, at the instant from which it is committed; {@code successions} gets it
     * next if a ballot made it.
     */
    public void observe(Consumer<View> commits, Consumer<Succession> successions) {
        onCommit = commits;
        onSuccession = successions;
    }

    /** Turns the checks off, for a world in which members forge views. */
    public void turnOff() {
        isOff = true;
    }

    public int views() {
        return committed.size();
    }

    public Optional<View> view(Lineage lineage, long epoch) {
        return Optional.ofNullable(committed.get(new EpochId(lineage, epoch)));
    }

    /** The last committed view of a lineage. */
    public Optional<View> newest(Lineage lineage) {
        return Optional.ofNullable(newest.get(lineage));
    }

    /** A node takes {@code view} as committed: it must be the first of a lineage, or a quorum must have accepted it. */
    public void learned(View view) {
        if (isOff) {
            committed.putIfAbsent(new EpochId(view.lineage(), view.epoch()), view);
            return;
        }
        boolean isFirst = view.epoch() == 1
                && view.members().size() == 1
                && view.members().getFirst().node().equals(view.lineage().founder());
        Violation.unless(
                isFirst || committed.containsKey(new EpochId(view.lineage(), view.epoch())),
                "chosen",
                () -> "a node believes a view that no quorum accepted: epoch " + view.epoch());
        committed(view);
    }

    private void committed(View view) {
        View last = newest.get(view.lineage());
        if (view.equals(last)) {
            return;
        }
        View before = committed.putIfAbsent(new EpochId(view.lineage(), view.epoch()), view);
        if (before != null) {
            Violation.unless(
                    before.equals(view), "I1", () -> "two views of one lineage and epoch: " + before + " and " + view);
            return;
        }
        if (last == null || last.epoch() < view.epoch()) {
            newest.put(view.lineage(), view);
        }
        isWellFormed(view);
        quorumsIntersect(view);
        Optional<View> known = view(view.lineage(), view.epoch() - 1);
        known.ifPresent(former -> follows(former, view));
        Attempt making = makings.get(view);
        if (known.isPresent() && making != null) {
            keptMembersFroze(known.get(), view, making.ballot());
        }
        onCommit.accept(view);
        if (known.isPresent() && making != null) {
            var attempt = new Attempt(new EpochId(view.lineage(), view.epoch() - 1), making.ballot());
            long began = beginnings.getOrDefault(attempt, clock.getAsLong());
            onSuccession.accept(new Succession(known.get(), view, making.ballot(), began));
        }
    }

    // ---- the rules of views, written a second time, since the product's own are under test

    public static Set<PeerId> machines(View view) {
        return view.members().stream()
                .map(member -> member.node().peer())
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /** A quorum is more than half of the machines, or half of them including the first. */
    public static boolean isQuorum(View view, Set<PeerId> machines) {
        int all = machines(view).size();
        int votes = (int) machines(view).stream().filter(machines::contains).count();
        boolean hasFirst = !view.members().isEmpty()
                && machines.contains(view.members().getFirst().node().peer());
        return 2 * votes > all || (hasFirst && 2 * votes == all);
    }

    private static void isWellFormed(View view) {
        Member before = null;
        var nodes = new HashSet<NodeId>();
        var seats = new HashMap<PeerId, Long>();
        var groups = new TreeSet<String>();
        for (Member member : view.members()) {
            boolean isInOrder = before == null || order(before, member) < 0;
            Violation.unless(isInOrder, "I3", "members are out of order");
            Violation.unless(nodes.add(member.node()), "I3", "a node is in a view twice");
            long seat = seats.getOrDefault(member.node().peer(), member.seat());
            Violation.unless(member.seat() >= 1 && member.seat() == seat, "I3", "a machine has two seats in a view");
            seats.put(member.node().peer(), seat);
            Violation.unless(
                    member.entryEpoch() >= 1 && member.entryEpoch() <= view.epoch() && member.incarnation() >= 1,
                    "I3",
                    "a member's numbers are not of this view");
            if (member.role() == Role.TRAINER) {
                groups.add(member.group());
            }
            before = member;
        }
        Violation.unless(
                view.groups().stream().map(GroupView::name).toList().equals(List.copyOf(groups)),
                "I3",
                "a view does not list the groups of its members");
        Violation.unless(
                view.groups().stream().allMatch(group -> group.epoch() >= 1 && group.epoch() <= view.epoch()),
                "I3",
                "a group epoch is not of this view");
    }

    /** The order of members: by entry, agents before trainers, then by node. */
    private static int order(Member one, Member other) {
        if (one.entryEpoch() != other.entryEpoch()) {
            return Long.compare(one.entryEpoch(), other.entryEpoch());
        }
        if (one.role() != other.role()) {
            return one.role() == Role.AGENT ? -1 : 1;
        }
        return one.node().compareTo(other.node());
    }

    /** Checks a view against the one before. */
    private static void follows(View before, View view) {
        for (Member member : view.members()) {
            Violation.unless(
                    member.entryEpoch() == view.epoch() || before.members().contains(member),
                    "I3",
                    () -> "a member came from nowhere: " + member.node().shortText() + " in epoch " + view.epoch());
        }
        for (GroupView group : view.groups()) {
            boolean isSame =
                    before.groupView(group.name()).filter(group::equals).isPresent();
            boolean hasSameList = before.group(group.name()).equals(view.group(group.name()));
            Violation.unless(
                    isSame ? hasSameList : group.epoch() == view.epoch(),
                    "I3",
                    () -> "the epoch of group " + group.name() + " is wrong in epoch " + view.epoch());
        }
        Set<PeerId> kept = view.members().stream()
                .filter(member -> member.entryEpoch() < view.epoch())
                .map(member -> member.node().peer())
                .collect(Collectors.toCollection(TreeSet::new));
        Violation.unless(
                view.isTombstone() || machines(view).size() <= 2 * kept.size(),
                "I3",
                () -> "more machines are new than stay in epoch " + view.epoch());
    }

    private static void quorumsIntersect(View view) {
        List<PeerId> machines = List.copyOf(machines(view));
        for (int chosen = 0; chosen < 1 << machines.size() >> 1; chosen++) {
            var some = new HashSet<PeerId>();
            var others = new HashSet<PeerId>();
            for (int i = 0; i < machines.size(); i++) {
                ((chosen >> i & 1) == 1 ? some : others).add(machines.get(i));
            }
            Violation.unless(!isQuorum(view, some) || !isQuorum(view, others), "I2", "two quorums that do not meet");
        }
    }

    /** I4: each kept member froze for the ballot that keeps it. */
    private void keptMembersFroze(View before, View view, Ballot ballot) {
        var place = new EpochId(view.lineage(), before.epoch());
        var attempt = new Attempt(place, ballot);
        for (Member member : view.members()) {
            boolean isNew = member.entryEpoch() == view.epoch();
            boolean froze = frozen.contains(new Frost(place, member.node(), member.incarnation()));
            boolean answered = ballot.proposer().equals(member.node())
                    || answers.contains(new Answer(attempt, member.node(), member.incarnation()));
            Violation.unless(
                    isNew || froze,
                    "I4",
                    () -> "a kept member did not freeze: " + member.node().shortText() + " in epoch " + view.epoch());
            Violation.unless(
                    isNew || answered,
                    "I4",
                    () -> "a member was kept by a ballot that it did not answer: "
                            + member.node().shortText() + " in epoch " + view.epoch());
        }
    }

    /** Whether a member answered, with its status, the ballot that made a view, or proposed it. */
    public boolean hasAnswered(Succession change, Member member) {
        var place = new EpochId(change.before().lineage(), change.before().epoch());
        return change.ballot().proposer().equals(member.node())
                || answers.contains(
                        new Answer(new Attempt(place, change.ballot()), member.node(), member.incarnation()));
    }

    /** A member reports with its status that it froze for that ballot. */
    public void answered(NodeId node, long incarnation, Lineage lineage, long epoch, Ballot ballot) {
        answers.add(new Answer(new Attempt(new EpochId(lineage, epoch), ballot), node, incarnation));
    }

    /** All data threads of a node stopped for the successor of that view. */
    public void froze(Lineage lineage, long epoch, NodeId node, long incarnation) {
        frozen.add(new Frost(new EpochId(lineage, epoch), node, incarnation));
    }

    /** A process of a machine wrote a record, or believes that it did. */
    public void recorded(NodeId node, Optional<LineageRecord> old, LineageRecord record) {
        if (isOff) {
            return;
        }
        PeerId machine = node.peer();
        record.view().ifPresent(this::learned);
        if (old.isPresent() && old.get().view().isPresent()) {
            long before = old.get().view().get().epoch();
            Violation.unless(
                    record.view().isPresent() && record.view().get().epoch() >= before,
                    "record",
                    "the view of a voter's record went back");
        }
        record.promised().ifPresent(ballot -> promised(node, record, ballot));
        record.accepted().ifPresent(proposal -> accepted(machine, record, proposal));
    }

    private void promised(NodeId node, LineageRecord record, Ballot ballot) {
        PeerId machine = node.peer();
        View view = record.view().orElseThrow();
        boolean isOwn = ballot.proposer().equals(node) && record.accepted().isEmpty();
        var attempt = new Attempt(new EpochId(view.lineage(), view.epoch()), ballot);
        if (isOwn) {
            beginnings.putIfAbsent(attempt, clock.getAsLong());
        }
        Ballot before = promises.put(new Vote(new EpochId(view.lineage(), view.epoch()), machine), ballot);
        Violation.unless(
                before == null || before.compareTo(ballot) <= 0,
                "promise",
                () -> "the promise of " + machine + " went back in epoch " + view.epoch());
        Violation.unless(
                record.accepted().isPresent() || !acceptors.contains(seatVote(machine, record)),
                "promise",
                () -> machine + " promises and forgot what it accepted in epoch " + view.epoch());
    }

    private static SeatVote seatVote(PeerId machine, LineageRecord record) {
        View view = record.view().orElseThrow();
        return new SeatVote(new EpochId(view.lineage(), view.epoch()), machine, record.seat());
    }

    /** A view is chosen once a quorum accepted it, whether or not a node learns of it. */
    private void accepted(PeerId machine, LineageRecord record, Proposal proposal) {
        View view = record.view().orElseThrow();
        acceptors.add(seatVote(machine, record));
        var attempt = new Attempt(new EpochId(view.lineage(), view.epoch() + 1), proposal.ballot());
        View known = proposals.putIfAbsent(attempt, proposal.view());
        makings.putIfAbsent(proposal.view(), attempt);
        Violation.unless(
                known == null || known.equals(proposal.view()), "ballot", "two proposals with one ballot number");
        Set<PeerId> votes = acceptances.computeIfAbsent(attempt, _ -> new HashSet<>());
        votes.add(machine);
        if (isQuorum(view, votes)) {
            committed(proposal.view());
        }
    }
}
