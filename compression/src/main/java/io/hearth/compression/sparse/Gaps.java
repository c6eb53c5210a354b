package io.hearth.compression.sparse;

import io.hearth.compression.format.Float32;
import io.hearth.compression.format.Header;
import io.hearth.core.MalformedMessageException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Gaps between rising indices as Rice codes (Rice and Plaunt, IEEE Trans. Commun. 19, 1971), within a quarter of a bit of the entropy of
 * indices that are spread at random: a gap {@code g} is written as {@code g >> r} zeros and a one, then its lower {@code r} bits, least
 * significant first. Bits fill each byte from its least significant one; the last byte ends in zeros.
 *
 * <p>The sum of all gaps is at most the number of values left out, so their encoded size has a bound, whatever the indices are. {@code r}
 * is the number that makes this bound smallest, so it follows from the numbers of values and of kept values.
 */
final class Gaps {
    private static final int PARAMETER_MAX = 48;
    private static final int WORD = Integer.SIZE;

    private Gaps() {}

    /** {@code r} for {@code kept} gaps of {@code count} values, 0 to 48. */
    static int parameter(long count, long kept) {
        long left = count - kept;
        int r = 0;
        // One more costs a bit for each gap and saves at most this number of zeros.
        while (r < PARAMETER_MAX && (left >> r) - (left >> (r + 1)) > kept) {
            r++;
        }
        return r;
    }

    /** Most bytes of {@code kept} gaps of {@code count} values; never fewer for a larger {@code kept}. */
    static long bytesMax(long count, long kept) {
        int r = parameter(count, kept);
        return Math.ceilDiv(Math.addExact(Math.multiplyExact(kept, r + 1L), (count - kept) >> r), Byte.SIZE);
    }

    /** Writes gaps; bits go out four bytes at a time. */
    static final class Writer {
        private final MemorySegment encoded;
        private final int parameter;
        private long at;
        private long bits;
        private int filled;

        /** Writes from {@code at} on, where {@code encoded} has room for {@link #bytesMax}. */
        Writer(MemorySegment encoded, long at, int parameter) {
            this.encoded = encoded;
            this.at = at;
            this.parameter = parameter;
        }

        void add(long gap) {
            long zeros = gap >>> parameter;
            for (; zeros >= WORD; zeros -= WORD) {
                put(0, WORD);
            }
            put(1L << zeros, (int) zeros + 1);
            long rest = gap & ((1L << parameter) - 1);
            put(rest & 0xffff_ffffL, Math.min(parameter, WORD));
            put(rest >>> WORD, Math.max(0, parameter - WORD));
        }

        /** Writes the lower {@code n} bits of {@code some}, at most 32. */
        private void put(long some, int n) {
            bits |= some << filled;
            filled += n;
            if (filled >= WORD) {
                encoded.set(Float32.BITS, at, (int) bits);
                at += Integer.BYTES;
                bits >>>= WORD;
                filled -= WORD;
            }
        }

        /** The offset after the last byte. */
        long finish() {
            for (; filled > 0; filled -= Byte.SIZE, bits >>>= Byte.SIZE) {
                encoded.set(ValueLayout.JAVA_BYTE, at++, (byte) bits);
            }
            return at;
        }
    }

    /**
     * Reads up to the end of the encoding. Bytes that did not pass {@link #check} give meaningless gaps, but are never read out of bounds.
     */
    static final class Reader {
        private final MemorySegment encoded;
        private final int parameter;
        private final long lowBits;
        private final long end;
        private long bit;

        Reader(MemorySegment encoded, long at, int parameter) {
            this.encoded = encoded;
            this.parameter = parameter;
            lowBits = (1L << parameter) - 1;
            bit = at * Byte.SIZE;
            end = encoded.byteSize() * Byte.SIZE;
        }

        long next() {
            return zeros() << parameter | rest();
        }

        /** Counts the zeros before the next one, and skips that one. */
        private long zeros() {
            long zeros = 0;
            while (bit < end) {
                long window = window();
                if (window != 0) {
                    int some = Long.numberOfTrailingZeros(window);
                    bit += some + 1;
                    return zeros + some;
                }
                long all = Long.SIZE - (bit & 7);
                zeros += all;
                bit += all;
            }
            bit = end + 1;
            return zeros;
        }

        private long rest() {
            long rest = window() & lowBits;
            bit += parameter;
            return rest;
        }

        /** The next bits, at least 57; zeros after the end. */
        private long window() {
            long at = bit >>> 3;
            long left = encoded.byteSize() - at;
            long word = 0;
            if (left >= Long.BYTES) {
                word = encoded.get(Header.LONG, at);
            } else {
                for (long i = left - 1; i >= 0; i--) {
                    word = word << Byte.SIZE | (encoded.get(ValueLayout.JAVA_BYTE, at + i) & 0xff);
                }
            }
            return word >>> (bit & 7);
        }
    }

    /** Checks that there are exactly {@code kept} gaps from {@code at} to the end, and that all indices are below {@code count}. */
    static void check(MemorySegment encoded, long at, long kept, long count) throws MalformedMessageException {
        var reader = new Reader(encoded, at, parameter(count, kept));
        long index = 0;
        for (long i = 0; i < kept; i++) {
            long zeros = reader.zeros();
            long rest = reader.rest();
            if (reader.bit > reader.end) {
                throw new MalformedMessageException("gap " + i + " of " + kept + " has no end");
            }
            long most = count - index - 1;
            if (zeros > most >> reader.parameter || (zeros << reader.parameter | rest) > most) {
                throw new MalformedMessageException("gap " + i + " of " + kept + " leads beyond value " + count);
            }
            index += (zeros << reader.parameter | rest) + 1;
        }
        if (reader.end - reader.bit >= Byte.SIZE || reader.window() != 0) {
            throw new MalformedMessageException(
                    reader.end - reader.bit + " bits after the last gap, which is too many" + " or not all are 0");
        }
    }
}
