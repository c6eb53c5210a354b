package io.hearth.compression.sparse;

import io.hearth.accel.CodecKernels;
import io.hearth.compression.NonFiniteException;
import io.hearth.compression.Pending;
import io.hearth.compression.Workers;
import io.hearth.compression.format.Float32;
import io.hearth.compression.format.Ranges;
import io.hearth.core.MalformedMessageException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Keeps only the values of largest magnitude of each chunk, with their indices: {@link SparseChunks}. All encodings of a tensor have one
 * length, and a chunk is searched, written and read while it is in a first-level cache.
 *
 * <p>Of equal magnitudes the lower index is kept first. Zeros are not kept. With 4 bits, neither are values below a 256th of the chunk's
 * largest one, with 2 bits below an eighth: otherwise levels would be too far apart.
 */
public final class ChunkedTopKCodec implements SparseCodec {
    /** A factor of two, in the bits of a float32. */
    private static final int OCTAVE = 1 << 23;

    /** The search of a chunk begins with the bound of the chunk before, lowered by this. */
    private static final int SLACK = OCTAVE / 8;

    private final double fraction;
    private final int chunk;
    private final int bits;
    private final CodecKernels kernels;

    /**
     * Keeps {@code fraction} of each chunk.
     *
     * @param fraction above 0, at most 1; at least one value of each chunk
     * @param chunk a power of two, 64 to 65,536
     * @param bits of each value, 2, 4 or 16
     * @param kernels of an engine, shared with others
     */
    public ChunkedTopKCodec(double fraction, int chunk, int bits, CodecKernels kernels) {
        Ranges.requireFraction("topk", fraction);
        Ranges.requireChunks(chunk, bits);
        this.fraction = fraction;
        this.chunk = chunk;
        this.bits = bits;
        this.kernels = kernels;
    }

    private SparseChunks.Layout layout(long count) {
        return new SparseChunks.Layout(count, chunk, (int) TopKCodec.kept(fraction, chunk), bits);
    }

    @Override
    public String name() {
        return "topk";
    }

    @Override
    public boolean fixedRate() {
        return true;
    }

    @Override
    public int run(long count) {
        return chunk;
    }

    @Override
    public long encodedBytesMax(long count) {
        return layout(count).bytes();
    }

    @Override
    public long encode(MemorySegment values, long count, MemorySegment encoded) throws NonFiniteException {
        Float32.checkRoom(values, count);
        return encode(Source.of(values), count, encoded);
    }

    @Override
    public long encode(Source source, long count, Candidates candidates, MemorySegment encoded)
            throws NonFiniteException {
        return encode(source, count, encoded);
    }

    private long encode(Source source, long count, MemorySegment encoded) throws NonFiniteException {
        long bytes = encodedBytesMax(count);
        begin(Workers.NONE, source, count, Optional.empty(), encoded).make(bytes);
        return bytes;
    }

    /**
     * Begins the encoding that {@link #encode(MemorySegment, long, MemorySegment)} makes.
     *
     * @param values borrowed until the encoding is complete
     * @param encoded as there, until the encoding is complete
     */
    public GradualEncoding begin(Workers workers, MemorySegment values, long count, MemorySegment encoded) {
        Float32.checkRoom(values, count);
        return begin(workers, Source.of(values), count, Optional.empty(), encoded);
    }

    /** The same with the values of a source that was made for runs of {@link #run} values. */
    public GradualEncoding begin(
            Workers workers, Source source, long count, Optional<Pending> pending, MemorySegment encoded) {
        Float32.checkRoom(encoded, encodedBytesMax(count), count);
        var layout = layout(count);
        return new Gradual(workers, source, layout, new SparseChunks.Writer(encoded, layout), pending);
    }

    private final class Gradual implements GradualEncoding {
        private final Workers workers;
        private final Source source;
        private final SparseChunks.Layout layout;
        private final SparseChunks.Writer writer;
        private final Optional<Pending> pending;
        private final List<Search> searches = new ArrayList<>();
        private long chunks; // made so far

        Gradual(
                Workers workers,
                Source source,
                SparseChunks.Layout layout,
                SparseChunks.Writer writer,
                Optional<Pending> pending) {
            this.workers = workers;
            this.source = source;
            this.layout = layout;
            this.writer = writer;
            this.pending = pending;
        }

        @Override
        public long make(long bytes) throws NonFiniteException {
            Objects.checkIndex(bytes, layout.bytes() + 1);
            long from = chunks;
            long end = layout.chunksBefore(bytes);
            if (end <= from) {
                return 0;
            }
            chunks = end;
            long values = Math.min(layout.count(), end * chunk) - from * chunk;
            int pieces = workers.pieces(values);
            while (searches.size() < pieces) {
                searches.add(new Search());
            }
            var notCarried = new @Nullable NonFiniteException[pieces];
            workers.divide(pieces, end - from, 1, (piece, first, last) -> {
                try (var arena = Arena.ofConfined()) {
                    Source own = pieces == 1 ? source : source.over(arena.allocate(Float32.FLOAT, chunk));
                    make(searches.get(piece), own, from + first, from + last);
                } catch (NonFiniteException refused) {
                    notCarried[piece] = refused;
                }
            });
            for (NonFiniteException refused : notCarried) {
                if (refused != null) {
                    throw refused;
                }
            }
            return values;
        }

        private void make(Search search, Source values, long first, long end) throws NonFiniteException {
            for (long number = first; number < end; number++) {
                search.chunk(values, layout, number, writer);
            }
        }

        @Override
        public Optional<Pending> pending() {
            return pending;
        }
    }

    /** Searches chunk after chunk, each with the bound that the chunk before suggests. */
    private final class Search {
        private final int[] places = new int[chunk + CodecKernels.SELECT_SLACK];
        private final int[] magnitudes = new int[chunk];
        private final float[] kept = new float[chunk];
        private int guess = 1;

        void chunk(Source source, SparseChunks.Layout layout, long number, SparseChunks.Writer writer)
                throws NonFiniteException {
            long first = number * chunk;
            int n = layout.values(number);
            int room = layout.kept(n);
            long at = source.make(first, n);
            MemorySegment made = source.run();
            int found = kernels.select(made, at, n, guess, places);
            for (long lower = OCTAVE / 2; found < room && guess > 1; lower *= 4) {
                guess = (int) Math.max(1, guess - lower);
                found = kernels.select(made, at, n, guess, places);
            }
            int most = 0;
            for (int i = 0; i < found; i++) {
                int magnitude = made.get(Float32.BITS, at + (long) places[i] * Float.BYTES) & Float32.MAGNITUDE_MASK;
                if (magnitude >= Float32.INFINITY_BITS) {
                    long bad = at + (long) places[i] * Float.BYTES;
                    throw new NonFiniteException(first + places[i], made.get(Float32.FLOAT, bad));
                }
                magnitudes[i] = magnitude;
                most = Math.max(most, magnitude);
            }
            int least = found <= room ? 1 : MagnitudeThreshold.select(magnitudes, found, found - room);
            guess = Math.max(1, least - SLACK);
            writer.write(number, places, kept, keep(made, at, found, room, least, lowest(most)));
        }

        /** The smallest magnitude to keep, given the largest one of the chunk. */
        private int lowest(int most) {
            return bits == Short.SIZE ? 1 : Math.max(1, most - (bits == 2 ? 3 : 8) * OCTAVE);
        }

        /** Moves the kept values to the front and returns their number. */
        private int keep(MemorySegment made, long at, int found, int room, int least, int lowest) {
            int above = 0;
            for (int i = 0; i < found; i++) {
                above += magnitude(made, at, places[i]) > least ? 1 : 0;
            }
            int ties = room - above;
            int n = 0;
            for (int i = 0; i < found; i++) {
                int magnitude = magnitude(made, at, places[i]);
                if (magnitude < least || magnitude < lowest || (magnitude == least && ties-- <= 0)) {
                    continue;
                }
                kept[n] = made.get(Float32.FLOAT, at + (long) places[i] * Float.BYTES);
                places[n++] = places[i];
            }
            return n;
        }

        private static int magnitude(MemorySegment made, long at, int place) {
            return made.get(Float32.BITS, at + (long) place * Float.BYTES) & Float32.MAGNITUDE_MASK;
        }
    }

    @Override
    public void check(MemorySegment encoded, long count) throws MalformedMessageException {
        SparseChunks.Layout found = SparseChunks.check(encoded, count);
        if (!found.equals(layout(count))) {
            throw new MalformedMessageException(
                    "these bytes are encoded as " + found + ", and expected as " + layout(count));
        }
    }
}
