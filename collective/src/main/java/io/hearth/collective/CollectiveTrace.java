package io.hearth.collective;

import io.hearth.collective.Signature.Kind;
import java.util.Map;

/**
 * Is told where the time of collectives goes. Called by the threads that move the bytes, two at once, inside the collective: return
 * soon. A collective called from here gets an {@link IllegalStateException}; what is thrown is logged once and forgotten.
 *
 * <p>All times are readings of {@link System#nanoTime}, which on one machine is the same clock for all processes.
 */
public interface CollectiveTrace {
    /** Wants to know nothing, which costs nothing. */
    CollectiveTrace NONE = new CollectiveTrace() {
        @Override
        public void segment(long number, Phase phase, int rank, long bytes, long sinceNanos, long untilNanos) {
            // nobody looks
        }

        @Override
        public void ended(Collective collective) {
            // nobody looks
        }
    };

    /** What is done with one segment. */
    enum Phase {
        /** The sender has to receive something first. Its rank is -1. */
        WAIT,
        /** Making what is compressed of values, what is owed included. The rank is -1. */
        ENCODE,
        /** Encrypting a record; nothing of this on shared memory. */
        SEAL,
        /** Writing, with a wait for room. */
        SEND,
        /** Waiting for the bytes. */
        RECEIVE,
        /** Decrypting a record. */
        OPEN,
        /** Making values of what is compressed, and adding them where codecs do both in one; the rank is -1. */
        DECODE,
        /** Adding what came to what is there; the rank is -1 where what came from several is added at once. */
        COMBINE,
        /** Moving bytes as they are, the result to the application's buffer included; there, the rank is -1. */
        COPY
    }

    /**
     * One attempt at one collective on this rank.
     *
     * @param number in its group
     * @param bytes of the buffer
     * @param world number of ranks
     * @param algorithm the schedules that were played, {@code none} where nothing had to be sent
     * @param completed whether there was a result
     * @param phaseNanos sum over all segments; sending and receiving overlap, so all together may be more than the whole
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
     * Something was done with a segment.
     *
     * @param number of the collective
     * @param rank of the other side, -1 for none
     * @param bytes of the segment
     */
    void segment(long number, Phase phase, int rank, long bytes, long sinceNanos, long untilNanos);

    /** An attempt is over; called by the thread that called the collective. */
    void ended(Collective collective);
}
