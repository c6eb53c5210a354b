package io.hearth.collective.state;

import io.hearth.collective.CollectiveProgress;
import io.hearth.collective.Signature;
import io.hearth.collective.StepStart;
import io.hearth.collective.call.CollectiveOperation;
import io.hearth.collective.call.OperationContext;
import io.hearth.collective.call.PlanProposal;
import io.hearth.collective.exchange.Buffers;
import io.hearth.collective.exchange.GiveUpException;
import io.hearth.collective.exchange.Mesh;
import io.hearth.collective.exchange.watch.ProgressReporter;
import io.hearth.collective.group.CallRejection;
import io.hearth.core.Clock;
import io.hearth.identity.NodeId;
import io.hearth.topology.LinkReport;
import io.hearth.topology.plan.Plan;
import io.hearth.transport.StreamSource;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The boundary before a step. All ranks agree on the group's shared state, and ranks with another state fetch it. No rank continues
 * before all ranks have reported that they hold it.
 *
 * <ol>
 *   <li>Each rank's {@link StateClaim} goes to all ranks. From the claims, each rank computes the same {@link StateVote}.
 *   <li>If the group's lead proposes a plan, it goes to all ranks; they use it from the next number on.
 *   <li>Ranks that lack the state fetch it over separate streams; ranks that hold it serve them meanwhile.
 *   <li>Each rank sends one byte to all: "I hold it". If all held it before, the claims have shown that already.
 * </ol>
 *
 * <p>One object serves one call, through all its attempts. The application's thread is inside the call, so the state changes only
 * here. The call's buffer has {@link StateClaim#BYTES} bytes; after a successful attempt it holds the agreed claim.
 */
public final class StepBoundary implements CollectiveOperation {
    private static final Logger LOG = LoggerFactory.getLogger(StepBoundary.class);
    private static final byte HELD = 1;

    /** Boundaries in a row at which a member's state may differ before that is a warning: an error of memory happens once. */
    private static final int DIFFERENCES_TOLD = 3;

    private final SharedState state;
    private final Means means;
    private final int leastRanks;
    private String lineage = "";
    private @Nullable StateManifest own;
    private long spentNanos;
    private boolean replaced;
    private Optional<Plan> agreedPlan = Optional.empty();

    /**
     * The resources of a boundary; all borrowed.
     *
     * @param links measured by this node
     * @param proposal the plan that this member proposes if it leads the group
     * @param budget most time for fetching, in all attempts together; positive
     * @param progress gets the progress of a fetch
     */
    public record Means(
            String group,
            StreamSource streams,
            Buffers buffers,
            Clock clock,
            LinkReport links,
            Supplier<Plan> proposal,
            Duration budget,
            CollectiveProgress progress) {
        /** Default of {@link #budget()}. */
        static final Duration BUDGET_DEFAULT = Duration.ofSeconds(10);

        public Means {
            if (!budget.isPositive()) {
                throw new IllegalArgumentException("stateBudget must be positive, got " + budget);
            }
        }
    }

    public StepBoundary(SharedState state, Means means) {
        this(state, means, 1);
    }

    /** Boundary of a rank that begins its first step only in a group of at least {@code leastRanks} ranks. */
    public StepBoundary(SharedState state, Means means, int leastRanks) {
        this.state = state;
        this.means = means;
        this.leastRanks = leastRanks;
    }

    @Override
    public int leastRanks() {
        return leastRanks;
    }

    @Override
    public Optional<Plan> plan() {
        return agreedPlan;
    }

    /**
     * Passes the boundary, once the call is done.
     *
     * @param agreed the call's buffer
     */
    public StepStart pass(MemorySegment agreed) {
        long step = StateClaim.readFrom(agreed, 0).revision();
        if (state.passed(lineage, step, replaced) == DIFFERENCES_TOLD) {
            LOG.warn(
                    "this rank's shared state differed from the group's at {} steps in a row, and was sent to it again each time:"
                            + " share only what all ranks compute alike",
                    DIFFERENCES_TOLD);
        }
        return new StepStart(step, replaced);
    }

    /**
     * Whether any member passed its first boundary of the lineage, and so does not know earlier agreements. The answer is the same
     * on all ranks.
     */
    public static boolean hasNewcomers(MemorySegment agreed) {
        return StateClaim.readFrom(agreed, 0).joined();
    }

    /** The others may have continued without this member's state. */
    @Override
    public void cameBack() {
        state.left();
    }

    /** {@inheritDoc} Throws {@link GiveUpException} if this rank cannot get the state. */
    @Override
    public Optional<CallRejection> attempt(OperationContext context) throws IOException {
        StateManifest held = own == null ? state.manifest() : own;
        own = held;
        lineage = context.mesh().lineage();
        agreedPlan = Optional.empty();
        var proposed = PlanProposal.of(means.proposal().get(), context.mesh());
        Buffers.Buffer table = means.buffers().take((long) context.mesh().world() * StateClaim.BYTES);
        try {
            var mine = new StateClaim(
                    state.revision(),
                    held.digest(),
                    state.isNewIn(lineage),
                    nearest(context.mesh()),
                    state.isResumed(),
                    proposed.bytes());
            mine.writeTo(table.bytes(), (long) context.mesh().rank() * StateClaim.BYTES);
            Optional<CallRejection> refusal = context.gatherRows(table.bytes(), StateClaim.BYTES);
            return refusal.isPresent() ? refusal : settle(context, table.bytes(), held, proposed);
        } finally {
            means.buffers().give(table);
        }
    }

    private Optional<CallRejection> settle(
            OperationContext context, MemorySegment table, StateManifest held, PlanProposal proposed)
            throws IOException {
        Mesh mesh = context.mesh();
        var claims = new ArrayList<StateClaim>();
        for (NodeId member : mesh.members()) {
            try {
                claims.add(StateClaim.readFrom(table, (long) mesh.rank(member) * StateClaim.BYTES)
                        .requireSuccessor());
            } catch (IllegalArgumentException malformed) { // all ranks have the same bytes, so all reject
                return Optional.of(new CallRejection(
                        CallRejection.Cause.MALFORMED,
                        mesh.name(member) + " sent a malformed claim to a state: " + malformed.getMessage()));
            }
        }
        Optional<StateVote.Disagreement> disagreement = StateVote.disagreement(claims);
        if (disagreement.isPresent()) { // on all ranks, as above
            return Optional.of(refusal(mesh, disagreement.get()));
        }
        int planBytes = claims.getFirst().planBytes();
        if (planBytes > 0) {
            PlanProposal.Spread spread = proposed.spread(context, means.buffers(), planBytes);
            if (spread.refusal().isPresent()) {
                return spread.refusal();
            }
            agreedPlan = spread.plan();
        }
        StateVote vote = StateVote.decide(claims);
        int rank = mesh.members().indexOf(mesh.self());
        List<Integer> sources = vote.sources().get(rank);
        if (sources == null) {
            state.staging().close(); // chunks of an earlier call are of no more use
        } else {
            fetch(context, vote.agreed(), sources, held);
        }
        state.takeOver(vote.agreed().revision());
        vote.agreed()
                .joinedBy(claims.stream().anyMatch(StateClaim::joined))
                .writeTo(context.call().work().bytes(), 0);
        return vote.sources().isEmpty() ? Optional.empty() : awaitAll(context, vote.fetchersFrom(rank), held, table);
    }

    private static CallRejection refusal(Mesh mesh, StateVote.Disagreement apart) {
        return new CallRejection(
                CallRejection.Cause.MISMATCH,
                mesh.name(mesh.members().getFirst()) + " begins at step " + apart.leadStep() + ", "
                        + mesh.name(mesh.members().get(apart.rank())) + " resumes at step " + apart.step()
                        + ": load the same checkpoint on all ranks, or call resumeAt() on rank 0 alone");
    }

    private void fetch(OperationContext context, StateClaim agreed, List<Integer> sources, StateManifest held)
            throws IOException {
        Mesh mesh = context.mesh();
        long startNanos = means.clock().nanoTime();
        var task = new StateFetcher.Task(
                state,
                held,
                agreed,
                sources.stream().map(mesh.members()::get).toList(),
                mesh,
                context.call().number,
                means.budget().toNanos() - spentNanos,
                StateFetcher.text(means.budget()),
                new ProgressReporter(means.progress(), means.clock(), CollectiveProgress.What.STATE));
        try {
            own = new StateFetcher(task).fetch(new StateStreams(means.streams(), mesh, means.group()), means.clock());
            replaced = true;
        } finally {
            spentNanos += means.clock().nanoTime() - startNanos;
        }
    }

    /** Serves the ranks that lack the state until all ranks hold it. */
    private Optional<CallRejection> awaitAll(
            OperationContext context, List<Integer> fetchers, StateManifest held, MemorySegment table)
            throws IOException {
        Mesh mesh = context.mesh();
        table.asSlice(mesh.rank(), 1).fill(HELD);
        if (fetchers.isEmpty()) {
            return context.gatherRows(table, 1);
        }
        try (var streams = new StateStreams(means.streams(), mesh, means.group())) {
            for (int fetcher : fetchers) {
                NodeId peer = mesh.members().get(fetcher);
                var server = new StateServer(state, held, streams, peer, fetcher, context.call().number);
                streams.start("hearth-state-to-" + peer.shortText(), server::run);
            }
            return context.gatherRows(table, 1);
        }
    }

    /** Other members, nearest first; unmeasured ones last, in rank order. */
    private List<Integer> nearest(Mesh mesh) {
        List<NodeId> members = mesh.members();
        return members.stream()
                .filter(member -> !member.equals(mesh.self()))
                .sorted(Comparator.comparingLong(this::roundTripNanos))
                .limit(StateClaim.SOURCES_MAX)
                .map(members::indexOf)
                .toList();
    }

    private long roundTripNanos(NodeId member) {
        LinkReport.Measured link = means.links().links().get(member);
        return link == null || link.roundTripNanos() == 0 ? Long.MAX_VALUE : link.roundTripNanos();
    }

    @Override
    public long denseBytes(Signature signature, Mesh mesh, int segmentBytes) {
        return 0;
    }
}
