package io.hearth.collective;

import io.hearth.collective.Signature.Kind;
import java.util.Map;

/**
 * Receives the time that collectives spend in each phase. The threads that move the bytes call it, two at once, inside the collective, so
 * it must return soon. A collective called from here gets an {@link IllegalStateException}. Exceptions thrown here are logged once and
 * dropped.
 *
 * <p>All times are readings of {@link System#nanoTime}, which on one machine is the same clock for all processes.
 */
public interface CollectiveTrace {
    /** Ignores everything and costs nothing. */
    CollectiveTrace NONE = new CollectiveTrace() {
        @Override
        public void segment(long number, Phase phase, int rank, long bytes, long sinceNanos, long untilNanos) {
            // ignored
        }

        @Override
        public void ended(Collective collective) {
            // ignored
        }
    };

    /** The phases of a segment's transfer. */
    enum Phase {
        /** The sender waits for a segment that it must receive first. Its rank is -1. */
        WAIT,
        /** Compressing values, residuals included. The rank is -1. */
        ENCODE,
        /** Encrypting a record; does not occur on shared memory. */
        SEAL,
        /** Writing, including the wait for buffer space. */
        SEND,
        /** Waiting for the bytes. */
        RECEIVE,
        /** Decrypting a record. */
        OPEN,
        /** Decompressing values; includes adding them for codecs that do both at once. The rank is -1. */
        DECODE,
        /** Adding received values to present ones; the rank is -1 if values of several ranks are added at once. */
        COMBINE,
        /** Copying bytes, also the result to the application's buffer; there, the rank is -1. */
        COPY
    }

    /**
     * One attempt at one collective on this rank.
     *
     * @param number in its group
     * @param bytes of the buffer
     * @param world number of ranks
     * @param algorithm the schedules that ran, {@code none} if nothing had to be sent
     * @param completed whether there was a result
     * @param phaseNanos sum over all segments; sending and receiving overlap, so the phases together may exceed the duration
     */
    record Collective(
            long number,
            Kind kind,
            long bytes,
            int world,
            String algorithm,
            boolean completed,
            long sinceNanos,
            long untilNanos,
            Map<Phase, Long> phaseNanos) {
        public Collective {
            phaseNanos = Map.copyOf(phaseNanos);
        }
    }

    /**
     * One phase of a segment has ended.
     *
     * @param number of the collective
     * @param rank of the other side, -1 for none
     * @param bytes of the segment
     */
    void segment(long number, Phase phase, int rank, long bytes, long sinceNanos, long untilNanos);

    /** An attempt has ended; the thread that called the collective calls this. */
    void ended(Collective collective);
}
