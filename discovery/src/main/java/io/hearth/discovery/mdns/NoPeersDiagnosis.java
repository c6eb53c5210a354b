package io.hearth.discovery.mdns;

import io.hearth.discovery.names.machine.NameReport;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** Explains from the counters of each interface, and from the lookups of names, why no peer was found, so that a lack of peers is never the only symptom. */
public final class NoPeersDiagnosis {
    private static final int NAMES_SHOWN = 8;
    private static final List<String> NO_ROUTE = List.of("no route to host", "host is unreachable", "ehostunreach");

    private NoPeersDiagnosis() {}

    /**
     * One line for people: the packets sent and received on each interface, and the likeliest remedy.
     *
     * @param seconds since the start
     * @param counters of every interface in use
     * @param names what lookups of named peers brought
     * @param macos whether this machine runs macOS
     */
    public static String explain(long seconds, List<MdnsCounters> counters, List<NameReport> names, boolean macos) {
        String asked = names.stream()
                .limit(NAMES_SHOWN)
                .map(each -> "; " + each.text())
                .collect(Collectors.joining());
        String others = names.size() > NAMES_SHOWN ? "; and " + (names.size() - NAMES_SHOWN) + " more names" : "";
        return "0 peers after " + seconds + " s: " + tried(counters) + asked + others + "; "
                + remedy(counters, names, macos);
    }

    /** Whether {@code error} is the one that macOS gives to a program that may not use the local network. */
    public static boolean isLocalNetworkPrivacy(String error, boolean macos) {
        String lower = error.toLowerCase(Locale.ROOT);
        return macos && NO_ROUTE.stream().anyMatch(lower::contains);
    }

    /** The remedy for Local Network privacy. */
    public static String localNetworkRemedy() {
        return "macOS refuses this program the local network (Local Network privacy): allow it under System Settings >"
                + " Privacy & Security > Local Network (on already: turn it off and on, then start again), or start it"
                + " from Terminal or ssh, which are exempt";
    }

    private static String tried(List<MdnsCounters> counters) {
        if (counters.isEmpty()) {
            return "no usable network interface";
        }
        return counters.stream().map(NoPeersDiagnosis::tried).collect(Collectors.joining(", "));
    }

    private static String tried(MdnsCounters each) {
        String line = "sent " + each.sent() + " packets on " + each.interfaceName() + ", heard " + each.recordsHeard()
                + " records, " + each.services() + " Hearth services, " + each.foreign() + " of other namespaces";
        if (each.dropped() > 0) {
            line += ", dropped " + each.dropped() + " packets";
        }
        if (each.restarted() > 0) {
            line += ", restarted " + each.restarted() + " times (" + each.restartReason() + ")";
        }
        return each.sendFailures() == 0
                ? line
                : line + ", " + each.sendFailures() + " refused (" + each.lastFailure() + ")";
    }

    private static String remedy(List<MdnsCounters> counters, List<NameReport> names, boolean macos) {
        if (counters.stream().anyMatch(each -> isLocalNetworkPrivacy(each.lastFailure(), macos))) {
            return localNetworkRemedy();
        }
        if (counters.stream().anyMatch(each -> each.members() > 0)) {
            return "members were seen but no link came about: see the refusals in `hearth status`, and let TCP port 52416"
                    + " through the firewall";
        }
        if (counters.stream().anyMatch(each -> each.foreign() > 0)) {
            return "the others use another namespace or secret: compare `hearth id` on both machines";
        }
        if (names.stream().anyMatch(each -> each.addresses() > 0)) {
            return "names have addresses but no link came about: is Hearth running there, is the port right, and does a"
                    + " firewall let TCP 52416 in?";
        }
        if (!names.isEmpty()) {
            return "no name of --peer or config.toml has an address: compare it with `nslookup`, and see that its peers are"
                    + " up";
        }
        if (counters.isEmpty()) {
            return "connect to a network, or name an interface with --interface";
        }
        return "is a node running on another machine of this LAN? Firewalls must let UDP 5353 and TCP 52416 in; on a Wi-Fi"
                + " that isolates its clients name one side's address with --peer HOST on the other";
    }
}
