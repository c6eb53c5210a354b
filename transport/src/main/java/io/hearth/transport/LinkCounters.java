package io.hearth.transport;

import java.util.Map;

/**
 * What happened on a node's links since they were opened.
 *
 * @param admitted handshakes that became links
 * @param refusals connections that did not, by cause; every cause is listed
 * @param droppedSends messages that found no link or a full queue
 * @param malformed links that were closed for what came in on them
 * @param unknownKinds frames of the link's own kinds that this version does not know
 * @param streamsRefused connections to the data port that were closed before they became a stream
 */
public record LinkCounters(
        long admitted,
        Map<LinkRejection, Long> refusals,
        long droppedSends,
        long malformed,
        long unknownKinds,
        long streamsRefused) {
    public LinkCounters {
        refusals = Map.copyOf(refusals);
    }
}
