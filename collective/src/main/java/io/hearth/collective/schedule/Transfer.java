package io.hearth.collective.schedule;

/**
 * One segment on its way between two positions, described by a {@link Schedule}; reused for the next one by whoever plays.
 *
 * <p>Two memories of the same layout are meant: the <em>input</em>, this member's own contribution, never written, and the
 * <em>buffer</em>, where the result comes into being and which holds anything at the start.
 */
public final class Transfer {
    /** What a receiver does with the bytes of a segment. */
    public enum Action {
        /** Nothing: it has no bytes and only says that its sender got so far. */
        NOTE,
        /** buffer = bytes. */
        COPY,
        /** buffer = input op bytes. */
        COMBINE_WITH_INPUT,
        /** buffer = buffer op bytes. */
        COMBINE,
        /** buffer = bytes op input: a contribution of a lower rank, and then the own one. */
        COPY_THEN_INPUT,
        /** buffer = (buffer op bytes) op input. */
        COMBINE_THEN_INPUT,
        /**
         * The bytes are kept in memory of their sender's until the segment that {@link #completes} the piece. Then, for all of the
         * piece, buffer = x0 op x1 op x2 …, in the order of positions, the input at the own one.
         */
        GATHER
    }

    private int peer;
    private int chunk;
    private long offset;
    private int length;
    private boolean fromInput;
    private long after;
    private Action action = Action.NOTE;
    private boolean completes;
    private long pieceOffset;
    private long pieceLength;

    /** Position of the other end. */
    public int peer() {
        return peer;
    }

    /** Whose share it belongs to; names the segment on the wire. 0 to 65,534, or 65,535 for a note, which is nobody's. */
    public int chunk() {
        return chunk;
    }

    /** In bytes from the start of input and buffer. */
    public long offset() {
        return offset;
    }

    /** In bytes; 0 where a segment only says that its sender got so far. */
    public int length() {
        return length;
    }

    /** For senders: whether the bytes are those of the input, not of the buffer. */
    public boolean fromInput() {
        return fromInput;
    }

    /** For senders: how many receives must be complete before. */
    public long after() {
        return after;
    }

    /** For receivers. */
    public Action action() {
        return action;
    }

    /**
     * For receivers: afterwards every member's contribution is in, to the segment or, where segments are gathered, to the piece, and
     * an average may divide.
     */
    public boolean completes() {
        return completes;
    }

    /** For receivers that gather: where the piece begins, in bytes as {@link #offset}. */
    public long pieceOffset() {
        return pieceOffset;
    }

    /** For receivers that gather: bytes of the piece. */
    public long pieceLength() {
        return pieceLength;
    }

    /** Says where bytes go or come from. */
    Transfer between(int other, int share, long from, int bytes) {
        peer = other;
        chunk = share;
        offset = from;
        length = bytes;
        return this;
    }

    /** Says what a sender has to know. */
    void sent(boolean ofInput, long receives) {
        fromInput = ofInput;
        after = receives;
        action = Action.NOTE;
        completes = false;
    }

    /** Says what a receiver has to do. */
    void received(Action what, boolean isLast) {
        fromInput = false;
        after = 0;
        action = what;
        completes = isLast;
    }

    /** Says what a receiver has to do that adds whole pieces. */
    void gathered(long pieceFrom, long pieceBytes, boolean isLast) {
        received(Action.GATHER, isLast);
        pieceOffset = pieceFrom;
        pieceLength = pieceBytes;
    }
}
