package io.hearth.bench;

import io.hearth.compression.BlockCodec;
import io.hearth.compression.Codec;
import io.hearth.compression.CompressionStrategy;
import io.hearth.compression.DgcMemory;
import io.hearth.compression.ErrorFeedback;
import io.hearth.compression.NonFiniteException;
import io.hearth.compression.PassDenseCodec;
import io.hearth.compression.SparseSum;
import io.hearth.examples.Mlp.Matrix;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * Nodes that sum in one process: what each sends is encoded and decoded as between machines, only the way of the bytes is a copy. For
 * one thread, the one that made it.
 */
final class InProcessSum implements GradientSum {
    private static final ValueLayout.OfFloat FLOAT =
            ValueLayout.JAVA_FLOAT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private final Arena arena = Arena.ofConfined();
    private final List<MemorySegment> vectors = new ArrayList<>();
    private final VectorMean way;
    private final Traffic traffic;

    /**
     * Among {@code nodes}, of gradients of {@code count} values.
     *
     * @param nodes 1 or more
     * @param matrices the parts that a strategy may treat as such, by rising index
     */
    InProcessSum(ConvergenceCodec codec, int nodes, List<Matrix> matrices, int count) {
        traffic = new Traffic(nodes, count);
        way = way(codec, nodes, matrices, count, traffic);
        for (int node = 0; node < nodes; node++) {
            vectors.add(arena.allocate((long) count * Float.BYTES, Float.BYTES));
        }
    }

    private static VectorMean way(
            ConvergenceCodec codec, int nodes, List<Matrix> matrices, int count, Traffic traffic) {
        return switch (codec.strategy()) {
            case CompressionStrategy.Coded coded -> coded(coded.codec(), coded.isOwed(), nodes, count, traffic);
            case CompressionStrategy.Dgc dgc ->
                new GatherSum(
                        new GatherSum.Decoder(SparseSum::decode, SparseSum::decodeAndAdd),
                        each(nodes, () -> dgc(dgc, nodes)),
                        count,
                        traffic);
            case CompressionStrategy.Auto auto ->
                throw new IllegalArgumentException(auto.text() + " is no codec: name those that it chooses among");
            case CompressionStrategy.PowerSgd lowRank ->
                new LowRankSum(lowRank.rank(), nodes, matrices, count, traffic);
        };
    }

    private static VectorMean coded(Codec codec, boolean remembers, int nodes, int count, Traffic traffic) {
        if (PassDenseCodec.within(codec) instanceof BlockCodec blocks) {
            boolean passesDense = codec instanceof PassDenseCodec;
            return new ShareSum(
                    blocks, passesDense, each(nodes, () -> encoder(blocks, remembers, nodes)), count, traffic);
        }
        var decoder = new GatherSum.Decoder(codec::decode, codec::decodeAndAdd);
        return new GatherSum(decoder, each(nodes, () -> encoder(codec, remembers, 1)), count, traffic);
    }

    private static List<NodeEncoder> each(int nodes, Supplier<NodeEncoder> encoder) {
        return Stream.generate(encoder).limit(nodes).toList();
    }

    private static NodeEncoder encoder(Codec codec, boolean remembers, int tensorsMax) {
        return remembers
                ? new NodeEncoder.Remembering(new ErrorFeedback(codec, tensorsMax))
                : new NodeEncoder.Forgetting(codec);
    }

    private static NodeEncoder dgc(CompressionStrategy.Dgc dgc, int nodes) {
        var memory = new DgcMemory(dgc.options(), 1);
        memory.contributors(nodes);
        return new NodeEncoder.Remembering(memory);
    }

    @Override
    public void mean(float[][] gradients) throws NonFiniteException {
        traffic.begin();
        for (int node = 0; node < gradients.length; node++) {
            MemorySegment.copy(gradients[node], 0, vectors.get(node), FLOAT, 0, gradients[node].length);
        }
        way.mean(vectors);
        for (int node = 0; node < gradients.length; node++) {
            MemorySegment.copy(vectors.get(node), FLOAT, 0, gradients[node], 0, gradients[node].length);
        }
    }

    @Override
    public Traffic traffic() {
        return traffic;
    }

    @Override
    public void close() {
        way.close();
        arena.close();
    }
}
