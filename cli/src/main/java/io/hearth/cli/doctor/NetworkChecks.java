package io.hearth.cli.doctor;

import io.hearth.discovery.HostPort;
import io.hearth.discovery.mdns.InterfacePolicy;
import io.hearth.discovery.mdns.InterfaceState;
import io.hearth.discovery.mdns.MulticastProbe;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Checks of this machine's network. The verdicts are pure; only {@link #port} opens something. */
final class NetworkChecks {
    /** How macOS reports that a program may not use the local network. */
    private static final String NO_ROUTE = "No route to host";

    private static final String LOCAL_NETWORK = "probably macOS's Local Network privacy: in System Settings, Privacy &"
            + " Security, Local Network, switch the program that started this one off and on, and start it again; or run"
            + " the agent with 'sudo hearth install', which needs no permission";

    private static final Pattern ROUTE = Pattern.compile("(?:\\bdev |interface: )(\\S+)");

    private NetworkChecks() {}

    /** One line for each interface that is up: used, or why not. */
    static List<Finding> interfaces(List<InterfaceState> all, InterfacePolicy policy) {
        var findings = new ArrayList<Finding>();
        int used = 0;
        for (InterfaceState state : all) {
            Optional<String> objection = policy.objection(state);
            if (objection.isEmpty()) {
                findings.add(Finding.ok(
                        "interface",
                        state.name() + " is used, " + state.mdnsAddress().orElse("")));
                used += state.loopback() ? 0 : 1;
            } else if (state.up() && !state.loopback()) {
                findings.add(Finding.ok("interface", state.name() + " is not used: " + objection.get()));
            }
        }
        if (used == 0 && policy.only().isEmpty()) {
            findings.add(Finding.problem(
                    "interface",
                    "no interface leads to other machines",
                    "connect a cable or Wi-Fi, or name an interface with --interface"));
        }
        return findings;
    }

    /** The verdict about multicast on one interface. */
    static Finding multicast(InterfaceState state, MulticastProbe.Result result, boolean isMac) {
        String name = state.name();
        if (result.failure().isPresent()) {
            String why = result.failure().get();
            boolean isPrivacy = isMac && why.contains(NO_ROUTE);
            return Finding.problem(
                    "multicast",
                    name + ": mDNS cannot be sent: " + why,
                    isPrivacy
                            ? LOCAL_NETWORK
                            : "let UDP port 5353 to 224.0.0.251 out and in through this machine's firewall, or name"
                                    + " peers with --peer");
        }
        if (!result.heardItself()) {
            return Finding.problem(
                    "multicast",
                    name + ": mDNS was sent, and the system did not give it back: something drops it",
                    "let UDP port 5353 in through this machine's firewall, or name peers with --peer");
        }
        if (state.loopback()) {
            return Finding.ok("multicast", name + ": sends and receives");
        }
        return result.others().isEmpty()
                ? Finding.note(
                        "multicast",
                        name + ": sends and receives; no other machine was heard",
                        "if others run Hearth there: look for client isolation or IGMP snooping on the switch or access"
                                + " point, or name a peer with --peer")
                : Finding.ok("multicast", name + ": sends and receives; heard " + String.join(", ", result.others()));
    }

    /**
     * Whether a VPN takes the route of multicast.
     *
     * @param answer of {@code ip route get} or {@code route get}
     */
    static Optional<Finding> multicastRoute(String answer, List<InterfaceState> all, InterfacePolicy policy) {
        Matcher route = ROUTE.matcher(answer);
        if (!route.find()) {
            return Optional.empty();
        }
        String name = route.group(1);
        return all.stream()
                .filter(state -> state.name().equals(name) && !state.loopback() && state.up())
                .findFirst()
                .flatMap(policy::objection)
                .map(why -> Finding.note(
                        "route",
                        "the system sends multicast to " + name + " (" + why + ")",
                        "Hearth names an interface for each packet, and other programs may not; if peers are not found,"
                                + " disconnect the VPN"));
    }

    /** Whether the usual port is free; for a machine on which no agent runs. */
    static Finding port(int port) {
        try (var socket = new ServerSocket()) {
            socket.setReuseAddress(true);
            socket.bind(new InetSocketAddress(port));
            return Finding.ok("port", "TCP port " + port + " is free");
        } catch (IOException taken) {
            return Finding.problem(
                    "port",
                    "TCP port " + port + " cannot be opened: " + taken.getMessage(),
                    "find what uses it ('lsof -i TCP:" + port + "'), or set listen_port in config.toml");
        }
    }

    /** The same where an agent runs and has chosen its port. */
    static Finding agentPort(int port, boolean isChosen) {
        return port == HostPort.PORT_DEFAULT || isChosen
                ? Finding.ok("port", "the agent listens on TCP port " + port)
                : Finding.problem(
                        "port",
                        "the agent listens on TCP port " + port + ", because " + HostPort.PORT_DEFAULT
                                + " is taken by another program",
                        "stop that program ('lsof -i TCP:" + HostPort.PORT_DEFAULT
                                + "'), or set listen_port in config.toml and let it through the firewalls");
    }

    /**
     * Notes with the commands that open the ports in the firewalls of this machine.
     *
     * @param ufw output of {@code ufw status}
     * @param firewalld output of {@code firewall-cmd --state}
     * @param mac output of {@code socketfilterfw --getglobalstate}
     */
    static List<Finding> firewall(String ufw, String firewalld, String mac, int port) {
        var findings = new ArrayList<Finding>();
        if (ufw.toLowerCase(Locale.ROOT).contains("status: active")) {
            findings.add(Finding.note(
                    "firewall", "ufw is active", "sudo ufw allow " + port + "/tcp && sudo ufw allow 5353/udp"));
        }
        if (firewalld.strip().equals("running")) {
            findings.add(Finding.note(
                    "firewall",
                    "firewalld is active",
                    "sudo firewall-cmd --permanent --add-service=mdns --add-port=" + port
                            + "/tcp && sudo firewall-cmd --reload"));
        }
        if (mac.contains("State = 1") || mac.contains("State = 2")) {
            findings.add(Finding.note(
                    "firewall",
                    "macOS's firewall is on",
                    "in System Settings, Network, Firewall, Options, allow 'java' to receive connections"));
        }
        return findings;
    }
}
