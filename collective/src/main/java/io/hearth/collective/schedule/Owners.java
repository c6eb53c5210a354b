package io.hearth.collective.schedule;

import java.util.Arrays;

/**
 * Exchanges between all pairs, from the view of one position: each position sends every owner its contribution to the owner's share, and
 * each owner sends the result to all.
 *
 * <p>A position with an empty share is no owner, and receives no contributions. If the whole buffer is empty, every position is an owner,
 * and empty segments travel. All shares have the same number of segments ({@link Slices}).
 *
 * <p>A position sends to the positions after it, the nearest first, so no two begin with the same receiver.
 */
final class Owners {
    private final int position;
    private final Shares shares;
    private final int elementBytes;
    private final Slices slices;
    /** The other owners, from the next position on. */
    private final int[] targets;

    private final boolean isOwner;
    private final int notes;

    Owners(int position, Shares shares, int elementBytes, int segmentBytes) {
        Segments.check(position, shares.world(), shares.total(), elementBytes, segmentBytes);
        this.position = position;
        this.shares = shares;
        this.elementBytes = elementBytes;
        this.slices = Slices.of(shares, elementBytes, segmentBytes);
        int[] found = new int[shares.world()];
        int owners = 0;
        for (int step = 1; step < shares.world(); step++) {
            int owner = Segments.around(position, step, shares.world());
            if (slices.isOwner(owner)) {
                found[owners++] = owner;
            }
        }
        this.targets = Arrays.copyOf(found, owners);
        this.isOwner = slices.isOwner(position);
        this.notes = shares.allOwn() ? 0 : 1;
    }

    long segments() {
        return slices.segments();
    }

    /** Number of other owners. */
    int others() {
        return targets.length;
    }

    /** Number of members that this owner serves; 0 if it owns nothing. */
    int served() {
        return isOwner ? shares.world() - 1 : 0;
    }

    /** Notes to the next position that come before everything else; 0 or 1. */
    int notes() {
        return notes;
    }

    void sendNote(Transfer into) {
        Segments.sendNote(into, Segments.around(position, 1, shares.world()), 0);
    }

    void receiveNote(Transfer into) {
        Segments.receiveNote(into, Segments.around(position, -1, shares.world()));
    }

    /** This position's contribution to the {@code item}-th other owner's share. */
    void sendContribution(Transfer into, long segment, long item) {
        int owner = targets[(int) item];
        slice(into, owner, owner, segment).sent(true, 0);
    }

    /** A contribution to this position's share, from the others in the order of their positions. */
    void receiveContribution(Transfer into, long segment, long item) {
        int from = Segments.other(position, item);
        boolean isLast = PositionOrder.isLast(position, from, shares.world());
        slice(into, from, position, segment).received(PositionOrder.action(position, from), isLast);
    }

    /** The result of this position's share, to the {@code item}-th position after this one. */
    void sendResult(Transfer into, long segment, long item, long after) {
        int to = Segments.around(position, item + 1, shares.world());
        slice(into, to, position, segment).sent(false, after);
    }

    /** The result of another owner; the nearest before this position comes first, because it sends to this one first. */
    void receiveResult(Transfer into, long segment, long item) {
        int owner = targets[(int) (targets.length - 1 - item)];
        slice(into, owner, owner, segment).received(Transfer.Action.COPY, false);
    }

    /** Payload bytes of all contributions that this position sends. */
    long contributionBytes() {
        return (shares.total() - shares.count(position)) * elementBytes;
    }

    /** Payload bytes of all results that this position sends. */
    long resultBytes() {
        return shares.count(position) * elementBytes * served();
    }

    /** Most bytes between two positions in a world of several: the {@code owners} largest shares together, 1 or 2. */
    long largestBytes(int owners) {
        if (shares.world() == 1) {
            return 0;
        }
        return owners == 1 ? shares.largest() * elementBytes : slices.bytesOfTwo();
    }

    private Transfer slice(Transfer into, int peer, int owner, long segment) {
        return slices.cut(into, peer, owner, owner, segment);
    }
}
