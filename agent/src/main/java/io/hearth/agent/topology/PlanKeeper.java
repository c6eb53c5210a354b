package io.hearth.agent.topology;

import io.hearth.collective.group.GroupLayout;
import io.hearth.collective.group.GroupPlan;
import io.hearth.collective.group.MeasuredLinks;
import io.hearth.core.Clock;
import io.hearth.identity.NodeId;
import io.hearth.topology.LinkReports;
import io.hearth.topology.plan.LinkMatrix;
import io.hearth.topology.plan.Plan;
import io.hearth.topology.plan.Planner;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Plans this node's group again when the measurements changed, on a thread of its own, while this node leads the group. The engine proposes
 * the plan at the beginning of the next step.
 */
public final class PlanKeeper implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(PlanKeeper.class);
    private static final long REST_NANOS = 1_000_000_000;
    private static final long CLOSE_MILLIS = 5_000;

    /** Size of a typical sum; plans are compared by their time for it. */
    private static final long TYPICAL_BYTES = 16L * 1024 * 1024;

    private final NodeId self;
    private final Supplier<GroupLayout> layouts;
    private final BiConsumer<String, Plan> proposals;
    private final Clock clock;
    private final Consumer<Throwable> failed;
    private final AtomicReference<Optional<Thread>> planning =
            new AtomicReference<>(Optional.empty()); // set by the owner thread, emptied by the planning thread
    private long plannedChanges = -1;
    private GroupLayout plannedLayout = GroupLayout.NONE;
    private long plannedNanos;

    /**
     * A keeper that has not planned.
     *
     * @param layouts the present layout of this node's group; {@link GroupLayout#NONE} for an agent, which plans nothing
     * @param proposals takes the fence of a layout and the next plan for it; called by the planning thread
     * @param failed takes an error of the planning thread
     */
    public PlanKeeper(
            NodeId self,
            Supplier<GroupLayout> layouts,
            BiConsumer<String, Plan> proposals,
            Clock clock,
            Consumer<Throwable> failed) {
        this.self = self;
        this.layouts = layouts;
        this.proposals = proposals;
        this.clock = clock;
        this.failed = failed;
        this.plannedNanos = clock.nanoTime() - REST_NANOS;
    }

    /** Starts the thread if there is something new to plan. Owner thread only. */
    public void drive(LinkReports reports) {
        long now = clock.nanoTime();
        if (now - plannedNanos < REST_NANOS || planning.get().isPresent()) {
            return;
        }
        GroupLayout layout = layouts.get();
        boolean isLead =
                layout.members().size() > 1 && layout.members().getFirst().equals(self);
        if (!isLead || (reports.changes() == plannedChanges && layout.equals(plannedLayout))) {
            return;
        }
        plannedChanges = reports.changes();
        plannedLayout = layout;
        plannedNanos = now;
        SortedMap<NodeId, MeasuredLinks> measured = new TreeMap<>();
        reports.all().forEach((node, report) -> measured.put(node, MeasuredLinks.of(report)));
        Optional<LinkMatrix> links = GroupPlan.links(layout.members(), measured);
        if (links.isPresent() && links.get().hasRates()) {
            Thread thread = Thread.ofPlatform().daemon().name("hearth-plan").unstarted(() -> plan(layout, links.get()));
            planning.set(Optional.of(thread));
            thread.start();
        }
    }

    private void plan(GroupLayout layout, LinkMatrix links) {
        try {
            Plan next = Planner.next(layout.plan(), links, TYPICAL_BYTES);
            LOG.debug("plan {}", next);
            proposals.accept(layout.fence(), next);
        } catch (RuntimeException | Error bug) {
            failed.accept(bug);
        } finally {
            planning.set(Optional.empty());
        }
    }

    /** Waits for the planning thread, whose work is bounded. */
    @Override
    public void close() {
        List<Thread> running = planning.get().stream().toList();
        try {
            for (Thread thread : running) {
                thread.join(CLOSE_MILLIS);
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
