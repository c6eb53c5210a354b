package io.hearth.discovery;

/**
 * Where a peer may listen: a literal IP address, never a name, and a TCP port.
 *
 * <p>Ordered by text, only so that iteration is deterministic.
 *
 * @param host IPv4 or IPv6 literal; a link-local IPv6 address carries its scope ({@code fe80::1%eth0})
 * @param port 1 to 65,535
 */
public record PeerAddress(String host, int port) implements Comparable<PeerAddress> {
    private static final int HOST_CHARACTERS_MAX = 80; // 45 for IPv6, the rest for the name of an interface

    public PeerAddress {
        if (host.isEmpty() || host.length() > HOST_CHARACTERS_MAX) {
            throw new IllegalArgumentException("host must have 1 to " + HOST_CHARACTERS_MAX + " characters, got "
                    + host.length() + "; names must be resolved first");
        }
        if (port < 1 || port > 65_535) {
            throw new IllegalArgumentException("port must be 1 to 65535, got " + port);
        }
    }

    /** Whether this is an IPv6 address. */
    public boolean isIpv6() {
        return host.indexOf(':') >= 0;
    }

    @Override
    public int compareTo(PeerAddress other) {
        int byHost = host.compareTo(other.host);
        return byHost != 0 ? byHost : Integer.compare(port, other.port);
    }

    /** As {@code 192.168.1.7:52416} or {@code [fe80::1%eth0]:52416}. */
    @Override
    public String toString() {
        return isIpv6() ? "[" + host + "]:" + port : host + ":" + port;
    }
}
