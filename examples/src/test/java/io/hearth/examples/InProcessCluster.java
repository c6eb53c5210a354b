package io.hearth.examples;

import io.hearth.compression.Codec;
import io.hearth.compression.CompressionStrategy;
import io.hearth.compression.ErrorFeedback;
import io.hearth.compression.ErrorFeedback.Pending;
import io.hearth.compression.NonFiniteException;
import io.hearth.core.MalformedMessageException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Workers whose gradients are averaged as a cluster does it, without a network: each chunk is encoded by every rank, summed in
 * rank order by its owner, divided, and encoded once more for all. Error feedback wherever something is encoded.
 */
final class InProcessCluster implements AutoCloseable {
    private final int worldSize;
    private final Codec codec;
    private final boolean exactSums;
    private final ErrorFeedback feedback;
    private final Arena arena = Arena.ofConfined();
    private final MemorySegment encoded;
    private final MemorySegment gradient;
    private final MemorySegment sum;

    /** With {@code exactSums} the owner's result goes to all as it is, as sparse sums do while they stay sparse. */
    InProcessCluster(int worldSize, CompressionStrategy compression, boolean exactSums, int parameters) {
        this.worldSize = worldSize;
        this.exactSums = exactSums;
        codec = compression.codec();
        feedback = new ErrorFeedback(codec, worldSize * (worldSize + 1));
        encoded = arena.allocate(codec.encodedBytesMax(parameters));
        gradient = arena.allocate(ValueLayout.JAVA_FLOAT, parameters);
        sum = arena.allocate(ValueLayout.JAVA_FLOAT, parameters);
    }

    /** The average of the gradients of all ranks, in rank order. */
    float[] average(List<float[]> gradients) throws NonFiniteException, MalformedMessageException {
        int parameters = gradients.getFirst().length;
        float[] average = new float[parameters];
        for (int owner = 0; owner < worldSize; owner++) {
            int from = parameters * owner / worldSize;
            int count = parameters * (owner + 1) / worldSize - from;
            averageChunk(gradients, owner, from, count);
            MemorySegment.copy(sum, ValueLayout.JAVA_FLOAT, 0, average, from, count);
        }
        return average;
    }

    private void averageChunk(List<float[]> gradients, int owner, int from, int count)
            throws NonFiniteException, MalformedMessageException {
        sum.fill((byte) 0);
        for (int rank = 0; rank < worldSize; rank++) {
            MemorySegment.copy(gradients.get(rank), from, gradient, ValueLayout.JAVA_FLOAT, 0, count);
            codec.decodeAndAdd(encode(rank + "/" + owner, gradient, count), sum, count);
        }
        IntStream.range(0, count)
                .forEach(i -> sum.setAtIndex(
                        ValueLayout.JAVA_FLOAT, i, sum.getAtIndex(ValueLayout.JAVA_FLOAT, i) / worldSize));
        if (!exactSums) {
            codec.decode(encode("sum/" + owner, sum, count), sum, count);
        }
    }

    private MemorySegment encode(String key, MemorySegment values, int count) throws NonFiniteException {
        Pending pending = feedback.prepare(key, values, count, encoded);
        pending.commit();
        return encoded.asSlice(0, pending.encodedBytes());
    }

    @Override
    public void close() {
        feedback.close();
        arena.close();
    }
}
