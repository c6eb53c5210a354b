package io.hearth.transport.lane;

import io.hearth.transport.RecordHeader;
import io.hearth.transport.machine.LaneLimits;
import java.util.Arrays;

/** The records of one direction of a stream of several lanes, by their places. Guarded by the stream's lock. */
final class LaneRecords {
    final int[] kinds = new int[LaneLimits.PLACES];
    final int[] chunks = new int[LaneLimits.PLACES];
    final long[] collectives = new long[LaneLimits.PLACES];
    final long[] offsets = new long[LaneLimits.PLACES];
    final int[] lengths = new int[LaneLimits.PLACES];
    final byte[][] bytes = new byte[LaneLimits.PLACES][];

    LaneRecords() {
        byte[] none = {};
        Arrays.fill(bytes, none);
    }

    /** Stores what a header says. */
    void describe(int place, int kind, int chunk, long collective, long offset, int length) {
        kinds[place] = kind;
        chunks[place] = chunk;
        collectives[place] = collective;
        offsets[place] = offset;
        lengths[place] = length;
    }

    /** An array for {@code length} bytes at that place. Small records take little memory. */
    byte[] room(int place, int length) {
        if (bytes[place].length < length) {
            int size = length <= SMALL_BYTES ? SMALL_BYTES : RecordHeader.RECORD_BYTES_MAX;
            bytes[place] = new byte[size];
        }
        return bytes[place];
    }

    private static final int SMALL_BYTES = 4096;
}
