package io.hearth.parameterserver.etcd;

import java.time.Duration;
import java.util.Optional;

/**
 * How a server publishes itself in an etcd.
 *
 * @param address {@code HOST:PORT} at which trainers reach it; that of its port, if absent
 * @param desired number of servers that {@code /ps_desired} gets, unless it has one; 1 or more
 * @param lease after which etcd removes a server that is silent, 1 s to 1 h
 */
public record EtcdPublication(EtcdPlace place, Optional<String> address, int desired, Duration lease) {
    /** 10 s. */
    public static final Duration LEASE_DEFAULT = Duration.ofSeconds(10);

    private static final Duration LEASE_MIN = Duration.ofSeconds(1);
    private static final Duration LEASE_MAX = Duration.ofHours(1);

    public EtcdPublication {
        if (address.isPresent() && !HostPort.isOne(address.get())) {
            throw new IllegalArgumentException(
                    "the address that etcd gets is HOST:PORT, as in 192.168.1.20:29513, got '" + address.get() + "'");
        }
        if (desired < 1) {
            throw new IllegalArgumentException("the number of servers that etcd gets is 1 or more, got " + desired);
        }
        if (lease.compareTo(LEASE_MIN) < 0 || lease.compareTo(LEASE_MAX) > 0) {
            throw new IllegalArgumentException("the lease of a server in etcd is 1s to 1h, got " + lease);
        }
    }
}
