package io.hearth.discovery.dns;

import io.hearth.core.Bytes;

/** A record of class IN that tells something about a service or a host. */
public sealed interface DnsRecord {
    DnsName name();

    /** How long the sender wants it to be believed; 0 says goodbye. Unsigned 32 bits. */
    long ttlSeconds();

    /**
     * SRV: where an instance of a service listens.
     *
     * @param port 0 to 65,535
     */
    record Service(DnsName name, long ttlSeconds, int port, DnsName host) implements DnsRecord {}

    /**
     * TXT: what an instance of a service says of itself.
     *
     * @param data strings, each behind its length of one byte; at most {@link DnsReader#DATA_BYTES_MAX} bytes
     */
    record Text(DnsName name, long ttlSeconds, Bytes data) implements DnsRecord {}

    /**
     * A or AAAA: an address of a host.
     *
     * @param address 4 or 16 bytes
     */
    record Address(DnsName name, long ttlSeconds, Bytes address) implements DnsRecord {}
}
