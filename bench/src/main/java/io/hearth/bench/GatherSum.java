package io.hearth.bench;

import io.hearth.accel.Engines;
import io.hearth.accel.Reducer;
import io.hearth.compression.NonFiniteException;
import io.hearth.core.DataType;
import io.hearth.core.MalformedMessageException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/**
 * A sum of whole encodings, for sparse ones: each node encodes its vector once, all encodings go around a ring to all nodes, their
 * lengths before them, and every node decodes and adds them in rank order. Where all of them are longer than what a plain sum moves, each
 * node decodes its own and a plain sum it is.
 */
final class GatherSum implements VectorMean {
    private static final long LENGTH_BYTES = Long.BYTES;
    private static final String KEY = "all";

    /** A plain sum moves a vector twice: as contributions and as results. */
    private static final int PLAIN_FACTOR = 2;

    private final Decoder decoder;
    private final List<NodeEncoder> contributors;
    private final long count;
    private final Traffic traffic;
    private final Reducer reducer = Engines.best().newReducer();
    private final Arena arena = Arena.ofConfined();
    private final List<MemorySegment> slots;

    /** Reads an encoding into memory for {@code count} values. */
    interface Reader {
        void read(MemorySegment encoded, MemorySegment values, long count) throws MalformedMessageException;
    }

    /**
     * Reads what the contributors write.
     *
     * @param decode over what the memory held
     * @param decodeAndAdd to what the memory held
     */
    record Decoder(Reader decode, Reader decodeAndAdd) {}

    /**
     * Of vectors of {@code count} values.
     *
     * @param contributors one for each node, by rank; kept and closed
     */
    GatherSum(Decoder decoder, List<NodeEncoder> contributors, long count, Traffic traffic) {
        this.decoder = decoder;
        this.contributors = List.copyOf(contributors);
        this.count = count;
        this.traffic = traffic;
        slots = contributors.stream()
                .map(encoder -> arena.allocate(encoder.bytesMax(count)))
                .toList();
    }

    @Override
    public void mean(List<MemorySegment> vectors) throws NonFiniteException {
        var encodings = new ArrayList<MemorySegment>();
        for (int rank = 0; rank < vectors.size(); rank++) {
            MemorySegment slot = slots.get(rank);
            long bytes = contributors.get(rank).encode(KEY, vectors.get(rank), count, slot);
            encodings.add(slot.asSlice(0, bytes));
        }
        count(encodings);
        try {
            for (MemorySegment vector : vectors) {
                add(encodings, vector);
            }
        } catch (MalformedMessageException bug) {
            throw new AssertionError("a sum cannot read what its nodes wrote", bug);
        }
    }

    private void count(List<MemorySegment> encodings) {
        long all = encodings.stream().mapToLong(MemorySegment::byteSize).sum();
        boolean isPlain = all > PLAIN_FACTOR * count * Float.BYTES; // the same sum, whichever way it goes
        for (int rank = 0; rank < encodings.size(); rank++) {
            traffic.passedRound(rank, LENGTH_BYTES);
            if (!isPlain) {
                traffic.encoded(rank, encodings.get(rank).byteSize());
                traffic.passedRound(rank, encodings.get(rank).byteSize());
            }
        }
        if (isPlain) {
            traffic.plainRing();
        }
    }

    private void add(List<MemorySegment> encodings, MemorySegment sum) throws MalformedMessageException {
        decoder.decode().read(encodings.getFirst(), sum, count);
        for (MemorySegment encoding : encodings.subList(1, encodings.size())) {
            decoder.decodeAndAdd().read(encoding, sum, count);
        }
        reducer.divide(DataType.FLOAT32, sum, 0, count, encodings.size());
    }

    @Override
    public void close() {
        contributors.forEach(NodeEncoder::close);
        arena.close();
    }
}
