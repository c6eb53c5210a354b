package io.hearth.collective.schedule;

/**
 * One segment between two positions, as a {@link Schedule} describes it; the player of the schedule reuses the object for the next one.
 *
 * <p>There are two memories of the same layout. The <em>input</em> is this member's own contribution and is never written. The
 * <em>buffer</em> receives the result; its content is undefined at the start.
 */
public final class Transfer {
    /** The receiver's action on the bytes of a segment. */
    public enum Action {
        /** None: the segment has no bytes and only signals its sender's progress. */
        NOTE,
        /** buffer = bytes. */
        COPY,
        /** buffer = input op bytes. */
        COMBINE_WITH_INPUT,
        /** buffer = buffer op bytes. */
        COMBINE,
        /** buffer = bytes op input: a contribution of a lower position, then this member's own. */
        COPY_THEN_INPUT,
        /** buffer = (buffer op bytes) op input. */
        COMBINE_THEN_INPUT
    }

    private int peer;
    private int chunk;
    private long offset;
    private int length;
    private boolean fromInput;
    private long after;
    private Action action = Action.NOTE;
    private boolean completes;

    /** Position of the other end. */
    public int peer() {
        return peer;
    }

    /**
     * Position whose share the segment belongs to; names the segment on the wire. 0 to 65,534, or 65,535 for a note, which belongs to no
     * share.
     */
    public int chunk() {
        return chunk;
    }

    /** In bytes from the start of input and buffer. */
    public long offset() {
        return offset;
    }

    /** In bytes; 0 for a segment that only signals its sender's progress. */
    public int length() {
        return length;
    }

    /** For senders: whether the bytes are those of the input, not of the buffer. */
    public boolean fromInput() {
        return fromInput;
    }

    /** For senders: number of receives that must be complete before. */
    public long after() {
        return after;
    }

    /** For receivers: what to do with the bytes. */
    public Action action() {
        return action;
    }

    /** For receivers: whether every member's contribution to the segment is in, so that an average may divide. */
    public boolean completes() {
        return completes;
    }

    /** Sets the other end and the range of bytes. */
    Transfer between(int other, int share, long from, int bytes) {
        peer = other;
        chunk = share;
        offset = from;
        length = bytes;
        return this;
    }

    /** Sets the sender's fields. */
    void sent(boolean ofInput, long receives) {
        fromInput = ofInput;
        after = receives;
        action = Action.NOTE;
        completes = false;
    }

    /** Sets the receiver's fields. */
    void received(Action what, boolean isLast) {
        fromInput = false;
        after = 0;
        action = what;
        completes = isLast;
    }
}
