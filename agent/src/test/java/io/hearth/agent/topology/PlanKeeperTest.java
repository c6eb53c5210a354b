package io.hearth.agent.topology;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.agent.loop.NodeInboxTest;
import io.hearth.collective.group.GroupLayout;
import io.hearth.core.Clock;
import io.hearth.identity.NodeId;
import io.hearth.topology.LinkReport;
import io.hearth.topology.LinkReports;
import io.hearth.topology.plan.Plan;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class PlanKeeperTest {
    private static final long SECOND = 1_000_000_000;
    private static final long GIGABIT = 117_500_000;
    private static final List<NodeId> NODES =
            List.of(NodeInboxTest.node(1), NodeInboxTest.node(2), NodeInboxTest.node(3));
    private static final NodeId LEAD = NODES.getFirst();

    private final LinkReports reports = new LinkReports();
    private final BlockingQueue<Proposal> proposals = new LinkedBlockingQueue<>();
    private final BlockingQueue<Throwable> failures = new LinkedBlockingQueue<>();
    private GroupLayout layout = new GroupLayout("a", "a/1", NODES, Plan.NONE);
    private PlanKeeper keeper = keeper(LEAD);
    private long now;

    /** A plan and the fence of its layout. */
    private record Proposal(String fence, Plan plan) {}

    private final class HandClock implements Clock {
        @Override
        public long nanoTime() {
            return now;
        }

        @Override
        public long epochMillis() {
            return 0;
        }
    }

    private PlanKeeper keeper(NodeId self) {
        return new PlanKeeper(
                self,
                () -> layout,
                (fence, plan) -> proposals.add(new Proposal(fence, plan)),
                new HandClock(),
                failures::add);
    }

    @AfterEach
    void close() {
        keeper.close();
        assertTrue(failures.isEmpty(), failures::toString);
    }

    /** All links have this rate, except those of the last node. */
    private void measure(long bytesPerSecond, long last) {
        for (NodeId node : NODES) {
            var links = new TreeMap<NodeId, LinkReport.Measured>();
            for (NodeId peer : NODES) {
                long rate = NODES.getLast().equals(node) || NODES.getLast().equals(peer) ? last : bytesPerSecond;
                if (!peer.equals(node)) {
                    links.put(peer, new LinkReport.Measured(300_000, rate, rate));
                }
            }
            reports.put(node, new LinkReport(links));
        }
    }

    /** Number of plans after one turn; the planning thread has ended. */
    private int turn(long at) {
        now = at;
        keeper.drive(reports);
        keeper.close();
        return proposals.size();
    }

    @Test
    void theLeadPlansOnceForEachChangeOfTheMeasurements() throws InterruptedException {
        assertEquals(0, turn(0), "nothing is measured");
        measure(GIGABIT, GIGABIT);
        assertEquals(1, turn(2 * SECOND));
        Proposal first = proposals.take();
        assertEquals("a/1", first.fence());
        assertEquals(List.of(), first.plan().weights());
        assertEquals(0, turn(4 * SECOND), "nothing changed");
        measure(GIGABIT, GIGABIT - GIGABIT / 20);
        assertEquals(0, turn(6 * SECOND), "it changed by less than noise");
        layout = layout.planned(first.plan());
        assertEquals(1, turn(8 * SECOND), "the group follows the plan now, and the keeper looks once more");
        assertEquals(first.plan().weights(), proposals.take().plan().weights());
    }

    @Test
    void aLinkThatBecomesSlowInMidTrainingMovesLoadAway() throws InterruptedException {
        measure(GIGABIT, GIGABIT);
        turn(2 * SECOND);
        layout = layout.planned(proposals.take().plan());
        measure(GIGABIT, GIGABIT / 10);
        assertEquals(1, turn(4 * SECOND));
        List<Integer> weights = proposals.take().plan().weights();
        assertEquals(0, weights.getLast(), () -> "weights " + weights);
    }

    @Test
    void plansAreASecondApart() {
        measure(GIGABIT, GIGABIT);
        assertEquals(1, turn(2 * SECOND));
        measure(GIGABIT, GIGABIT / 10);
        assertEquals(1, turn(3 * SECOND - 1));
        assertEquals(2, turn(3 * SECOND));
    }

    @Test
    void onlyTheLeadOfSeveralPlans() {
        measure(GIGABIT, GIGABIT / 10);
        keeper = keeper(NODES.getLast());
        assertEquals(0, turn(2 * SECOND));
        keeper = keeper(LEAD);
        layout = new GroupLayout("a", "a/2", List.of(LEAD), Plan.NONE);
        assertEquals(0, turn(4 * SECOND));
        layout = GroupLayout.NONE;
        assertEquals(0, turn(6 * SECOND));
    }
}
