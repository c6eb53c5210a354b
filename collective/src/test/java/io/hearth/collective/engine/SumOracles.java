package io.hearth.collective.engine;

import io.hearth.accel.CodecKernels;
import io.hearth.accel.select.Engines;
import io.hearth.collective.Ownership;
import io.hearth.collective.group.Seeds;
import io.hearth.collective.sum.compressed.EncodedParts;
import io.hearth.compression.BlockCodec;
import io.hearth.compression.Codec;
import io.hearth.compression.CompressionStrategy;
import io.hearth.compression.Pending;
import io.hearth.compression.Residual;
import io.hearth.compression.Workers;
import io.hearth.compression.block.PassDenseCodec;
import io.hearth.compression.codecs.Codecs;
import io.hearth.compression.memory.DgcMemory;
import io.hearth.compression.memory.ErrorFeedback;
import io.hearth.compression.memory.GradientMemory;
import io.hearth.compression.memory.PowerRound;
import io.hearth.compression.memory.PowerSgdMemory;
import io.hearth.compression.sparse.RandomKCodec;
import io.hearth.compression.sparse.SparseSum;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

/** Expected sums of compressed gradients, computed by one thread for all ranks from the codecs and plain arithmetic. */
final class SumOracles implements AutoCloseable {
    private static final CodecKernels KERNELS = Engines.best().codecKernels();
    private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT;

    private final Arena arena = Arena.ofConfined();
    private final Map<Integer, GradientMemory> memories = new TreeMap<>();
    private final Map<Integer, PowerSgdMemory> factors = new TreeMap<>();
    private final Map<Integer, float[]> residuals = new TreeMap<>();
    private final Map<Integer, Long> steps = new TreeMap<>(); // steps so far, by rank
    private final CompressionStrategy compression;
    private final boolean isRing;
    private final int segmentBytes;
    private long number;

    SumOracles(CompressionStrategy compression, boolean isRing, int segmentBytes) {
        this.compression = compression;
        this.isRing = isRing;
        this.segmentBytes = segmentBytes;
    }

    /**
     * Expected sum of the contributions of {@code ranks}; updates the residuals of each of them.
     *
     * @param number number of the call, which seeds the codecs
     */
    float[] sum(long number, List<Integer> ranks, IntFunction<float[]> given) throws Exception {
        float[] sum = summed(number, ranks, given);
        ranks.forEach(rank -> steps.merge(rank, 1L, Long::sum));
        return sum;
    }

    private float[] summed(long number, List<Integer> ranks, IntFunction<float[]> given) throws Exception {
        this.number = number;
        var made = new TreeMap<Integer, float[]>();
        IntFunction<float[]> gradients = rank -> made.computeIfAbsent(rank, given::apply);
        int count = gradients.apply(ranks.getFirst()).length;
        if (ranks.size() == 1 && !(compression instanceof CompressionStrategy.PowerSgd)) {
            return alone(ranks.getFirst(), gradients.apply(ranks.getFirst()));
        }
        return switch (compression) {
            case CompressionStrategy.RandomK randomK -> drawn(randomK, ranks, gradients, count);
            case CompressionStrategy.Coded coded
            when Codecs.of(coded) instanceof PassDenseCodec passing
                    && PassDenseCodec.within(passing) instanceof BlockCodec codec -> {
                float[] sum = isWithinReach(codec, ranks, gradients, count)
                        ? isRing ? ring(codec, ranks, gradients, count) : direct(codec, ranks, gradients, count)
                        : plain(ranks, gradients, count);
                if (!coded.keepsResidual()) {
                    residuals.clear();
                }
                yield sum;
            }
            case CompressionStrategy.Coded coded
            when Codecs.of(coded) instanceof BlockCodec codec -> {
                float[] sum = isRing ? ring(codec, ranks, gradients, count) : direct(codec, ranks, gradients, count);
                if (!coded.keepsResidual()) {
                    residuals.clear();
                }
                yield sum;
            }
            case CompressionStrategy.PowerSgd lowRank -> lowRank(lowRank, ranks, gradients, count);
            default -> gathered(ranks, gradients, count);
        };
    }

    /** A single rank sends nothing, so it has no residual. */
    private float[] alone(int rank, float[] gradient) {
        int count = gradient.length;
        if (compression instanceof CompressionStrategy.RandomK
                || (compression instanceof CompressionStrategy.Coded coded
                        && PassDenseCodec.within(Codecs.of(coded)) instanceof BlockCodec)) {
            float[] values = gradient.clone();
            add(values, residuals(rank, count));
            Arrays.fill(residuals(rank, count), 0);
            return values;
        }
        MemorySegment values = arena.allocate(FLOAT, count);
        memory(rank).prepareDense(key(count), of(gradient), count, values).commit();
        return values.toArray(FLOAT);
    }

    private GradientMemory memory(int rank) {
        return memories.computeIfAbsent(rank, _ -> switch (compression) {
            case CompressionStrategy.Dgc dgc -> new DgcMemory(dgc.options(), 1, KERNELS, Workers.NONE);
            case CompressionStrategy.Coded coded ->
                new ErrorFeedback(Codecs.of(coded), kept(coded), 1, 0, KERNELS, Workers.NONE);
            default -> throw new IllegalArgumentException(compression.text() + " is no codec");
        });
    }

    private static Residual kept(CompressionStrategy.Coded strategy) {
        return strategy.keepsResidual() ? strategy.residual() : Residual.FLOAT32; // not used then
    }

    private boolean isWithinReach(BlockCodec codec, List<Integer> ranks, IntFunction<float[]> gradients, int count) {
        double all = 0;
        for (int rank : ranks) {
            float reach = 0;
            float largestResidual = 0;
            for (int i = 0; i < count; i++) {
                float value = gradients.apply(rank)[i];
                reach = Math.max(reach, Float.isNaN(value) ? Float.POSITIVE_INFINITY : Math.abs(value));
                largestResidual = Math.max(largestResidual, Math.abs(residuals(rank, count)[i]));
            }
            all += reach + largestResidual;
        }
        return all <= codec.largest() / 2;
    }

    /** Clears the residuals. */
    private float[] plain(List<Integer> ranks, IntFunction<float[]> gradients, int count) {
        var sent = new ArrayList<MemorySegment>();
        for (int rank : ranks) {
            float[] values = gradients.apply(rank).clone();
            add(values, residuals(rank, count));
            Arrays.fill(residuals(rank, count), 0);
            sent.add(of(values));
        }
        spread(sent);
        return sent.getFirst().toArray(FLOAT);
    }

    /** Finds the drawn values by encoding a tensor of ones. */
    private float[] drawn(
            CompressionStrategy.RandomK strategy, List<Integer> ranks, IntFunction<float[]> gradients, int count)
            throws Exception {
        if (count == 0) {
            return new float[0];
        }
        for (int rank : ranks) {
            for (float value : gradients.apply(rank)) {
                if (!Float.isFinite(value)) {
                    return plain(ranks, gradients, count);
                }
            }
        }
        var codec = new RandomKCodec(strategy.fraction(), KERNELS);
        float[] ones = new float[count];
        Arrays.fill(ones, 1);
        MemorySegment encoded = arena.allocate(codec.encodedBytesMax(count));
        codec.encode(of(ones), count, Seeds.of(number, key(count)), encoded);
        MemorySegment decoded = arena.allocate(FLOAT, count);
        codec.decode(encoded, decoded, count);
        int[] indices = IntStream.range(0, count)
                .filter(i -> decoded.getAtIndex(FLOAT, i) == 1)
                .toArray();
        var sent = new ArrayList<MemorySegment>();
        for (int rank : ranks) {
            float[] values = gradients.apply(rank).clone();
            add(values, residuals(rank, count));
            MemorySegment own = arena.allocate(FLOAT, indices.length);
            for (int i = 0; i < indices.length; i++) {
                own.setAtIndex(FLOAT, i, values[indices[i]]);
                values[indices[i]] = 0;
            }
            System.arraycopy(strategy.keepsResidual() ? values : new float[count], 0, residuals(rank, count), 0, count);
            sent.add(own);
        }
        spread(sent);
        float[] sum = new float[count];
        for (int i = 0; i < indices.length; i++) {
            sum[indices[i]] = sent.getFirst().getAtIndex(FLOAT, i);
        }
        return sum;
    }

    private float[] gathered(List<Integer> ranks, IntFunction<float[]> gradients, int count) throws Exception {
        var sent = new ArrayList<MemorySegment>();
        long bytes = 0;
        for (int rank : ranks) {
            GradientMemory memory = memory(rank);
            if (memory instanceof DgcMemory dgc) {
                dgc.contributors(ranks.size());
            }
            MemorySegment encoded = arena.allocate(memory.encodedBytesMax(count));
            MemorySegment gradient = of(gradients.apply(rank));
            Pending pending = memory instanceof ErrorFeedback feedback
                    ? feedback.prepare(key(count), gradient, count, Seeds.of(number, key(count)), encoded)
                    : memory.prepare(key(count), gradient, count, encoded);
            if (compression instanceof CompressionStrategy.Coded coded && !coded.keepsResidual()) {
                pending.rollback();
            } else {
                pending.commit();
            }
            bytes += pending.encodedBytes();
            MemorySegment decoded = arena.allocate(FLOAT, count);
            SparseSum.decode(encoded.asSlice(0, pending.encodedBytes()), decoded, count);
            sent.add(decoded);
        }
        if (bytes > 2L * count * Float.BYTES) { // they travel uncompressed round the ring
            spread(sent);
            return sent.getFirst().toArray(FLOAT);
        }
        float[] sum = new float[count];
        sent.forEach(decoded -> add(sum, decoded.toArray(FLOAT)));
        return sum;
    }

    /** Columns of a tensor that is taken as a nearly square matrix. */
    static int columns(int count) {
        return (int) Math.ceil(Math.sqrt(count));
    }

    private static String key(int count) {
        return "float32[" + count + "]";
    }

    private float[] direct(BlockCodec codec, List<Integer> ranks, IntFunction<float[]> gradients, int count)
            throws Exception {
        var layout = EncodedParts.of(codec, count, ranks.size(), segmentBytes);
        long draw = Seeds.of(number, key(count));
        float[] sum = new float[count];
        for (int rank : ranks) {
            float[] values = gradients.apply(rank).clone();
            add(values, residuals(rank, count));
            long own = Seeds.by(draw, ranks.indexOf(rank));
            MemorySegment whole = of(values);
            float[] sent = new float[count];
            for (long part = 0; part < layout.parts(); part++) {
                MemorySegment encoded = arena.allocate(layout.slotBytes());
                long bytes = codec.encodePart(whole, layout.first(part), layout.values(part), own, encoded);
                decode(codec, encoded.asSlice(0, bytes), layout.first(part), layout.values(part), sent);
            }
            for (int i = 0; i < count; i++) {
                residuals(rank, count)[i] = values[i] - sent[i];
                sum[i] = rank == ranks.getFirst() ? sent[i] : sum[i] + sent[i];
            }
            keep(rank, count, 0, count, 0);
        }
        float[] result = new float[count];
        for (long part = 0; part < layout.parts(); part++) {
            long first = layout.first(part);
            MemorySegment values = of(Arrays.copyOfRange(sum, (int) first, (int) (first + layout.values(part))));
            MemorySegment encoded = arena.allocate(layout.slotBytes());
            long bytes = codec.encode(values, layout.values(part), draw + part, encoded);
            decode(codec, encoded.asSlice(0, bytes), first, layout.values(part), result);
            int owning = ranks.get(owner(layout, part, ranks.size()));
            float[] owner = residuals(owning, count);
            for (int i = (int) first; i < first + layout.values(part); i++) {
                owner[i] += sum[i] - result[i];
            }
            keep(owning, count, first, first + layout.values(part), 1);
        }
        return result;
    }

    private static int owner(EncodedParts layout, long part, int world) {
        var shares = Ownership.EQUAL.shares(layout.parts(), world);
        int owner = 0;
        while (part >= shares.start(owner) + shares.count(owner)) {
            owner++;
        }
        return owner;
    }

    private void decode(BlockCodec codec, MemorySegment encoded, long first, long count, float[] into)
            throws Exception {
        MemorySegment values = arena.allocate(FLOAT, count);
        codec.decode(encoded, values, count);
        MemorySegment.copy(values, FLOAT, 0, into, (int) first, (int) count);
    }

    /** Sum round the ring. Positions are ranks; position c begins with chunk c. */
    private float[] ring(BlockCodec codec, List<Integer> ranks, IntFunction<float[]> gradients, int count)
            throws Exception {
        int world = ranks.size();
        var layout = EncodedParts.of(codec, count, world, segmentBytes);
        float[] result = new float[count];
        for (int chunk = 0; chunk < world; chunk++) {
            long from = chunk * (layout.parts() / world) + Math.min(chunk, layout.parts() % world);
            long parts = layout.parts() / world + (chunk < layout.parts() % world ? 1 : 0);
            int first = (int) Math.min(count, layout.first(from));
            int end = (int) Math.min(count, layout.first(from + parts));
            float[] carried = new float[end - first];
            for (int step = 0; step < world; step++) {
                int rank = ranks.get((chunk + step) % world);
                float[] values = new float[end - first];
                for (int i = first; i < end; i++) {
                    float sum = step == 0
                            ? gradients.apply(rank)[i]
                            : carried[i - first] + gradients.apply(rank)[i];
                    values[i - first] = sum + residuals(rank, count)[i];
                }
                carried = carried(codec, values);
                for (int i = first; i < end; i++) {
                    residuals(rank, count)[i] = values[i - first] - carried[i - first];
                }
                keep(rank, count, first, end, 0);
            }
            System.arraycopy(carried, 0, result, first, end - first);
        }
        return result;
    }

    /** Residuals kept as half of each float32, rounded up or down at random, seeded by index and step. */
    private void keep(int rank, int count, long first, long end, int more) {
        if (!(compression instanceof CompressionStrategy.Coded coded) || coded.residual() != Residual.BFLOAT16) {
            return;
        }
        long step = steps.getOrDefault(rank, 0L) + 1;
        long draw = step * 0x9e37_79b9_7f4a_7c15L + ((long) key(count).hashCode() << 32) + more;
        float[] own = residuals(rank, count);
        for (int i = (int) first; i < end; i++) {
            int mixed = ((int) (draw ^ (draw >>> 32)) + i) * 0x9e37_79b1;
            mixed = (mixed ^ (mixed >>> 16)) * 0x85eb_ca6b;
            mixed = (mixed ^ (mixed >>> 13)) * 0xc2b2_ae35;
            int chance = (mixed ^ (mixed >>> 16)) & 0xffff;
            own[i] = Float.intBitsToFloat((Float.floatToRawIntBits(own[i]) + chance) & 0xffff_0000);
        }
    }

    private float[] lowRank(
            CompressionStrategy.PowerSgd strategy, List<Integer> ranks, IntFunction<float[]> gradients, int count)
            throws Exception {
        int columns = columns(count);
        var rounds = new TreeMap<Integer, PowerRound>();
        for (int rank : ranks) {
            PowerSgdMemory memory = factors.computeIfAbsent(
                    rank,
                    _ -> new PowerSgdMemory(strategy.rank(), strategy.residual() != Residual.NONE, 0, 1, KERNELS));
            MemorySegment gradient = of(gradients.apply(rank));
            if (ranks.size() == 1) {
                memory.prepareDense(key(count), gradient, count, columns, arena.allocate(FLOAT, count))
                        .commit();
                return gradients.apply(rank);
            }
            rounds.put(rank, memory.begin(key(count), gradient, count, columns));
        }
        spread(rounds.values().stream().map(PowerRound::left).toList());
        for (PowerRound round : rounds.values()) {
            round.leftSummed(1);
        }
        spread(rounds.values().stream().map(PowerRound::right).toList());
        MemorySegment result = arena.allocate(FLOAT, count);
        for (PowerRound round : rounds.values()) {
            round.rightSummed(1);
            round.deliver(result);
            round.commit();
        }
        return result.toArray(FLOAT);
    }

    /** Replaces each contribution by the sum of all, added in the order of a ring: chunk c from position c on. */
    private static void spread(List<MemorySegment> all) {
        int world = all.size();
        int count = (int) (all.getFirst().byteSize() / Float.BYTES);
        for (int i = 0; i < count; i++) {
            int chunk = chunkOf(i, count, world);
            float sum = all.get(chunk).getAtIndex(FLOAT, i);
            for (int step = 1; step < world; step++) {
                sum = all.get((chunk + step) % world).getAtIndex(FLOAT, i) + sum;
            }
            for (MemorySegment one : all) {
                one.setAtIndex(FLOAT, i, sum);
            }
        }
    }

    private static int chunkOf(int index, int count, int world) {
        int chunk = 0;
        int end = 0;
        while (true) {
            end += count / world + (chunk < count % world ? 1 : 0);
            if (index < end) {
                return chunk;
            }
            chunk++;
        }
    }

    private float[] residuals(int rank, int count) {
        return residuals.computeIfAbsent(rank, _ -> new float[count]);
    }

    private float[] carried(Codec codec, float[] values) throws Exception {
        MemorySegment encoded = arena.allocate(codec.encodedBytesMax(values.length));
        long bytes = codec.encode(of(values), values.length, encoded);
        MemorySegment decoded = arena.allocate(FLOAT, values.length);
        codec.decode(encoded.asSlice(0, bytes), decoded, values.length);
        return decoded.toArray(FLOAT);
    }

    private MemorySegment of(float[] values) {
        MemorySegment memory = arena.allocate(FLOAT, values.length);
        MemorySegment.copy(values, 0, memory, FLOAT, 0, values.length);
        return memory;
    }

    private static void add(float[] sum, float[] values) {
        for (int i = 0; i < sum.length; i++) {
            sum[i] += values[i];
        }
    }

    @Override
    public void close() {
        memories.values().forEach(GradientMemory::close);
        factors.values().forEach(PowerSgdMemory::close);
        arena.close();
    }
}
