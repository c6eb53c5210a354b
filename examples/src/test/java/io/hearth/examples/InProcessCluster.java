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

/**
 * Workers whose gradients are averaged as a cluster does it, without a network: every rank encodes its own gradient with error
 * feedback, and all encodings are decoded and added in rank order.
 */
final class InProcessCluster implements AutoCloseable {
    private final int worldSize;
    private final Codec codec;
    private final ErrorFeedback feedback;
    private final Arena arena = Arena.ofConfined();
    private final MemorySegment encoded;
    private final MemorySegment gradient;
    private final MemorySegment sum;

    InProcessCluster(int worldSize, CompressionStrategy compression, int parameters) {
        this.worldSize = worldSize;
        codec = ((CompressionStrategy.Coded) compression).codec();
        feedback = new ErrorFeedback(codec, worldSize);
        encoded = arena.allocate(codec.encodedBytesMax(parameters));
        gradient = arena.allocate(ValueLayout.JAVA_FLOAT, parameters);
        sum = arena.allocate(ValueLayout.JAVA_FLOAT, parameters);
    }

    /** The average of the gradients of all ranks. */
    float[] average(List<float[]> gradients) throws NonFiniteException, MalformedMessageException {
        int count = gradients.getFirst().length;
        sum.fill((byte) 0);
        for (int rank = 0; rank < worldSize; rank++) {
            MemorySegment.copy(gradients.get(rank), 0, gradient, ValueLayout.JAVA_FLOAT, 0, count);
            codec.decodeAndAdd(encode("rank " + rank, count), sum, count);
        }
        float[] average = new float[count];
        for (int i = 0; i < count; i++) {
            average[i] = sum.getAtIndex(ValueLayout.JAVA_FLOAT, i) / worldSize;
        }
        return average;
    }

    private MemorySegment encode(String key, int count) throws NonFiniteException {
        Pending pending = feedback.prepare(key, gradient, count, encoded);
        pending.commit();
        return encoded.asSlice(0, pending.encodedBytes());
    }

    @Override
    public void close() {
        feedback.close();
        arena.close();
    }
}
