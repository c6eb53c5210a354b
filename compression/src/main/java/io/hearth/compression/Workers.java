package io.hearth.compression;

import java.lang.foreign.MemorySegment;
import java.util.function.IntConsumer;

/**
 * Threads that share the work of one large tensor among them, the caller's first. What comes of it does not depend on how many there
 * are.
 */
public interface Workers {
    /** The caller alone. */
    Workers NONE = new Workers() {
        @Override
        public int count() {
            return 1;
        }

        @Override
        public void run(int pieces, IntConsumer piece) {
            for (int number = 0; number < pieces; number++) {
                piece.accept(number);
            }
        }

        @Override
        public Workers over(MemorySegment memory) {
            return this;
        }
    };

    /** The fewest values that a thread gets: to start one takes some tens of microseconds. */
    long VALUES_MIN = 1 << 18;

    /** How many may work at a time, the caller among them; 1 or more. */
    int count();

    /**
     * Does pieces 0 to {@code pieces - 1}, each once, and returns when all are done. What is written before the call is seen by all pieces,
     * and what they write by the caller.
     *
     * @param piece called by any thread, several times at once
     * @throws RuntimeException as the piece of the lowest number that failed did; so with errors
     */
    void run(int pieces, IntConsumer piece);

    /** Into how many pieces to divide so many values; 1 or more. */
    default int pieces(long values) {
        return Math.clamp(values / VALUES_MIN, 1, count());
    }

    /** Does something with items {@code from} to {@code end - 1}, which may be none. */
    @FunctionalInterface
    interface Piece {
        void run(int number, long from, long end);
    }

    /**
     * Divides {@code count} items into consecutive pieces of about one size and {@link #run}s them.
     *
     * @param unit pieces begin at multiples of it; 1 or more
     */
    default void divide(int pieces, long count, long unit, Piece piece) {
        long each = Math.ceilDiv(Math.ceilDiv(count, unit), (long) pieces) * unit;
        run(pieces, number -> piece.run(number, Math.min(count, number * each), Math.min(count, (number + 1) * each)));
    }

    /** Those who may use {@code memory}: all, or only the caller where it belongs to the caller's thread. */
    Workers over(MemorySegment memory);
}
