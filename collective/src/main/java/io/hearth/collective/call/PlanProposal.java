package io.hearth.collective.call;

import io.hearth.collective.exchange.Buffers;
import io.hearth.collective.exchange.Mesh;
import io.hearth.collective.group.CallRejection;
import io.hearth.core.MalformedMessageException;
import io.hearth.topology.plan.Plan;
import io.hearth.topology.plan.PlanEncoding;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Optional;

/** The plan that a group's lead proposes in one attempt of a call, and its way to all ranks. */
public final class PlanProposal {
    private static final byte[] NO_PLAN = {};

    private final byte[] encoded;

    private PlanProposal(byte[] encoded) {
        this.encoded = encoded;
    }

    /** What this rank proposes: on the lead {@code plan}, if it is another one than the present plan and fits; on other ranks nothing. */
    public static PlanProposal of(Plan plan, Mesh mesh) {
        boolean isNew = mesh.rank() == 0
                && mesh.world() > 1
                && !plan.equals(Plan.NONE)
                && !plan.equals(mesh.plan())
                && plan.world().orElse(mesh.world()) == mesh.world();
        return new PlanProposal(isNew ? PlanEncoding.encode(plan) : NO_PLAN);
    }

    /** Size, 0 to {@link PlanEncoding#BYTES_MAX}; 0 for no proposal. */
    public int bytes() {
        return encoded.length;
    }

    /**
     * The outcome of {@link #spread}, the same on all ranks.
     *
     * @param refusal with which the number ended, if any
     * @param plan for the numbers after this one; empty if the lead's bytes are no plan
     */
    public record Spread(Optional<CallRejection> refusal, Optional<Plan> plan) {}

    /**
     * Sends the lead's plan to all ranks. A plan that they cannot read changes nothing, on all of them alike.
     *
     * @param leadBytes size of the lead's proposal, which all ranks know; 1 to {@link PlanEncoding#BYTES_MAX}
     */
    public Spread spread(OperationContext context, Buffers buffers, int leadBytes) throws IOException {
        Buffers.Buffer rows = buffers.take((long) context.world() * leadBytes);
        try {
            if (encoded.length > 0) {
                MemorySegment.copy(MemorySegment.ofArray(encoded), 0, rows.bytes(), 0, encoded.length);
            }
            Optional<CallRejection> refusal = context.gatherRows(rows.bytes(), leadBytes);
            byte[] lead = rows.bytes().asSlice(0, leadBytes).toArray(ValueLayout.JAVA_BYTE);
            return new Spread(refusal, refusal.isPresent() ? Optional.empty() : read(lead));
        } finally {
            buffers.give(rows);
        }
    }

    private static Optional<Plan> read(byte[] lead) {
        try {
            return Optional.of(PlanEncoding.decode(lead));
        } catch (MalformedMessageException unreadable) {
            return Optional.empty();
        }
    }
}
