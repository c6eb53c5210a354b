package io.hearth.collective.schedule;

import java.util.function.IntToLongFunction;

/** Division of shares into segments, and the argument checks that schedules share. */
final class Segments {
    /** Chunk number on the wire of a note, a segment without bytes that belongs to no share; no position has this number. */
    private static final int NOTE = 0xFFFF;

    private Segments() {}

    /** Number of segments of {@code segmentBytes} that hold {@code bytes}; an empty share still has one, without bytes. */
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

    /** The position {@code steps} after this one on the ring; steps may be negative. */
    static int around(int position, long steps, int world) {
        return Math.floorMod(position + steps, world);
    }

    /** The {@code index}-th of all positions without {@code position}, in rising order. */
    static int other(int position, long index) {
        return (int) (index < position ? index : index + 1);
    }

    /** The largest of all positions' values, or 0 if none is larger. */
    static long largest(int world, IntToLongFunction ofPosition) {
        long largest = 0;
        for (int position = 0; position < world; position++) {
            largest = Math.max(largest, ofPosition.applyAsLong(position));
        }
        return largest;
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
            throw new IllegalArgumentException("segmentBytes must be a positive multiple of 8, got " + segmentBytes);
        }
    }

    /** Rejects elements that a segment would cut, and sizes whose total traffic overflows a {@code long}. */
    static void check(int position, int world, long count, int elementBytes, int segmentBytes) {
        check(position, world, segmentBytes);
        if (elementBytes < 1 || segmentBytes % elementBytes != 0) {
            throw new IllegalArgumentException(
                    "segmentBytes must be a multiple of elementBytes, got " + segmentBytes + " and " + elementBytes);
        }
        long countMax = Long.MAX_VALUE / 2 / world / elementBytes;
        if (count < 0 || count > countMax) {
            throw new IllegalArgumentException("count must be 0 to " + countMax + " elements, got " + count);
        }
    }

    static void checkBytes(int world, long bytes) {
        if (bytes < 0 || bytes > Long.MAX_VALUE / 2 / world) {
            throw new IllegalArgumentException("bytes must be 0 to " + Long.MAX_VALUE / 2 / world + ", got " + bytes);
        }
    }

    static void checkRoot(String name, int root, int world) {
        if (root < 0 || root >= world) {
            throw new IllegalArgumentException(
                    "need a " + name + " of 0 to " + (world - 1) + ", got " + root + " in a world of " + world);
        }
    }
}
