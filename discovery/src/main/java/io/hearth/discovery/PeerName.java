package io.hearth.discovery;

import java.util.Locale;
import java.util.regex.Pattern;

/**
 * A peer, or a name under which peers are found, as a person writes it:
 *
 * <pre>
 * HOST[:PORT], [IPv6]:PORT            one peer; a name may have several addresses
 * dns:NAME[:PORT]                     each A and AAAA address of the name is a peer
 * srv:_hearth._tcp.DOMAIN             each SRV record names a peer and its port (RFC 2782)
 * k8s:SERVICE[.NAMESPACE][:PORT]      each pod of a headless service of Kubernetes
 * </pre>
 *
 * <p>Reading a text resolves nothing. After a prefix, a word of digits alone is the port of a host with the prefix's name.
 */
public sealed interface PeerName {
    /** The forms of a text, for messages. */
    String FORMS = "HOST[:PORT], [IPv6]:PORT, dns:NAME[:PORT], srv:NAME or k8s:SERVICE[.NAMESPACE][:PORT]";

    /** One peer, by name or literal. */
    record Host(HostPort host) implements PeerName {
        @Override
        public String toString() {
            return host.toString();
        }
    }

    /** A name whose addresses are peers, all with the same port. */
    record Dns(String name, int port) implements PeerName {
        @Override
        public String toString() {
            return "dns:" + name + withPort(port);
        }
    }

    /** A name whose SRV records are peers. */
    record Service(String name) implements PeerName {
        @Override
        public String toString() {
            return "srv:" + name;
        }
    }

    /**
     * A headless service of Kubernetes. It should have {@code publishNotReadyAddresses}, else pods that wait for one another to become ready
     * are not listed.
     *
     * @param service its name, or its whole domain name {@code SERVICE.NAMESPACE.svc.DOMAIN}
     * @param port of pods whose service has no port named {@code hearth}
     */
    record Kubernetes(String service, int port) implements PeerName {
        @Override
        public String toString() {
            return "k8s:" + service + withPort(port);
        }
    }

    /**
     * Reads the text form.
     *
     * @throws IllegalArgumentException if {@code text} has none of the forms; the message lists them
     */
    static PeerName parse(String text) {
        int colon = text.indexOf(':');
        String rest = text.substring(colon + 1);
        boolean isHost = colon < 0 || rest.isEmpty() || rest.chars().allMatch(c -> c >= '0' && c <= '9');
        return switch (isHost ? "" : text.substring(0, colon)) {
            case "dns" -> {
                HostPort named = named(text, rest);
                yield new Dns(named.host(), named.port());
            }
            case "srv" -> {
                if (rest.indexOf(':') >= 0) {
                    throw unreadable(text, "an SRV record has its own port");
                }
                yield new Service(named(text, rest).host());
            }
            case "k8s" -> {
                HostPort named = named(text, rest);
                String[] labels = named.host().split("\\.", 4);
                if (labels.length > 2 && !labels[2].equals("svc")) {
                    throw unreadable(text, "the label after the namespace must be svc");
                }
                yield new Kubernetes(named.host(), named.port());
            }
            default -> new Host(host(text));
        };
    }

    private static HostPort host(String text) {
        try {
            return HostPort.parse(text);
        } catch (IllegalArgumentException none) {
            throw unreadable(text, "it names no peer");
        }
    }

    /** The name and port behind a prefix; letters in lower case, as DNS compares them. */
    private static HostPort named(String text, String rest) {
        HostPort named;
        try {
            named = HostPort.parse(rest);
        } catch (IllegalArgumentException none) {
            throw unreadable(text, "it names no peer");
        }
        if (named.literal().isPresent()) {
            throw unreadable(text, "an address needs no prefix");
        }
        String name = named.host().endsWith(".")
                ? named.host().substring(0, named.host().length() - 1)
                : named.host();
        if (!Labels.NAME.matcher(name).matches()) {
            throw unreadable(
                    text, "a DNS name has labels of 1 to 63 characters a-z, 0-9, '-' and '_' (other scripts as xn--)");
        }
        return new HostPort(named.host().toLowerCase(Locale.ROOT), named.port());
    }

    private static String withPort(int port) {
        return port == HostPort.PORT_DEFAULT ? "" : ":" + port;
    }

    private static IllegalArgumentException unreadable(String text, String why) {
        String shown = text.length() > 80 ? text.substring(0, 80) + "…" : text;
        return new IllegalArgumentException("peer must be " + FORMS + " with a port of 1 to 65535, got '"
                + shown.replaceAll("\\p{Cntrl}", "?") + "': " + why);
    }

    /** The pattern of a domain name. */
    final class Labels {
        private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_-]{1,63}(\\.[A-Za-z0-9_-]{1,63})*");

        private Labels() {}
    }
}
