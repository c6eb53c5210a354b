package io.hearth.parameterserver.etcd;

import java.net.Inet6Address;
import java.net.InetSocketAddress;
import java.util.Optional;

/** Addresses as text: {@code HOST:PORT}, an IPv6 address in brackets. */
final class HostPort {
    private static final int PORT_MAX = 65_535;
    private static final int CHARACTERS_MAX = 300;

    private HostPort() {}

    static boolean isPort(int port) {
        return port > 0 && port <= PORT_MAX;
    }

    static boolean isOne(String text) {
        return parse(text).isPresent();
    }

    /** An address whose name is not resolved; empty if the text is none. */
    static Optional<InetSocketAddress> parse(String text) {
        int colon = text.lastIndexOf(':');
        if (colon < 1 || text.length() > CHARACTERS_MAX) {
            return Optional.empty();
        }
        String host = text.substring(0, colon);
        boolean isBracketed = host.startsWith("[") && host.endsWith("]");
        if (isBracketed) {
            host = host.substring(1, host.length() - 1);
        }
        String port = text.substring(colon + 1);
        boolean isHost = host.matches(isBracketed ? "[0-9a-fA-F:.]+(%[0-9a-zA-Z]+)?" : "[0-9a-zA-Z._-]+");
        return isHost && port.matches("[0-9]{1,5}") && isPort(Integer.parseInt(port))
                ? Optional.of(InetSocketAddress.createUnresolved(host, Integer.parseInt(port)))
                : Optional.empty();
    }

    static String text(InetSocketAddress address) {
        String host = address.getAddress() == null
                ? address.getHostString()
                : address.getAddress().getHostAddress();
        return (address.getAddress() instanceof Inet6Address ? "[" + host + "]" : host) + ":" + address.getPort();
    }
}
