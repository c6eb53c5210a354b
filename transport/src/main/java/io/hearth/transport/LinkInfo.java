package io.hearth.transport;

import io.hearth.core.Bytes;
import java.net.InetSocketAddress;

/**
 * A snapshot of one link.
 *
 * @param peer the node at the other end
 * @param address of the other end
 * @param listens address at which it can be dialled: the one that this node dialled, or the one that the other end claims
 * @param dialedByUs whether this node dialled it
 * @param relayed whether a member passes the bytes on, because the two nodes cannot reach each other; the address is that member's
 * @param bytesIn on the wire, TLS included
 * @param bytesOut on the wire, TLS included
 * @param sinceEpochMillis wall time of admission
 * @param keyId 8 bytes that name the namespace secret that both ends proved
 */
public record LinkInfo(
        Endpoint peer,
        InetSocketAddress address,
        InetSocketAddress listens,
        boolean dialedByUs,
        boolean relayed,
        long bytesIn,
        long bytesOut,
        long sinceEpochMillis,
        Bytes keyId) {}
