package io.hearth.bench;

import io.hearth.compression.BlockCodec;
import io.hearth.compression.Codec;
import io.hearth.compression.CompressionStrategy;
import io.hearth.compression.PassDenseCodec;
import io.hearth.core.HearthException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.function.Consumer;

/**
 * Judges codecs by sums, made as the collectives make them: each contributor's encoding is decoded and added. If the codec has
 * blocks, the sum's owner encodes it once more and decodes what it encoded; a sum of sparse encodings is not rounded again. Nothing
 * is remembered from one sum to the next, so what error feedback brings is not in these figures.
 *
 * <p>All but the speeds is a pure function of the plan.
 */
public final class CodecBench {
    private static final long SEED = 41;

    private final CodecSpeed speed;

    /** By the machine's clock. */
    public CodecBench() {
        this(CodecSpeed.USUAL);
    }

    CodecBench(CodecSpeed speed) {
        this.speed = speed;
    }

    /** Tells one line for each distribution, codec and number of nodes, in this order. */
    public void run(CodecBenchPlan plan, Consumer<CodecLine> lines) throws HearthException {
        for (Distribution distribution : Distribution.values()) {
            try (var arena = Arena.ofConfined()) {
                var gradients = new MemorySegment[plan.nodesMax()];
                for (int node = 0; node < gradients.length; node++) {
                    gradients[node] = arena.allocate((long) plan.values() * Float.BYTES, Long.BYTES);
                    distribution.fill(gradients[node], SEED + node);
                }
                for (CompressionStrategy.Coded strategy : plan.codecs()) {
                    run(plan, distribution, strategy, gradients, lines);
                }
            }
        }
    }

    private void run(
            CodecBenchPlan plan,
            Distribution distribution,
            CompressionStrategy.Coded strategy,
            MemorySegment[] gradients,
            Consumer<CodecLine> lines)
            throws HearthException {
        try (var arena = Arena.ofConfined()) {
            Codec codec = strategy.codec();
            long count = plan.values();
            long bytes = count * Float.BYTES;
            MemorySegment room = arena.allocate(codec.encodedBytesMax(count), Long.BYTES);
            MemorySegment sum = arena.allocate(bytes, Long.BYTES);
            double encode = speed.gbPerSecond(bytes, () -> codec.encode(gradients[0], count, room));
            MemorySegment encoded = room.asSlice(0, codec.encode(gradients[0], count, room));
            double decode = speed.gbPerSecond(bytes, () -> codec.decodeAndAdd(encoded, sum, count));
            for (int nodes : plan.nodes()) {
                long uploaded = sum(strategy, gradients, nodes, room, sum);
                SumError error = SumError.of(sum, exact(gradients, nodes, plan.values()));
                lines.accept(new CodecLine(
                        strategy.text(),
                        nodes,
                        distribution,
                        error.relativeL2(),
                        error.bias(),
                        (double) bytes * nodes / uploaded,
                        encode,
                        decode));
            }
        }
    }

    /** Sums the first {@code nodes} gradients over what {@code sum} held; bytes of all their encodings. */
    private static long sum(
            CompressionStrategy.Coded strategy,
            MemorySegment[] gradients,
            int nodes,
            MemorySegment room,
            MemorySegment sum)
            throws HearthException {
        Codec codec = strategy.codec();
        long count = sum.byteSize() / Float.BYTES;
        boolean alike =
                strategy instanceof CompressionStrategy.RandomK; // indices agree; else roundings are independent
        long uploaded = 0;
        sum.fill((byte) 0);
        for (int node = 0; node < nodes; node++) {
            long bytes = codec.encode(gradients[node], count, alike ? SEED : SEED + node, room);
            codec.decodeAndAdd(room.asSlice(0, bytes), sum, count);
            uploaded += bytes;
        }
        if (PassDenseCodec.within(codec) instanceof BlockCodec) {
            long bytes = codec.encode(sum, count, SEED + nodes, room);
            codec.decode(room.asSlice(0, bytes), sum, count);
        }
        return uploaded;
    }

    private static double[] exact(MemorySegment[] gradients, int nodes, int count) {
        double[] exact = new double[count];
        for (int node = 0; node < nodes; node++) {
            for (int i = 0; i < count; i++) {
                exact[i] += gradients[node].get(Distribution.FLOAT, (long) i * Float.BYTES);
            }
        }
        return exact;
    }
}
