package io.hearth.election.view;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.election.Ballot;
import io.hearth.election.Lineage;
import io.hearth.election.LineageRecord;
import io.hearth.election.Member;
import io.hearth.election.Proposal;
import io.hearth.election.View;
import io.hearth.election.ViewRules;
import io.hearth.identity.NodeId;
import io.hearth.identity.PeerId;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Sees everything that any node does and checks the invariants after each: what no node can know by itself. */
final class Ledger {
    private record Place(Lineage lineage, long epoch) {}

    private record Attempt(Place place, Ballot ballot, View next) {}

    private record Frost(Place place, NodeId node, long incarnation) {}

    private final Map<Place, View> committed = new HashMap<>();
    private final Map<Attempt, Set<PeerId>> acceptances = new HashMap<>();
    private final Set<Frost> frozen = new HashSet<>();

    int views() {
        return committed.size();
    }

    /** A node treats {@code view} as committed. */
    void committed(View view) {
        View before = committed.putIfAbsent(new Place(view.lineage(), view.epoch()), view);
        if (before != null) {
            assertEquals(before, view, "I1: two views of one lineage and epoch");
            return;
        }
        assertEquals(Optional.empty(), ViewRules.fault(view), "I3: a view breaks the rules");
        quorumsIntersect(view);
        keptMembersFroze(view);
        newMachinesAreNotMoreThanKeptOnes(view);
    }

    private static void quorumsIntersect(View view) {
        var voters = view.machines();
        for (int chosen = 0; chosen < 1 << voters.size(); chosen++) {
            var some = new HashSet<PeerId>();
            var others = new HashSet<PeerId>();
            for (int i = 0; i < voters.size(); i++) {
                ((chosen >> i & 1) == 1 ? some : others).add(voters.get(i));
            }
            assertTrue(!view.isQuorum(some) || !view.isQuorum(others), "I2: two quorums that do not meet");
        }
    }

    private void keptMembersFroze(View view) {
        Place before = new Place(view.lineage(), view.epoch() - 1);
        if (!committed.containsKey(before)) {
            return;
        }
        for (Member member : view.members()) {
            assertTrue(
                    member.entryEpoch() == view.epoch()
                            || frozen.contains(new Frost(before, member.node(), member.incarnation())),
                    "I4: a kept member did not freeze");
        }
    }

    /** Joiners that die at once must not cost the quorum. */
    private void newMachinesAreNotMoreThanKeptOnes(View view) {
        View before = committed.get(new Place(view.lineage(), view.epoch() - 1));
        if (before == null) {
            return;
        }
        var kept = new HashSet<PeerId>();
        view.members().stream().filter(before.members()::contains).forEach(member -> kept.add(member.machine()));
        long joined = view.machines().stream()
                .filter(machine -> !kept.contains(machine))
                .count();
        assertTrue(joined <= kept.size(), "more new machines than kept ones");
    }

    void froze(Lineage lineage, long epoch, NodeId node, long incarnation) {
        frozen.add(new Frost(new Place(lineage, epoch), node, incarnation));
    }

    /** A record goes to disk over {@code old}. */
    void persisted(PeerId machine, Optional<LineageRecord> old, LineageRecord record) {
        record.view().ifPresent(this::committed);
        if (old.isPresent() && old.get().view().isPresent()) {
            long before = old.get().view().get().epoch();
            long after = record.view().orElseThrow().epoch();
            assertTrue(after >= before, "a record's view went back");
            if (after == before && old.get().promised().isPresent()) {
                assertTrue(
                        record.promised().isPresent()
                                && record.promised()
                                                .get()
                                                .compareTo(old.get().promised().get())
                                        >= 0,
                        "a promise went back");
            }
        }
        record.accepted().ifPresent(accepted -> accepted(machine, record.view().orElseThrow(), accepted));
    }

    /** Chosen is chosen, whether anybody learns it or not. */
    private void accepted(PeerId machine, View view, Proposal proposal) {
        var place = new Place(view.lineage(), view.epoch() + 1);
        Set<PeerId> voters = acceptances.computeIfAbsent(
                new Attempt(place, proposal.ballot(), proposal.view()), _ -> new HashSet<>());
        voters.add(machine);
        if (view.isQuorum(voters)) {
            committed(proposal.view());
        }
    }
}
