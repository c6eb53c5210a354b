package io.hearth.compression;

import java.lang.foreign.MemorySegment;
import java.util.function.IntConsumer;

/** Threads that share the work on one large tensor; the caller's thread is one of them. The result does not depend on their number. */
public interface Workers {
    /** The caller's thread alone. */
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

    /** The fewest values for one thread, because starting it takes some tens of microseconds. */
    long VALUES_MIN = 1 << 18;

    /** Most threads that work at a time, including the caller's; 1 or more. */
    int count();

    /**
     * Runs pieces 0 to {@code pieces - 1}, each once, and returns when all are done. All pieces see what was written before the call, and
     * the caller then sees what they wrote.
     *
     * @param piece called by any thread, several at the same time
     * @throws RuntimeException the exception of the failed piece with the lowest number; the same for errors
     */
    void run(int pieces, IntConsumer piece);

    /** The number of pieces into which to divide {@code values} values; 1 or more. */
    default int pieces(long values) {
        return Math.clamp(values / VALUES_MIN, 1, count());
    }

    /** Processes items {@code from} to {@code end - 1}, which may be none. */
    @FunctionalInterface
    interface Piece {
        void run(int number, long from, long end);
    }

    /**
     * Divides {@code count} items into consecutive pieces of about the same size and {@link #run}s them.
     *
     * @param unit pieces begin at multiples of it; 1 or more
     */
    default void divide(int pieces, long count, long unit, Piece piece) {
        long each = Math.ceilDiv(Math.ceilDiv(count, unit), (long) pieces) * unit;
        run(pieces, number -> piece.run(number, Math.min(count, number * each), Math.min(count, (number + 1) * each)));
    }

    /** The workers that may access {@code memory}: all, or only the caller if the memory is confined to the caller's thread. */
    Workers over(MemorySegment memory);
}
