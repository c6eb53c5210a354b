package io.hearth.bench;

import java.util.Arrays;
import java.util.stream.LongStream;

/**
 * Bytes that nodes send each other, encodings with their headers. What any transport adds (records, TCP, IP) is left out, of the
 * uncompressed sum that they are compared with too.
 */
final class Traffic {
    private final long vectorBytes;
    private final long[] uploaded;
    private final long[] sent;
    private final long[] received;
    private long sums;

    /** Among {@code nodes}, of {@code count} float32 values in each sum. */
    Traffic(int nodes, long count) {
        vectorBytes = count * Float.BYTES;
        uploaded = new long[nodes];
        sent = new long[nodes];
        received = new long[nodes];
    }

    /** One more sum has begun. */
    void begin() {
        sums++;
    }

    /** A node has encoded a part of its own gradient. */
    void encoded(int node, long bytes) {
        uploaded[node] += bytes;
    }

    /** A node has sent bytes to another one; nothing if it is the same. */
    void sent(int from, int to, long bytes) {
        if (from != to) {
            sent[from] += bytes;
            received[to] += bytes;
        }
    }

    /** A node has passed bytes on to the next one, that to the one after it, until all have them. */
    void passedRound(int origin, long bytes) {
        for (int hop = 0; hop < sent.length - 1; hop++) {
            sent((origin + hop) % sent.length, (origin + hop + 1) % sent.length, bytes);
        }
    }

    /** All nodes have summed their gradients as they are, round a ring. */
    void plainRing() {
        for (int node = 0; node < sent.length; node++) {
            encoded(node, vectorBytes);
            sent(node, (node + 1) % sent.length, 2L * (sent.length - 1) * vectorBytes / sent.length);
        }
    }

    /** Uncompressed bytes of a gradient over those of one node's encodings of it, on average over sums and nodes. */
    double uploadedRatio() {
        return (double) vectorBytes
                * sums
                * uploaded.length
                / Arrays.stream(uploaded).sum();
    }

    /**
     * Bytes that a ring all-reduce of uncompressed values moves through the port of each node, over those that crossed the busiest
     * port, each in the busier direction.
     */
    double busiestLinkRatio() {
        int nodes = sent.length;
        double ring = 2.0 * (nodes - 1) / nodes * vectorBytes * sums;
        return ring
                / LongStream.concat(Arrays.stream(sent), Arrays.stream(received))
                        .max()
                        .orElseThrow();
    }
}
