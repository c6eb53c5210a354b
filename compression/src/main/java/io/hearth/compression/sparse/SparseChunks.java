package io.hearth.compression.sparse;

import io.hearth.compression.format.Float32;
import io.hearth.compression.format.Header;
import io.hearth.core.MalformedMessageException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * The encoding of some of the values of each chunk of a tensor, with their indices; all others are 0. All whole chunks have the same size
 * in bytes, so the position of each is known before any is made (as in Sarfi et al., "Communication efficient LLM pre-training with
 * SparseLoCo", 2025).
 *
 * <pre>
 * header parameter: bits per value: 2, 4 or 16; in its next byte the binary logarithm of the chunk's length
 * body: | k, of a whole chunk: int32 | chunks |
 * chunk: | low: uint16 | high: uint16 | k indices within the chunk | k values, each a level and above it a sign | zero bits up to a byte |
 * </pre>
 *
 * All numbers are little-endian, and bits are filled from the lowest on. The last chunk, if it is shorter, keeps the same share of its
 * values, rounded up.
 *
 * <p>Low and high are the upper halves of two float32: no magnitude of the chunk is below low, and all are below high. Levels divide the
 * range between both evenly, with the bits of the float32 taken as whole numbers, so the ratio of neighbouring levels is about constant. A
 * value decodes as the middle of its level. So its sign and, to a fraction of the span, its magnitude arrive, whatever engine decodes it.
 *
 * <p>An index that equals the one before it has no value: this fills the rest of a chunk that has fewer values than there is room for. If
 * high is 0, a chunk has no values.
 */
final class SparseChunks {
    private static final ValueLayout.OfInt INT = Float32.BITS;
    private static final ValueLayout.OfShort SHORT =
            ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final int CHUNKS_AT = Header.BYTES + Integer.BYTES;
    private static final int SPAN_BYTES = 2 * Short.BYTES;
    private static final int HALF = Short.SIZE;
    private static final int UNSIGNED = 0xffff;
    private static final int INFINITY_HALF = Float32.INFINITY_BITS >>> HALF;

    private SparseChunks() {}

    /**
     * The positions of all parts of an encoding.
     * @param count of all values
     * @param chunk values of each chunk; the last one may have fewer
     * @param kept values of a whole chunk that are kept, 1 to {@code chunk}
     * @param bits of each value that is kept
     */
    record Layout(long count, int chunk, int kept, int bits) {
        /** The layout that a valid encoding states. */
        static Layout of(MemorySegment encoded, long count) {
            int parameter = Header.parameter(encoded);
            return new Layout(count, 1 << (parameter >>> Byte.SIZE), encoded.get(INT, Header.BYTES), parameter & 0xff);
        }

        int parameter() {
            return bits | indexBits() << Byte.SIZE;
        }

        private int indexBits() {
            return Integer.numberOfTrailingZeros(chunk);
        }

        long chunks() {
            return Math.ceilDiv(count, (long) chunk);
        }

        /** Values of a chunk, kept or not. */
        int values(long number) {
            return (int) Math.min(chunk, count - number * chunk);
        }

        /** Number of values for which a chunk of {@code n} has room. */
        int kept(int n) {
            if (n == chunk) {
                return kept; // without a division, because this is called for each chunk
            }
            return (int) Math.ceilDiv((long) kept * n, chunk);
        }

        private int bytes(int n) {
            return SPAN_BYTES + Math.ceilDiv(kept(n) * (indexBits() + bits), Byte.SIZE);
        }

        long at(long number) {
            return CHUNKS_AT + number * bytes(chunk);
        }

        /** Number of chunks that begin before byte {@code end}. */
        long chunksBefore(long end) {
            return end <= CHUNKS_AT ? 0 : Math.min(chunks(), Math.ceilDiv(end - CHUNKS_AT, (long) bytes(chunk)));
        }

        long bytes() {
            return count == 0 ? CHUNKS_AT : at(chunks() - 1) + bytes(values(chunks() - 1));
        }

        /** The bit at which an index begins. */
        private long indexBit(long number, int entry) {
            return (at(number) + SPAN_BYTES) * Byte.SIZE + (long) entry * indexBits();
        }

        private long valueBit(long number, int n, int entry) {
            return indexBit(number, kept(n)) + (long) entry * bits;
        }
    }

    /** Reads a number of at most 16 bits. */
    private static int bits(MemorySegment encoded, long bit, int width) {
        long at = bit >>> 3;
        if (at + Integer.BYTES <= encoded.byteSize()) {
            return (encoded.get(INT, at) >>> (bit & 7)) & ((1 << width) - 1);
        }
        int value = 0;
        for (int done = 0; done < width; ) {
            int within = (int) (bit % Byte.SIZE);
            int taken = Math.min(Byte.SIZE - within, width - done);
            int part = (encoded.get(ValueLayout.JAVA_BYTE, bit / Byte.SIZE) & 0xff) >>> within;
            value |= (part & ((1 << taken) - 1)) << done;
            done += taken;
            bit += taken;
        }
        return value;
    }

    /** Levels between two bounds. */
    private record Scale(int low, int high, int bits) {
        private long span() {
            return (long) (high - low) << HALF;
        }

        /** The level of a magnitude between both bounds, given as bits. */
        int level(int magnitude) {
            return (int) (((long) (magnitude - (low << HALF)) << (bits - 1)) / span());
        }

        float value(int coded) {
            long level = coded & ((1 << (bits - 1)) - 1);
            int magnitude = (low << HALF) + (int) ((span() * (2 * level + 1)) >>> bits);
            return Float.intBitsToFloat(magnitude | (coded >>> (bits - 1)) << (Integer.SIZE - 1));
        }
    }

    /** Writes chunks, in any order. */
    static final class Writer {
        private final MemorySegment encoded;
        private final Layout layout;

        /** Writes the header and the number of kept values; {@code encoded} has room for the whole layout. */
        Writer(MemorySegment encoded, Layout layout) {
            this.encoded = encoded;
            this.layout = layout;
            Header.write(encoded, Header.CHUNKS, layout.parameter(), layout.count());
            encoded.set(INT, Header.BYTES, layout.kept());
        }

        /**
         * Writes a chunk.
         *
         * @param indices within the chunk, rising
         * @param values of these indices, finite and not 0
         * @param n number of values, at most the room of the chunk
         */
        void write(long number, int[] indices, float[] values, int n) {
            long at = layout.at(number);
            int length = layout.values(number);
            encoded.asSlice(at, layout.bytes(length)).fill((byte) 0);
            if (n == 0) {
                return;
            }
            int least = Integer.MAX_VALUE;
            int most = 0;
            for (int i = 0; i < n; i++) {
                int magnitude = Float.floatToRawIntBits(values[i]) & Float32.MAGNITUDE_MASK;
                least = Math.min(least, magnitude);
                most = Math.max(most, magnitude);
            }
            var scale = new Scale(least >>> HALF, (most >>> HALF) + 1, layout.bits());
            encoded.set(SHORT, at, (short) scale.low());
            encoded.set(SHORT, at + Short.BYTES, (short) scale.high());
            var packed = new Packer(encoded, at + SPAN_BYTES);
            int room = layout.kept(length);
            for (int i = 0; i < room; i++) {
                packed.add(indices[Math.min(i, n - 1)], layout.indexBits());
            }
            for (int i = 0; i < n; i++) {
                int raw = Float.floatToRawIntBits(values[i]);
                int sign = raw >>> (Integer.SIZE - 1);
                packed.add(scale.level(raw & Float32.MAGNITUDE_MASK) | sign << (layout.bits() - 1), layout.bits());
            }
            packed.finish();
        }
    }

    /** Packs numbers of some bits each, one after the other. */
    private static final class Packer {
        private final MemorySegment encoded;
        private long at;
        private long held;
        private int width;

        Packer(MemorySegment encoded, long at) {
            this.encoded = encoded;
            this.at = at;
        }

        void add(int value, int bits) {
            held |= (long) value << width;
            width += bits;
            for (; width >= Byte.SIZE; width -= Byte.SIZE) {
                encoded.set(ValueLayout.JAVA_BYTE, at++, (byte) held);
                held >>>= Byte.SIZE;
            }
        }

        void finish() {
            if (width > 0) {
                encoded.set(ValueLayout.JAVA_BYTE, at, (byte) held);
            }
        }
    }

    /** Iterates over an encoding that passed {@link #check}. */
    static final class Cursor implements SparseCursor {
        private final MemorySegment encoded;
        private final Layout layout;
        private final int indexBits;
        private long number = -1;
        private int room;
        private long indexBit; // of the chunk's first entry
        private long valueBit;
        private int entry;
        private int place = -1;
        private Scale scale = new Scale(0, 0, 2);

        Cursor(MemorySegment encoded, long count) {
            this.encoded = encoded;
            layout = Layout.of(encoded, count);
            indexBits = layout.indexBits();
        }

        @Override
        public boolean next() {
            while (true) {
                if (++entry >= room) {
                    if (!nextChunk()) {
                        return false;
                    }
                    continue;
                }
                int before = place;
                place = bits(encoded, indexBit + (long) entry * indexBits, indexBits);
                if (place != before) {
                    return true;
                }
            }
        }

        @Override
        public boolean seek(long index) {
            number = Math.min(index / layout.chunk(), layout.chunks()) - 1;
            return SparseCursor.super.seek(index);
        }

        private boolean nextChunk() {
            if (++number >= layout.chunks()) {
                return false;
            }
            long at = layout.at(number);
            scale = new Scale(
                    encoded.get(SHORT, at) & UNSIGNED, encoded.get(SHORT, at + Short.BYTES) & UNSIGNED, layout.bits());
            int length = layout.values(number);
            room = scale.high() == 0 ? 0 : layout.kept(length);
            indexBit = layout.indexBit(number, 0);
            valueBit = layout.valueBit(number, length, 0);
            entry = -1;
            place = -1;
            return true;
        }

        @Override
        public long index() {
            return number * layout.chunk() + place;
        }

        @Override
        public float value() {
            return scale.value(bits(encoded, valueBit + (long) entry * layout.bits(), layout.bits()));
        }
    }

    /** Checks every byte of an encoding of {@code count} values. */
    static Layout check(MemorySegment encoded, long count) throws MalformedMessageException {
        Header.check(encoded, Header.CHUNKS, count);
        int parameter = Header.parameter(encoded);
        int width = parameter >>> Byte.SIZE;
        int bits = parameter & 0xff;
        boolean isKnown = width >= 6 && width <= HALF && (bits == 2 || bits == 4 || bits == Short.SIZE);
        if (!isKnown || encoded.byteSize() < CHUNKS_AT) {
            throw new MalformedMessageException(
                    "no chunks of 2^" + width + " values with " + bits + " bits in " + encoded.byteSize() + " bytes");
        }
        Layout layout = Layout.of(encoded, count);
        if (layout.kept() < 1 || layout.kept() > layout.chunk() || encoded.byteSize() != layout.bytes()) {
            throw new MalformedMessageException(layout.kept() + " of each " + layout.chunk() + " of " + count
                    + " values in " + encoded.byteSize() + " bytes: the size does not fit");
        }
        for (long number = 0; number < layout.chunks(); number++) {
            check(encoded, layout, number);
        }
        return layout;
    }

    private static void check(MemorySegment encoded, Layout layout, long number) throws MalformedMessageException {
        long at = layout.at(number);
        int low = encoded.get(SHORT, at) & UNSIGNED;
        int high = encoded.get(SHORT, at + Short.BYTES) & UNSIGNED;
        int length = layout.values(number);
        if (high > INFINITY_HALF || (low >= high && high != 0) || (high == 0 && low != 0)) {
            throw new MalformedMessageException(
                    "chunk " + number + " has magnitudes from " + low + " to below " + high);
        }
        int room = layout.kept(length);
        int indexBits = layout.indexBits();
        long indexBit = layout.indexBit(number, 0);
        long valueBit = layout.valueBit(number, length, 0);
        int before = 0;
        boolean ended = high == 0;
        for (int entry = 0; entry < room; entry++) {
            int index = bits(encoded, indexBit + (long) entry * indexBits, indexBits);
            int value = bits(encoded, valueBit + (long) entry * layout.bits(), layout.bits());
            ended |= entry > 0 && index == before;
            boolean isRising = ended ? index == before && value == 0 : entry == 0 || index > before;
            if (!isRising || index >= length) {
                throw new MalformedMessageException("chunk " + number + " of " + length + " values has index " + index
                        + " behind " + before + ", and " + value + " there");
            }
            before = index;
        }
        long end = at + layout.bytes(length);
        long used = layout.valueBit(number, length, layout.kept(length));
        if (used < end * Byte.SIZE && bits(encoded, used, (int) (end * Byte.SIZE - used)) != 0) {
            throw new MalformedMessageException("chunk " + number + " does not end with zero bits");
        }
    }
}
