package io.hearth.parameterserver.machine;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hearth.identity.NodeId;
import io.hearth.identity.PeerId;
import io.hearth.parameterserver.machine.Assignment.Seat;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Which machine begins a part again from a checkpoint. */
final class AssignmentRulesTest {
    private static final NodeId A = node(1);
    private static final NodeId B = node(2);

    private final Map<NodeId, Report.Heard> reports = new HashMap<>();

    private static NodeId node(int number) {
        byte[] key = new byte[PeerId.KEY_BYTES];
        key[0] = (byte) number;
        return new NodeId(PeerId.of(key), "agent");
    }

    private void hasCheckpoint(NodeId node, long boot, long term, long index) {
        var parts = new TreeMap<Integer, Report.Part>();
        parts.put(0, new Report.Part(0, term, index));
        reports.put(node, new Report.Heard(new Report(boot, parts), 1, 1));
    }

    private static PartLedger ledger(Optional<Assignment> assignment) {
        var all = new TreeMap<Integer, Assignment>();
        assignment.ifPresent(each -> all.put(0, each));
        return new PartLedger(1, all, new TreeMap<>());
    }

    private Assignment next(PartLedger ledger, List<NodeId> members, boolean isGivenUp) {
        return new AssignmentRules(ledger, members, reports).next(0, isGivenUp).orElseThrow();
    }

    @Test
    void theFirstTermIsAboveThoseOfAllCheckpoints() {
        hasCheckpoint(A, 1, 7, 70);
        hasCheckpoint(B, 1, 9, 5);
        Assignment first = next(ledger(Optional.empty()), List.of(A, B), false);
        assertEquals(10, first.term());
        assertEquals(B, first.primary().node());
    }

    /** A machine was away when the ledger was lost and made anew: its checkpoints have higher terms, and are older. */
    @Test
    void checkpointsOfALostLedgerDoNotWin() {
        var assignment = new Assignment(0, 8, new Seat(A, 1), Optional.of(new Seat(B, 1)), true);
        hasCheckpoint(A, 2, 8, 20);
        hasCheckpoint(B, 2, 9, 5);
        Assignment next = next(ledger(Optional.of(assignment)), List.of(A, B), true);
        assertEquals(9, next.term());
        assertEquals(A, next.primary().node());
    }
}
