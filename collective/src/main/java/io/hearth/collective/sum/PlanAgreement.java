package io.hearth.collective.sum;

import io.hearth.collective.Signature;
import io.hearth.collective.call.CollectiveOperation;
import io.hearth.collective.call.OperationContext;
import io.hearth.collective.call.PlanProposal;
import io.hearth.collective.exchange.Buffers;
import io.hearth.collective.exchange.Mesh;
import io.hearth.collective.group.CallRejection;
import io.hearth.topology.plan.Plan;
import io.hearth.topology.plan.PlanEncoding;
import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * A number in which the ranks of a script without steps take over the plan of the group's lead. Each rank sends four bytes to all: the size
 * of the plan that it proposes. If that of the lead is not 0, the plan follows.
 *
 * <p>The number has no result that a rank could lack: a rank that gets its end forwarded is in a new group epoch, with a new plan. One
 * object serves one call, through all its attempts.
 */
public final class PlanAgreement implements CollectiveOperation {
    private static final ValueLayout.OfInt SIZE = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private final Buffers buffers;
    private final Supplier<Plan> proposal;
    private Optional<Plan> agreed = Optional.empty();

    /** {@code proposal} is the plan that this member proposes if it leads the group. */
    public PlanAgreement(Buffers buffers, Supplier<Plan> proposal) {
        this.buffers = buffers;
        this.proposal = proposal;
    }

    @Override
    public Optional<CallRejection> attempt(OperationContext context) throws IOException {
        agreed = Optional.empty();
        Mesh mesh = context.mesh();
        var own = PlanProposal.of(proposal.get(), mesh);
        Buffers.Buffer sizes = buffers.take(mesh.world() * SIZE.byteSize());
        int leadBytes;
        try {
            sizes.bytes().set(SIZE, mesh.rank() * SIZE.byteSize(), own.bytes());
            Optional<CallRejection> refusal = context.gatherRows(sizes.bytes(), SIZE.byteSize());
            if (refusal.isPresent()) {
                return refusal;
            }
            leadBytes = sizes.bytes().get(SIZE, 0);
        } finally {
            buffers.give(sizes);
        }
        if (leadBytes < 0 || leadBytes > PlanEncoding.BYTES_MAX) { // on all ranks alike
            return Optional.of(new CallRejection(
                    CallRejection.Cause.MALFORMED,
                    mesh.name(mesh.members().getFirst()) + " proposes a plan of " + leadBytes + " bytes, at most "
                            + PlanEncoding.BYTES_MAX + " are allowed"));
        }
        if (leadBytes == 0) {
            return Optional.empty();
        }
        PlanProposal.Spread spread = own.spread(context, buffers, leadBytes);
        agreed = spread.plan();
        return spread.refusal();
    }

    @Override
    public Optional<Plan> plan() {
        return agreed;
    }

    @Override
    public long denseBytes(Signature signature, Mesh mesh, int segmentBytes) {
        return 0;
    }
}
