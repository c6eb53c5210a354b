package io.hearth.discovery.names.machine;

import io.hearth.discovery.HostPort;
import io.hearth.discovery.PeerAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * The DNS settings of this machine: the content of {@code resolv.conf}, and the namespace of Kubernetes.
 *
 * @param servers in the order in which they are asked; at most {@value #SERVERS_MAX}
 * @param search domains to try behind a short name, at most {@value #SEARCH_MAX}
 * @param dotsMin names with fewer dots are tried with the domains first
 * @param podNamespace namespace of Kubernetes in which this process runs; empty outside a pod
 */
public record ResolverSettings(
        List<PeerAddress> servers, List<String> search, int dotsMin, Optional<String> podNamespace) {
    /** Most servers that are asked. */
    public static final int SERVERS_MAX = 3;

    /** Most domains that are tried. */
    public static final int SEARCH_MAX = 8;

    private static final int DOTS_MAX = 15;
    private static final int PORT = 53;
    private static final Pattern DOMAIN = Pattern.compile("(?=.{1,253}$)[a-z0-9_-]{1,63}(\\.[a-z0-9_-]{1,63})*");

    public ResolverSettings {
        servers = List.copyOf(servers);
        search = List.copyOf(search);
        if (servers.isEmpty() || servers.size() > SERVERS_MAX || search.size() > SEARCH_MAX || dotsMin < 0) {
            throw new IllegalArgumentException("need 1 to " + SERVERS_MAX + " servers, at most " + SEARCH_MAX
                    + " domains and dotsMin not below 0, got " + servers + ", " + search + " and " + dotsMin);
        }
    }

    /**
     * Reads a {@code resolv.conf} as resolv.conf(5) describes it; lines that it cannot read are left out. Without a server the machine's
     * own is asked.
     *
     * @param text of the file
     * @param podNamespace text of the file with the namespace of a pod; empty without one
     */
    public static ResolverSettings parse(String text, String podNamespace) {
        var servers = new ArrayList<PeerAddress>();
        List<String> search = List.of();
        int dotsMin = 1;
        for (String line : text.lines().toList()) {
            List<String> words = List.of(line.strip().split("\\s+"));
            List<String> values = words.subList(1, words.size());
            switch (words.getFirst()) {
                case "nameserver" ->
                    values.stream()
                            .limit(1)
                            .flatMap(server -> server(server).stream())
                            .filter(_ -> servers.size() < SERVERS_MAX)
                            .forEach(servers::add);
                case "search", "domain" -> search = domains(values);
                case "options" -> dotsMin = dots(values, dotsMin);
                default -> {}
            }
        }
        if (servers.isEmpty()) {
            servers.add(new PeerAddress("127.0.0.1", PORT));
        }
        return new ResolverSettings(
                servers,
                search,
                dotsMin,
                domains(List.of(podNamespace.strip())).stream().findFirst());
    }

    /** A literal, or {@code [LITERAL]:PORT} as OpenBSD writes it. */
    private static Optional<PeerAddress> server(String text) {
        try {
            return HostPort.parse(text, PORT)
                    .literal()
                    .filter(address -> text.startsWith("[") || address.host().equals(text));
        } catch (IllegalArgumentException nonsense) {
            return Optional.empty();
        }
    }

    private static List<String> domains(List<String> words) {
        return words.stream()
                .map(word -> word.endsWith(".") ? word.substring(0, word.length() - 1) : word)
                .map(word -> word.toLowerCase(Locale.ROOT))
                .filter(word -> DOMAIN.matcher(word).matches())
                .distinct()
                .limit(SEARCH_MAX)
                .toList();
    }

    private static int dots(List<String> options, int otherwise) {
        int dots = otherwise;
        for (String option : options) {
            if (option.matches("ndots:\\d{1,4}")) {
                dots = Math.min(DOTS_MAX, Integer.parseInt(option.substring("ndots:".length())));
            }
        }
        return dots;
    }
}
