package io.hearth.transport;

import io.hearth.core.Bytes;
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
 * @param keyId 8 bytes that name the namespace secret that both ends proved
 */
public record LinkInfo(
        Endpoint peer,
        InetSocketAddress address,
        InetSocketAddress listens,
        boolean dialedByUs,
        long bytesIn,
        long bytesOut,
        long sinceEpochMillis,
        Bytes keyId) {}
