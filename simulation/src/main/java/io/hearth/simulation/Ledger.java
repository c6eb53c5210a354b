package io.hearth.simulation;

import io.hearth.election.Ballot;
import io.hearth.election.Lineage;
import io.hearth.election.LineageRecord;
import io.hearth.election.Member;
import io.hearth.election.Proposal;
import io.hearth.election.View;
import io.hearth.election.ViewRules;
import io.hearth.identity.NodeId;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/** Sees everything that any node does to views and checks the rules after each: what no node can know by itself. */
final class Ledger {
    private record Place(Lineage lineage, long epoch) {}

    private record Attempt(Place place, Ballot ballot) {}

    private record Frost(Place place, NodeId node, long incarnation) {}

    private record Vote(Place place, NodeId node) {}

    private final Map<Place, View> committed = new HashMap<>();
    private final Map<Lineage, View> newest = new HashMap<>();
    private final Map<Attempt, Set<NodeId>> acceptances = new HashMap<>();
    private final Map<Attempt, View> proposals = new HashMap<>();
    private final Map<Vote, Ballot> promises = new HashMap<>();
    private final Set<Frost> frozen = new HashSet<>();
    private final Consumer<View> onCommit;
    private boolean isOff;

    /** {@code onCommit} is told each view once, at the instant from which it is committed. */
    Ledger(Consumer<View> onCommit) {
        this.onCommit = onCommit;
    }

    /** In a world in which members forge what was agreed on, there is nothing to check. */
    void turnOff() {
        isOff = true;
    }

    int views() {
        return committed.size();
    }

    Optional<View> view(Lineage lineage, long epoch) {
        return Optional.ofNullable(committed.get(new Place(lineage, epoch)));
    }

    /** The last committed view of a lineage. */
    Optional<View> newest(Lineage lineage) {
        return Optional.ofNullable(newest.get(lineage));
    }

    /** A node takes {@code view} as committed: then it is the first of a lineage, or a quorum accepted it. */
    void learned(View view) {
        if (isOff) {
            committed.putIfAbsent(new Place(view.lineage(), view.epoch()), view);
            return;
        }
        boolean isFirst = view.epoch() == 1
                && view.members().size() == 1
                && view.members().getFirst().node().equals(view.lineage().founder());
        Violation.unless(
                isFirst || committed.containsKey(new Place(view.lineage(), view.epoch())),
                "chosen",
                () -> "a node believes a view that no quorum accepted: epoch " + view.epoch());
        committed(view);
    }

    private void committed(View view) {
        View last = newest.get(view.lineage());
        if (view.equals(last)) {
            return;
        }
        View before = committed.putIfAbsent(new Place(view.lineage(), view.epoch()), view);
        if (before != null) {
            Violation.unless(
                    before.equals(view), "I1", () -> "two views of one lineage and epoch: " + before + " and " + view);
            return;
        }
        if (last == null || last.epoch() < view.epoch()) {
            newest.put(view.lineage(), view);
        }
        Optional<String> fault = ViewRules.fault(view);
        Violation.unless(fault.isEmpty(), "I3", () -> "a view breaks the rules: " + fault.orElse(""));
        quorumsIntersect(view);
        keptMembersFroze(view);
        onCommit.accept(view);
    }

    private static void quorumsIntersect(View view) {
        var voters = view.voters();
        for (int chosen = 0; chosen < 1 << voters.size() >> 1; chosen++) {
            var some = new HashSet<NodeId>();
            var others = new HashSet<NodeId>();
            for (int i = 0; i < voters.size(); i++) {
                ((chosen >> i & 1) == 1 ? some : others).add(voters.get(i).node());
            }
            Violation.unless(!view.isQuorum(some) || !view.isQuorum(others), "I2", "two quorums that do not meet");
        }
    }

    private void keptMembersFroze(View view) {
        var before = new Place(view.lineage(), view.epoch() - 1);
        if (!committed.containsKey(before)) {
            return;
        }
        for (Member member : view.members()) {
            Violation.unless(
                    member.entryEpoch() == view.epoch()
                            || frozen.contains(new Frost(before, member.node(), member.incarnation())),
                    "I4",
                    () -> "a kept member did not freeze: " + member.node().shortText() + " in epoch " + view.epoch());
        }
    }

    /** All data threads of a node stopped for the successor of that view. */
    void froze(Lineage lineage, long epoch, NodeId node, long incarnation) {
        frozen.add(new Frost(new Place(lineage, epoch), node, incarnation));
    }

    /** A node takes a record as its own from now on, on disk or so it believes. */
    void recorded(NodeId node, Optional<LineageRecord> old, LineageRecord record) {
        if (isOff) {
            return;
        }
        if (record.view().filter(view -> isOwnEnd(node, view)).isPresent()) {
            committed(record.view().get());
        }
        record.view().ifPresent(this::learned);
        if (old.isPresent() && old.get().view().isPresent()) {
            long before = old.get().view().get().epoch();
            Violation.unless(
                    record.view().isPresent() && record.view().get().epoch() >= before,
                    "record",
                    "the view of a voter's record went back");
        }
        record.promised().ifPresent(ballot -> promised(node, record, ballot));
        record.accepted().ifPresent(proposal -> accepted(node, record.view().orElseThrow(), proposal));
    }

    /** Who is alone in a lineage is a quorum of it, and may end it without a ballot. */
    private boolean isOwnEnd(NodeId node, View view) {
        return view.isTombstone()
                && newest(view.lineage())
                        .filter(last -> last.epoch() + 1 == view.epoch()
                                && last.members().size() == 1
                                && last.member(node).isPresent())
                        .isPresent();
    }

    private void promised(NodeId node, LineageRecord record, Ballot ballot) {
        View view = record.view().orElseThrow();
        Ballot before = promises.put(new Vote(new Place(view.lineage(), view.epoch()), node), ballot);
        Violation.unless(
                before == null || before.compareTo(ballot) <= 0,
                "promise",
                () -> "the promise of " + node.shortText() + " went back in epoch " + view.epoch());
    }

    /** Chosen is chosen, whether anybody learns it or not. */
    private void accepted(NodeId node, View view, Proposal proposal) {
        var attempt = new Attempt(new Place(view.lineage(), view.epoch() + 1), proposal.ballot());
        View known = proposals.putIfAbsent(attempt, proposal.view());
        Violation.unless(
                known == null || known.equals(proposal.view()), "ballot", "two proposals with one ballot number");
        Set<NodeId> voters = acceptances.computeIfAbsent(attempt, _ -> new HashSet<>());
        voters.add(node);
        if (view.isQuorum(voters)) {
            committed(proposal.view());
        }
    }
}
