package io.hearth.transport;

import java.util.Map;

/**
 * Counters of a node's links since they were opened.
 *
 * @param admitted handshakes that became links
 * @param refusals connections that did not become links, by cause; every cause is listed
 * @param droppedSends messages dropped because there was no link or its queue was full
 * @param malformed links that were closed because of malformed input
 * @param unknownKinds frames of the link's own kinds that this version does not know
 * @param streamsRefused connections to the data port that were closed before they became a stream
 * @param bytesIn bytes received, as they were on the wire, handshakes included
 * @param bytesOut bytes sent, as they were on the wire, handshakes included
 * @param messagesIn messages received, without those of the links themselves
 * @param messagesOut messages sent, without those of the links themselves
 */
public record LinkCounters(
        long admitted,
        Map<LinkRejection, Long> refusals,
        long droppedSends,
        long malformed,
        long unknownKinds,
        long streamsRefused,
        long bytesIn,
        long bytesOut,
        long messagesIn,
        long messagesOut) {
    public LinkCounters {
        refusals = Map.copyOf(refusals);
    }
}
