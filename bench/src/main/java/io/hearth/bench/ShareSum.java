package io.hearth.bench;

import io.hearth.accel.Engines;
import io.hearth.accel.Reducer;
import io.hearth.compression.BlockCodec;
import io.hearth.compression.NonFiniteException;
import io.hearth.core.DataType;
import io.hearth.core.MalformedMessageException;
import io.hearth.core.ReduceOp;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * A direct sum through a codec that can encode parts: each node owns a share of the vector. A contributor encodes each share once and
 * sends it to its owner; the owner decodes and adds in rank order, encodes the sum once and sends that to all; everybody, the
 * owner too, decodes these bytes. So the error does not grow with the number of nodes, and all hold the same bits.
 *
 * <p>Where plain values are to pass, all nodes tell first how far theirs reach; if that is too far, plain values are summed, round a ring.
 */
final class ShareSum implements VectorMean {
    private static final long REACH_BYTES = Double.BYTES;

    /** Sums that are rounded on the way reach a little further than exact ones. */
    private static final float MARGIN = 2;

    private final BlockCodec codec;
    private final boolean passesDense;
    private final List<NodeEncoder> contributors;
    private final NodeEncoder owners;
    private final long count;
    private final Traffic traffic;
    private final Reducer reducer = Engines.best().newReducer();
    private final Arena arena = Arena.ofConfined();
    private final MemorySegment encoded;
    private final MemorySegment sum;

    /**
     * Of vectors of {@code count} values.
     *
     * @param passesDense what the codec cannot carry goes as plain values, and else refuses the sum
     * @param contributors one for each node, by rank; kept and closed
     */
    ShareSum(BlockCodec codec, boolean passesDense, List<NodeEncoder> contributors, long count, Traffic traffic) {
        this.codec = codec;
        this.passesDense = passesDense;
        this.contributors = List.copyOf(contributors);
        this.owners = new NodeEncoder.Forgetting(codec);
        this.count = count;
        this.traffic = traffic;
        encoded = arena.allocate(codec.encodedBytesMax(count));
        sum = arena.allocate(count * Float.BYTES, Float.BYTES);
    }

    @Override
    public void mean(List<MemorySegment> vectors) throws NonFiniteException {
        sum(vectors);
        vectors.forEach(vector -> reducer.divide(DataType.FLOAT32, vector, 0, count, vectors.size()));
    }

    /** Replaces each vector by the sum. */
    void sum(List<MemorySegment> vectors) throws NonFiniteException {
        boolean isPlain = passesDense && !isWithinReach(vectors);
        if (isPlain) {
            traffic.plainRing();
        }
        for (int owner = 0; owner < vectors.size(); owner++) {
            long first = begin(owner);
            long length = begin(owner + 1) - first;
            if (length > 0) {
                List<MemorySegment> parts = parts(vectors, first, length);
                if (isPlain) {
                    sumPlain(owner, parts, length);
                    continue;
                }
                try {
                    sumShare(owner, parts, length);
                } catch (MalformedMessageException bug) {
                    throw new AssertionError(codec.name() + " cannot read what it wrote", bug);
                }
            }
        }
    }

    private boolean isWithinReach(List<MemorySegment> vectors) {
        double all = 0;
        for (int rank = 0; rank < vectors.size(); rank++) {
            traffic.passedRound(rank, REACH_BYTES);
            float most = 0;
            for (int owner = 0; owner < vectors.size(); owner++) {
                long first = begin(owner);
                long length = begin(owner + 1) - first;
                MemorySegment part = vectors.get(rank).asSlice(first * Float.BYTES, length * Float.BYTES);
                most = Math.max(most, contributors.get(rank).reach(key(owner), part, length));
            }
            all += most;
        }
        return all <= codec.largest() / MARGIN;
    }

    private void sumPlain(int owner, List<MemorySegment> parts, long length) {
        for (int rank = 0; rank < parts.size(); rank++) {
            contributors.get(rank).addOwed(key(owner), parts.get(rank), length);
        }
        MemorySegment total = parts.getFirst();
        for (MemorySegment part : parts.subList(1, parts.size())) {
            reducer.combine(DataType.FLOAT32, ReduceOp.SUM, total, 0, total, 0, part, 0, Math.toIntExact(length));
        }
        parts.subList(1, parts.size()).forEach(part -> part.copyFrom(total));
    }

    private static String key(int owner) {
        return "share " + owner;
    }

    /** Where the share of that owner begins: whole blocks, as even as they can be. */
    private long begin(int owner) {
        long blocks = Math.ceilDiv(count, codec.block());
        return Math.min(count, blocks * owner / contributors.size() * codec.block());
    }

    private static List<MemorySegment> parts(List<MemorySegment> vectors, long first, long length) {
        return vectors.stream()
                .map(vector -> vector.asSlice(first * Float.BYTES, length * Float.BYTES))
                .toList();
    }

    private void sumShare(int owner, List<MemorySegment> parts, long length)
            throws NonFiniteException, MalformedMessageException {
        for (int rank = 0; rank < parts.size(); rank++) {
            long bytes = contributors.get(rank).encode(key(owner), parts.get(rank), length, encoded);
            traffic.encoded(rank, bytes);
            traffic.sent(rank, owner, bytes);
            if (rank == 0) {
                codec.decode(encoded.asSlice(0, bytes), sum, length);
            } else {
                codec.decodeAndAdd(encoded.asSlice(0, bytes), sum, length);
            }
        }
        long bytes = owners.encode(key(owner), sum, length, encoded);
        for (int rank = 0; rank < parts.size(); rank++) {
            traffic.sent(owner, rank, bytes);
            codec.decode(encoded.asSlice(0, bytes), parts.get(rank), length);
        }
    }

    @Override
    public void close() {
        contributors.forEach(NodeEncoder::close);
        arena.close();
    }
}
