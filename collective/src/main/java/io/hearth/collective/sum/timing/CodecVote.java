package io.hearth.collective.sum.timing;

import io.hearth.collective.Signature;
import io.hearth.collective.call.CollectiveOperation;
import io.hearth.collective.call.OperationContext;
import io.hearth.collective.choice.CodecDecision;
import io.hearth.collective.choice.CodecMeasurements;
import io.hearth.collective.choice.SumModel;
import io.hearth.collective.exchange.Buffers;
import io.hearth.collective.exchange.Mesh;
import io.hearth.collective.group.CallRejection;
import io.hearth.core.MalformedMessageException;
import io.hearth.identity.NodeId;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Optional;

/**
 * Exchanges the {@link CodecMeasurements}s of all ranks. Each rank computes the same {@link CodecDecision} from them, which is the call's
 * result.
 */
public record CodecVote(CodecDecision before, CodecMeasurements own, SumModel model, Buffers buffers)
        implements CollectiveOperation {
    @Override
    public Optional<CallRejection> attempt(OperationContext context) throws IOException {
        Mesh mesh = context.mesh();
        int codecs = before.codecs();
        long bytesEach = CodecMeasurements.bytes(codecs);
        Buffers.Buffer table = buffers.take(bytesEach * context.world());
        try {
            own.writeTo(table.bytes().asSlice(mesh.rank() * bytesEach, bytesEach));
            Optional<CallRejection> refusal = context.gatherRows(table.bytes(), bytesEach);
            if (refusal.isPresent()) {
                return refusal;
            }
            var ballots = new ArrayList<CodecMeasurements>();
            for (NodeId member : mesh.members()) {
                try {
                    ballots.add(CodecMeasurements.readFrom(
                            table.bytes().asSlice(mesh.rank(member) * bytesEach, bytesEach), codecs));
                } catch (MalformedMessageException malformed) { // all ranks have the same bytes, so all reject
                    return Optional.of(new CallRejection(
                            CallRejection.Cause.MALFORMED,
                            mesh.name(member) + " sent a malformed vote on a codec: " + malformed.getMessage()));
                }
            }
            before.next(ballots, model).writeTo(context.work());
            return Optional.empty();
        } finally {
            buffers.give(table);
        }
    }

    @Override
    public long denseBytes(Signature signature, Mesh mesh, int segmentBytes) {
        return 0;
    }
}
