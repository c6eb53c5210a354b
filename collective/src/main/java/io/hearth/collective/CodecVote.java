package io.hearth.collective;

import io.hearth.collective.choice.CodecBallot;
import io.hearth.collective.choice.CodecDecision;
import io.hearth.collective.choice.SumModel;
import io.hearth.core.MalformedMessageException;
import io.hearth.identity.NodeId;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Optional;

/** All ranks show their {@link CodecBallot}s and come to one {@link CodecDecision}, the call's result, without another word. */
record CodecVote(CodecDecision before, CodecBallot own, SumModel model, Buffers buffers) implements Contribution {
    @Override
    public Optional<Refusal> attempt(Place place) throws IOException {
        Mesh mesh = place.mesh();
        int codecs = before.codecs();
        long bytesEach = CodecBallot.bytes(codecs);
        Buffers.Buffer table = buffers.take(bytesEach * place.world());
        try {
            own.writeTo(table.bytes().asSlice(mesh.rank() * bytesEach, bytesEach));
            Optional<Refusal> refusal = place.gatherRows(table.bytes(), bytesEach);
            if (refusal.isPresent()) {
                return refusal;
            }
            var ballots = new ArrayList<CodecBallot>();
            for (NodeId member : mesh.members()) {
                try {
                    ballots.add(CodecBallot.readFrom(
                            table.bytes().asSlice(mesh.rank(member) * bytesEach, bytesEach), codecs));
                } catch (MalformedMessageException malformed) { // all ranks have the same bytes and come to this
                    return Optional.of(new Refusal(
                            Refusal.Cause.MALFORMED,
                            mesh.name(member) + " cast no vote on a codec: " + malformed.getMessage()));
                }
            }
            before.next(ballots, model).writeTo(place.work());
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
