package io.hearth.discovery;

import java.net.InetAddress;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * The address of a peer as a person writes it: {@code host}, {@code host:port}, {@code [IPv6]:port} or a bare IPv6 literal.
 *
 * @param host a name or a literal without brackets, 1 to 253 characters
 * @param port {@value #PORT_DEFAULT} unless written
 */
public record HostPort(String host, int port) {
    /** Default port of a node. */
    public static final int PORT_DEFAULT = 52_416;

    /** Default port of a machine that shows a pairing code. */
    public static final int PORT_PAIRING = 52_400;

    private static final int HOST_CHARACTERS_MAX = 253;
    private static final Pattern IPV4 =
            Pattern.compile("(25[0-5]|2[0-4]\\d|1?\\d?\\d)(\\.(25[0-5]|2[0-4]\\d|1?\\d?\\d)){3}");
    private static final Pattern IPV6 =
            Pattern.compile("(?=.{2,80}$)[0-9a-fA-F.]*:[0-9a-fA-F.:]*:[0-9a-fA-F.:]*(%[\\w.-]{1,32})?");

    /**
     * Reads the text form.
     *
     * @throws IllegalArgumentException if {@code text} has none of these forms; the message lists them
     */
    public static HostPort parse(String text) {
        return parse(text, PORT_DEFAULT);
    }

    /** As {@link #parse(String)}, but {@code portDefault} is the port of a text without one. */
    public static HostPort parse(String text, int portDefault) {
        String host = text;
        String port = "";
        int bracket = text.indexOf(']');
        if (text.startsWith("[") && bracket > 0) {
            host = text.substring(1, bracket);
            port = text.substring(bracket + 1);
            if (!port.isEmpty() && port.charAt(0) != ':') {
                throw unreadable(text);
            }
        } else if (text.indexOf(':') == text.lastIndexOf(':') && text.indexOf(':') >= 0) {
            host = text.substring(0, text.indexOf(':'));
            port = text.substring(text.indexOf(':'));
        }
        if (host.isEmpty()
                || host.length() > HOST_CHARACTERS_MAX
                || !host.chars().allMatch(HostPort::belongs)) {
            throw unreadable(text);
        }
        if (host.indexOf(':') >= 0 && !isIpv6(host)) {
            throw unreadable(text);
        }
        return new HostPort(host, port.isEmpty() ? portDefault : port(port.substring(1), text));
    }

    /** The address, if the host is a literal; empty if it is a name. */
    public Optional<PeerAddress> literal() {
        return IPV4.matcher(host).matches() || IPV6.matcher(host).matches()
                ? Optional.of(new PeerAddress(host, port))
                : Optional.empty();
    }

    @Override
    public String toString() {
        return host.indexOf(':') >= 0 ? "[" + host + "]:" + port : host + ":" + port;
    }

    private static boolean isIpv6(String host) {
        if (!IPV6.matcher(host).matches()) {
            return false;
        }
        int scope = host.indexOf('%'); // of an interface that another machine may have
        try {
            var _ = InetAddress.ofLiteral(scope < 0 ? host : host.substring(0, scope));
            return true;
        } catch (IllegalArgumentException none) {
            return false;
        }
    }

    /** Whether a host may contain the character: names have letters of any script, literals and scopes a few more characters. */
    private static boolean belongs(int character) {
        return Character.isLetterOrDigit(character) || ".:-_%".indexOf(character) >= 0;
    }

    private static int port(String digits, String text) {
        if (digits.isEmpty() || digits.length() > 5 || !digits.chars().allMatch(c -> c >= '0' && c <= '9')) {
            throw unreadable(text);
        }
        int port = Integer.parseInt(digits);
        if (port < 1 || port > 65_535) {
            throw unreadable(text);
        }
        return port;
    }

    private static IllegalArgumentException unreadable(String text) {
        String shown = text.length() > 80 ? text.substring(0, 80) + "…" : text;
        return new IllegalArgumentException("'" + shown.replaceAll("\\p{Cntrl}", "?")
                + "' names no peer; write HOST, HOST:PORT or [IPv6]:PORT with a port of 1 to 65535");
    }
}
