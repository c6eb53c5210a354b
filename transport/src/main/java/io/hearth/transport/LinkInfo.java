package io.hearth.transport;

import java.net.InetSocketAddress;

/**
 * One link as it was when asked for.
 *
 * @param peer who is at the other end
 * @param address of the other end
 * @param listens where it can be dialled, as this node did, or as the other end says of itself
 * @param dialedByUs whether this node dialled it
 * @param bytesIn on the wire, TLS included
 * @param bytesOut likewise
 * @param sinceEpochMillis wall time of admission
 */
public record LinkInfo(
        Endpoint peer,
        InetSocketAddress address,
        InetSocketAddress listens,
        boolean dialedByUs,
        long bytesIn,
        long bytesOut,
        long sinceEpochMillis) {}
