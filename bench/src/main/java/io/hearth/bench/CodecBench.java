package io.hearth.bench;

import io.hearth.compression.BlockCodec;
import io.hearth.compression.Codec;
import io.hearth.compression.CompressionStrategy;
import io.hearth.compression.block.PassDenseCodec;
import io.hearth.compression.codecs.Codecs;
import io.hearth.core.HearthException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.function.Consumer;

/**
 * Measures codecs by sums, computed as the collectives compute them: the encoding of each contributor is decoded and added. If the codec has blocks, the owner of the sum encodes it once more and decodes that encoding. A sum of sparse encodings is not rounded again. There is no memory from one sum to the next, so the results do not include error feedback.
 *
 * <p>All results but the speeds are a pure function of the plan.
 */
public final class CodecBench {
    private static final long SEED = 41;

    private final CodecSpeed speed;

    /** A benchmark with the clock of this machine. */
    public CodecBench() {
        this(CodecSpeed.USUAL);
    }

    CodecBench(CodecSpeed speed) {
        this.speed = speed;
    }

    /** Gives {@code lines} one line for each distribution, codec and number of nodes, in this order. */
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
            Codec codec = Codecs.of(strategy);
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

    /** Writes the sum of the first {@code nodes} gradients to {@code sum}; returns the bytes of all their encodings. */
    private static long sum(
            CompressionStrategy.Coded strategy,
            MemorySegment[] gradients,
            int nodes,
            MemorySegment room,
            MemorySegment sum)
            throws HearthException {
        Codec codec = Codecs.of(strategy);
        long count = sum.byteSize() / Float.BYTES;
        boolean alike = strategy
                instanceof
                CompressionStrategy.RandomK; // all nodes send the same indices; other codecs round independently
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
