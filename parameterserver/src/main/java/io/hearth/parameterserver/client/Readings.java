package io.hearth.parameterserver.client;

import io.hearth.parameterserver.placement.Splitting;
import io.hearth.parameterserver.placement.Splitting.Piece;
import io.hearth.parameterserver.wire.GetParamRequest;
import io.hearth.parameterserver.wire.GetParamResponse;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Gets parameters whose pieces are of one step of synchronous servers. One thread at a time. */
final class Readings {
    private final Caller caller;
    private final Layout layout;
    private final String trainer;
    private final boolean isSynchronous;
    private final Map<String, Long> leads = new TreeMap<>(); // versions by which a piece is ahead of its parameter

    Readings(Caller caller, Layout layout, String trainer, boolean isSynchronous) {
        this.caller = caller;
        this.layout = layout;
        this.trainer = trainer;
        this.isSynchronous = isSynchronous;
    }

    /** This trainer's newest gradient is in this version of a piece, and in that version of the parameter. */
    void sent(Piece piece, long version, long ofParameter) {
        lead(piece, version - ofParameter);
    }

    private void lead(Piece piece, long versions) {
        if (versions == 0 || !isSynchronous) {
            leads.remove(piece.name());
        } else {
            leads.put(piece.name(), versions);
        }
    }

    private long lead(Piece piece) {
        return leads.getOrDefault(piece.name(), 0L);
    }

    ParameterClient.Got get(Shape shape, long versionMin) throws ParameterServerException, InterruptedException {
        List<Piece> pieces = layout.pieces(shape);
        long wanted = versionMin;
        while (true) {
            long least = wanted;
            List<GetParamResponse> answers = caller.all(
                    pieces,
                    piece -> caller.begin(
                            "GetParam",
                            GetParamRequest.newBuilder()
                                    .setName(piece.name())
                                    .setVersionMin(least + lead(piece))
                                    .setPart(layout.part(piece))
                                    .setTrainer(least > versionMin || versionMin == 0 ? trainer : "")
                                    .build(),
                            GetParamResponse.parser()));
            long lowest = Long.MAX_VALUE;
            long highest = Long.MIN_VALUE;
            for (int i = 0; i < answers.size(); i++) {
                long version = answers.get(i).getVersion() - lead(pieces.get(i));
                lowest = Math.min(lowest, version);
                highest = Math.max(highest, version);
            }
            if (lowest < highest && isSynchronous) {
                if (!isAwaited(pieces, answers, highest)) {
                    wanted = highest; // a step went by between the pieces
                    continue;
                }
                for (int i = 0; i < answers.size(); i++) {
                    lead(pieces.get(i), answers.get(i).getVersion() - lowest);
                }
            }
            List<byte[]> contents = answers.stream()
                    .map(answer -> answer.getParam().getContent().toByteArray())
                    .toList();
            return new ParameterClient.Got(shape, Splitting.join(pieces, contents), lowest);
        }
    }

    /** Whether the pieces that are behind wait for this trainer: then they do not catch up before it sends. */
    private boolean isAwaited(List<Piece> pieces, List<GetParamResponse> answers, long highest) {
        for (int i = 0; i < answers.size(); i++) {
            boolean isBehind = answers.get(i).getVersion() - lead(pieces.get(i)) < highest;
            if (isBehind && !answers.get(i).getAwaitsTrainer()) {
                return false;
            }
        }
        return true;
    }
}
