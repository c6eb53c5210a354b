package io.hearth.transport;

import java.nio.charset.StandardCharsets;

/**
 * Names a data stream. The name is part of the stream's keys, so that bytes of another group, epoch or stream do not decrypt.
 *
 * @param group the training job, at most 63 bytes of UTF-8
 * @param fence the group epoch in its lineage, as text: lineage and group epoch; at most 256 bytes of UTF-8
 * @param index number of the stream between the two nodes, 0 to {@value #INDEX_MAX}; greater ones, up to {@value #LANE_INDEX_MAX}, name
 *     further connections of a stream
 */
public record StreamId(String group, String fence, int index) {
    private static final int GROUP_BYTES_MAX = 63;
    private static final int FENCE_BYTES_MAX = 256;

    /** Highest index of a stream. */
    public static final int INDEX_MAX = 1023;

    /** Highest index of a connection. */
    static final int LANE_INDEX_MAX = 5 * (INDEX_MAX + 1) - 1;

    public StreamId {
        int groupBytes = group.getBytes(StandardCharsets.UTF_8).length;
        int fenceBytes = fence.getBytes(StandardCharsets.UTF_8).length;
        if (groupBytes > GROUP_BYTES_MAX || fenceBytes > FENCE_BYTES_MAX || index < 0 || index > LANE_INDEX_MAX) {
            throw new IllegalArgumentException("no stream has a group of " + groupBytes + " bytes, a fence of "
                    + fenceBytes + " bytes and index " + index);
        }
    }
}
