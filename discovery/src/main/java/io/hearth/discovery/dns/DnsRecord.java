package io.hearth.discovery.dns;

import io.hearth.core.Bytes;

/** A record of class IN about a service or a host. */
public sealed interface DnsRecord {
    DnsName name();

    /** Time for which the record is valid, unsigned 32 bits; 0 is a goodbye. */
    long ttlSeconds();

    /**
     * SRV: where an instance of a service listens.
     *
     * @param priority 0 to 65,535; smaller ones come first
     * @param weight 0 to 65,535, among equal priorities
     * @param port 0 to 65,535
     */
    record Service(DnsName name, long ttlSeconds, int priority, int weight, int port, DnsName host)
            implements DnsRecord {}

    /** CNAME: another name of the same host. mDNS has none. */
    record Alias(DnsName name, long ttlSeconds, DnsName target) implements DnsRecord {}

    /**
     * TXT: the properties that an instance of a service announces.
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
