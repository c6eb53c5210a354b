package io.hearth.collective.schedule;

/** How shares are cut into segments, and what no schedule allows. */
final class Segments {
    /** Name on the wire of a segment without bytes that belongs to nobody's share; no position has this number. */
    private static final int NOTE = 0xFFFF;

    private Segments() {}

    /** How many segments of {@code segmentBytes} hold {@code bytes}; an empty share still takes one, as a token. */
    static long of(long bytes, int segmentBytes) {
        return Math.max(1, Math.ceilDiv(bytes, segmentBytes));
    }

    /** The {@code index}-th segment of a share of {@code bytes} that starts at {@code start}; empty beyond its end. */
    static Transfer cut(Transfer into, int peer, int chunk, long start, long bytes, long index, int segmentBytes) {
        long from = Math.min(index * segmentBytes, bytes);
        return into.between(peer, chunk, start + from, (int) Math.min(segmentBytes, bytes - from));
    }

    static void sendNote(Transfer into, int peer, long after) {
        into.between(peer, NOTE, 0, 0).sent(false, after);
    }

    static void receiveNote(Transfer into, int peer) {
        into.between(peer, NOTE, 0, 0).received(Transfer.Action.NOTE, false);
    }

    /** The position {@code steps} after this one, going round; steps may be negative. */
    static int around(int position, long steps, int world) {
        return Math.floorMod(position + steps, world);
    }

    /** The {@code index}-th of all positions without {@code position}, in rising order. */
    static int other(int position, long index) {
        return (int) (index < position ? index : index + 1);
    }

    static void check(int position, int world) {
        if (world < 1 || world > NOTE || position < 0 || position >= world) {
            throw new IllegalArgumentException(
                    "need 0 <= position < world <= 65535, got position " + position + " of " + world);
        }
    }

    static void check(int position, int world, int segmentBytes) {
        check(position, world);
        if (segmentBytes < 8 || segmentBytes % 8 != 0) {
            throw new IllegalArgumentException(
                    "segments hold whole elements: need a positive multiple of 8 bytes, got " + segmentBytes);
        }
    }

    /** Refuses elements that a segment would cut, and sizes whose total traffic no {@code long} counts. */
    static void check(int position, int world, long count, int elementBytes, int segmentBytes) {
        check(position, world, segmentBytes);
        if (elementBytes < 1 || segmentBytes % elementBytes != 0) {
            throw new IllegalArgumentException("segments hold whole elements: " + segmentBytes
                    + " bytes are no multiple of an element of " + elementBytes);
        }
        if (count < 0 || count > Long.MAX_VALUE / 2 / world / elementBytes) {
            throw new IllegalArgumentException("no buffer has " + count + " elements of " + elementBytes + " bytes");
        }
    }

    static void checkBytes(int world, long bytes) {
        if (bytes < 0 || bytes > Long.MAX_VALUE / 2 / world) {
            throw new IllegalArgumentException("no buffer has " + bytes + " bytes");
        }
    }

    static void checkRoot(String name, int root, int world) {
        if (root < 0 || root >= world) {
            throw new IllegalArgumentException(
                    "need a " + name + " of 0 to " + (world - 1) + ", got " + root + " in a world of " + world);
        }
    }
}
