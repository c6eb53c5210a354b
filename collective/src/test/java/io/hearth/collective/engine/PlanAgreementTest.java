package io.hearth.collective.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.collective.AllReduceStrategy;
import io.hearth.collective.CollectiveConfig;
import io.hearth.collective.DistributedContext;
import io.hearth.collective.EngineOptions;
import io.hearth.collective.LossPolicy;
import io.hearth.core.PeerLostException;
import io.hearth.core.ReduceOp;
import io.hearth.identity.NodeId;
import io.hearth.topology.plan.Plan;
import io.hearth.topology.plan.PlanCosts;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Plans that the lead of a group without steps proposes: all ranks use them from the same number on, whoever is lost when. */
final class PlanAgreementTest {
    private static final int WORLD = 3;
    private static final int COUNT = 300;
    private static final int SUMS = 5;
    private static final Plan PLAN = new Plan(List.of(0, 2, 1), List.of(), List.of(), PlanCosts.UNKNOWN);

    /** An agreement precedes the second and the third of five sums. */
    private static final EngineOptions OPTIONS = EngineOptions.DEFAULTS
            .within(Duration.ofMinutes(1))
            .with(CollectiveConfig.DEFAULTS.by(AllReduceStrategy.RING).cut(512, 512))
            .planningAfter(COUNT * Float.BYTES / 2);

    /** The plan of a rank after each number that it ended, by number. */
    private static List<SortedMap<Long, Plan>> plans() {
        return IntStream.range(0, WORLD)
                .<SortedMap<Long, Plan>>mapToObj(_ -> Collections.synchronizedSortedMap(new TreeMap<>()))
                .toList();
    }

    private static void sum(DistributedContext context, int rank, List<Float> sums) throws Exception {
        float[] values = new float[COUNT];
        Arrays.fill(values, 1 << rank);
        context.allReduce(values, ReduceOp.SUM);
        sums.add(values[0]);
    }

    private static List<List<Float>> results() {
        return IntStream.range(0, WORLD)
                .mapToObj(_ -> Collections.synchronizedList(new ArrayList<Float>()))
                .toList();
    }

    @Test
    void allRanksUseThePlanFromTheSameNumberOn() throws Exception {
        try (var group = new TestGroup(WORLD, OPTIONS)) {
            String fence = group.engine(0).layout().fence();
            group.engine(0).propose(fence, PLAN);
            List<SortedMap<Long, Plan>> plans = plans();
            List<List<Float>> sums = results();
            group.start((rank, context) -> {
                        for (int sum = 0; sum < SUMS; sum++) {
                            sum(context, rank, sums.get(rank));
                            CollectiveEngine engine = group.engine(rank);
                            plans.get(rank)
                                    .put(engine.doneUpTo(), engine.layout().plan());
                        }
                    })
                    .joinWell();
            assertEquals(Map.of(1L, Plan.NONE, 3L, PLAN, 5L, PLAN, 6L, PLAN, 7L, PLAN), plans.getFirst());
            for (int rank = 0; rank < WORLD; rank++) {
                assertEquals(plans.getFirst(), plans.get(rank), "rank " + rank);
                assertEquals(Collections.nCopies(SUMS, 7f), sums.get(rank), "rank " + rank);
            }
        }
    }

    @Test
    void onlyTheLeadsPlanForThisGroupEpochCounts() throws Exception {
        try (var group = new TestGroup(WORLD, OPTIONS)) {
            String fence = group.engine(0).layout().fence();
            group.engine(0).propose(fence + "1", PLAN); // of members that are no longer these
            group.engine(1).propose(fence, PLAN); // leads nobody
            List<List<Float>> sums = results();
            group.start((rank, context) -> {
                        for (int sum = 0; sum < SUMS; sum++) {
                            sum(context, rank, sums.get(rank));
                        }
                    })
                    .joinWell();
            for (int rank = 0; rank < WORLD; rank++) {
                assertEquals(Plan.NONE, group.engine(rank).layout().plan());
                assertEquals(SUMS + 2, group.engine(rank).doneUpTo());
                assertEquals(Collections.nCopies(SUMS, 7f), sums.get(rank), "rank " + rank);
            }
        }
    }

    @Test
    void aGroupWithStepsAndAGroupOfTwoHaveNoSuchNumbers() throws Exception {
        for (int world = 2; world <= WORLD; world++) {
            boolean steps = world == WORLD;
            try (var group = new TestGroup(world, OPTIONS)) {
                List<List<Float>> sums = results();
                group.start((rank, context) -> {
                            if (steps) {
                                context.beginStep();
                            }
                            for (int sum = 0; sum < SUMS; sum++) {
                                sum(context, rank, sums.get(rank));
                            }
                        })
                        .joinWell();
                assertEquals(SUMS + (steps ? 1 : 0), group.engine(0).doneUpTo(), "world " + world);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(LossPolicy.class)
    void aLossAtAnyRecordLeavesOnePlanAndRightSums(LossPolicy policy) throws Exception {
        for (int victim = 0; victim < WORLD; victim++) {
            int after = 0;
            while (kill(policy, victim, after)) {
                after++;
            }
            assertTrue(after > 4, "the last loss of rank " + victim + " was after " + after);
        }
    }

    /** Two sums, with an agreement between them. Returns false if the victim survived both. */
    private static boolean kill(LossPolicy policy, int victim, int after) throws Exception {
        try (var group = new TestGroup(WORLD, OPTIONS.onLoss(policy))) {
            group.engine(0).propose(group.engine(0).layout().fence(), PLAN);
            NodeId dead = group.nodes.get(victim);
            List<List<Float>> sums = results();
            group.fabric.killAfter(dead, after, () -> group.told.add("killed"));
            TestGroup.Run run = group.start((rank, context) -> {
                try {
                    for (int sum = 0; sum < 2; sum++) {
                        try {
                            sum(context, rank, sums.get(rank));
                        } catch (PeerLostException lost) {
                            sums.get(rank).add(Float.NaN);
                        }
                    }
                } finally {
                    group.told.add("end");
                }
            });
            String what = group.awaitOne("killed", "end");
            for (int ends = 1; what.equals("end") && ends < WORLD; ends++) {
                what = group.awaitOne("killed", "end");
            }
            boolean isKilled = what.equals("killed");
            if (isKilled) {
                group.awaitFirstCall(group.without(dead));
                group.change(group.without(dead));
                group.end(dead);
            }
            List<Integer> kept = IntStream.range(0, WORLD)
                    .filter(rank -> !isKilled || rank != victim)
                    .boxed()
                    .toList();
            String when = policy + ", rank " + victim + " lost after " + after;
            assertEquals(Map.of(), run.join(kept), when);
            int first = kept.getFirst();
            for (int rank : kept) {
                assertEquals(sums.get(first), sums.get(rank), when);
                assertEquals(group.engine(first).doneUpTo(), group.engine(rank).doneUpTo(), when);
                assertEquals(
                        group.engine(first).layout().plan(),
                        group.engine(rank).layout().plan(),
                        when);
                assertEquals(
                        isKilled ? Plan.NONE : PLAN, group.engine(rank).layout().plan(), when);
            }
            for (float sum : sums.get(first)) {
                boolean isRight =
                        sum == 7 || sum == 7 - (1 << victim) || (Float.isNaN(sum) && policy == LossPolicy.FAIL_FAST);
                assertTrue(isRight, () -> when + ": " + sum);
            }
            return isKilled;
        }
    }
}
