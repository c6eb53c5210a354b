package io.hearth.parameterserver.etcd;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * Where an etcd is, and the keys there.
 *
 * @param endpoints of the etcd's members, any of which answers: {@code http://HOST:PORT}, 1 to 16
 * @param prefix of all keys; empty, as Paddle's parameter server has it, or a path like {@code /jobs/mnist}
 */
public record EtcdPlace(List<URI> endpoints, String prefix) {
    private static final int ENDPOINTS_MAX = 16;
    private static final int PREFIX_CHARACTERS_MAX = 256;
    private static final int PORT = 2379;

    public EtcdPlace {
        endpoints = List.copyOf(endpoints);
        if (endpoints.isEmpty() || endpoints.size() > ENDPOINTS_MAX) {
            throw new IllegalArgumentException("an etcd has 1 to " + ENDPOINTS_MAX + " end points, got "
                    + endpoints.size() + ": name fewer members");
        }
        if (prefix.length() > PREFIX_CHARACTERS_MAX || !prefix.matches("(/[!-.0-~]+)*")) {
            throw new IllegalArgumentException(
                    "the prefix of the keys in etcd is empty or a path like /jobs/mnist, of at most "
                            + PREFIX_CHARACTERS_MAX + " characters, got '" + prefix + "'");
        }
    }

    /**
     * Reads end points: {@code HOST}, {@code HOST:PORT} or {@code http://HOST:PORT}.
     *
     * @throws IllegalArgumentException with what is wrong
     */
    public static EtcdPlace parse(List<String> endpoints, String prefix) {
        var all = new ArrayList<URI>();
        for (String text : endpoints) {
            all.add(endpoint(text.strip()));
        }
        return new EtcdPlace(all, prefix);
    }

    private static URI endpoint(String text) {
        URI uri;
        try {
            uri = new URI(text.contains("://") ? text : "http://" + text);
        } catch (URISyntaxException wrong) {
            throw noEndpoint(text);
        }
        if (String.valueOf(uri.getScheme()).toLowerCase(Locale.ROOT).equals("https")) {
            throw new IllegalArgumentException("an end point of etcd with TLS is not supported, got '" + text
                    + "': use one with http:// on loopback, in a VPN or behind a tunnel");
        }
        boolean isPlain = "http".equalsIgnoreCase(uri.getScheme())
                && uri.getHost() != null
                && uri.getUserInfo() == null
                && (uri.getPath().isEmpty() || uri.getPath().equals("/"))
                && uri.getQuery() == null
                && uri.getFragment() == null
                && HostPort.isPort(uri.getPort() < 0 ? PORT : uri.getPort());
        if (!isPlain) {
            throw noEndpoint(text);
        }
        return URI.create("http://" + uri.getHost() + ":" + (uri.getPort() < 0 ? PORT : uri.getPort()));
    }

    private static IllegalArgumentException noEndpoint(String text) {
        return new IllegalArgumentException(
                "an end point of etcd is http://HOST:PORT, as in http://127.0.0.1:2379, got '" + text + "'");
    }

    /** The number of servers that a cluster wants. */
    String desiredKey() {
        return prefix + "/ps_desired";
    }

    /** Before the indexes of servers. */
    String servers() {
        return prefix + "/ps/";
    }

    String serverKey(int index) {
        return servers() + index;
    }

    String checkpointKey(int index) {
        return prefix + "/checkpoints/" + index;
    }

    /** Of the trainer that sets the parameters. */
    String lockKey() {
        return prefix + "/init_ps/lock";
    }

    /** For messages. */
    public String text() {
        return endpoints.stream().map(URI::toString).collect(Collectors.joining(","));
    }
}
