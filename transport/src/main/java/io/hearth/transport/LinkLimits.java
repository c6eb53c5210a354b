package io.hearth.transport;

import java.time.Duration;

/**
 * Limits of the links of a node.
 *
 * @param handshake time from connected to admitted
 * @param handshakeBytesMax that a peer may send before admission, on the wire
 * @param connect timeout of a connection attempt
 * @param gate limits of connections before their admission
 * @param linksMax admitted links
 * @param dialsMax dials in progress
 * @param queueBytesMax of messages that wait for one slow peer
 * @param streamsPendingMax connections to the data port that have not become a stream yet
 * @param recordsPerKey records of a data stream after which its key is replaced
 */
public record LinkLimits(
        Duration handshake,
        int handshakeBytesMax,
        Duration connect,
        GateLimits gate,
        int linksMax,
        int dialsMax,
        int queueBytesMax,
        int streamsPendingMax,
        long recordsPerKey) {
    /** Limits for a home. */
    public static final LinkLimits DEFAULT = new LinkLimits(
            Duration.ofSeconds(5),
            8 * 1024,
            Duration.ofSeconds(5),
            GateLimits.DEFAULT,
            1024,
            64,
            4 * 1024 * 1024,
            32,
            1L << 19);

    public LinkLimits {
        if (!handshake.isPositive()
                || !connect.isPositive()
                || handshakeBytesMax < 1
                || linksMax < 1
                || dialsMax < 1
                || queueBytesMax < Frame.BYTES_MAX + Frame.HEADER_BYTES
                || streamsPendingMax < 1
                || recordsPerKey < 1) {
            throw new IllegalArgumentException("every limit must be positive, and a queue must hold one message");
        }
    }

    /** These limits with another number of records per key. */
    LinkLimits recordsPerKey(long records) {
        return new LinkLimits(
                handshake,
                handshakeBytesMax,
                connect,
                gate,
                linksMax,
                dialsMax,
                queueBytesMax,
                streamsPendingMax,
                records);
    }

    /** These limits with other numbers of links and of dials in progress. */
    public LinkLimits links(int links, int dials) {
        return new LinkLimits(
                handshake,
                handshakeBytesMax,
                connect,
                gate,
                links,
                dials,
                queueBytesMax,
                streamsPendingMax,
                recordsPerKey);
    }

    /** These limits with others for connections before admission. */
    LinkLimits gate(GateLimits other) {
        return new LinkLimits(
                handshake,
                handshakeBytesMax,
                connect,
                other,
                linksMax,
                dialsMax,
                queueBytesMax,
                streamsPendingMax,
                recordsPerKey);
    }

    /** These limits with another time for a handshake. */
    LinkLimits handshake(Duration limit) {
        return new LinkLimits(
                limit,
                handshakeBytesMax,
                connect,
                gate,
                linksMax,
                dialsMax,
                queueBytesMax,
                streamsPendingMax,
                recordsPerKey);
    }
}
