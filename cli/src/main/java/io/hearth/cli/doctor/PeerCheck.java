package io.hearth.cli.doctor;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.hearth.core.HearthException;
import io.hearth.discovery.HostPort;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NoRouteToHostException;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Checks the way to one other machine: its name, its port, the admission by both, and the link as both ends measure it. */
final class PeerCheck {
    private static final int CONNECT_MILLIS_MAX = 3_000;
    private static final Duration LINK_MAX = Duration.ofSeconds(10);
    private static final Duration ROUND_TRIP_MAX = Duration.ofSeconds(5);
    private static final String CHECK = "peer";

    private final HostPort peer;
    private final boolean isMac;
    private final RateCheck rates;

    PeerCheck(HostPort peer, boolean isMac, RateCheck rates) {
        this.peer = peer;
        this.isMac = isMac;
        this.rates = rates;
    }

    List<Finding> run(NodeView node) throws HearthException, InterruptedException {
        var findings = new ArrayList<Finding>();
        InetAddress[] addresses;
        try {
            addresses = InetAddress.getAllByName(peer.host());
        } catch (UnknownHostException unknown) {
            return List.of(Finding.problem(
                    CHECK,
                    "the name " + peer.host() + " has no address",
                    "use the machine's IP address, or HOST.local on a network with mDNS"));
        }
        Optional<InetAddress> open = Optional.empty();
        for (InetAddress address : addresses) {
            Finding found = connect(address);
            findings.add(found);
            if (open.isEmpty() && found.level() == Finding.Level.OK) {
                open = Optional.of(address);
            }
        }
        if (open.isPresent()) {
            findings.addAll(admission(node, open.get().getHostAddress()));
        }
        return findings;
    }

    private Finding connect(InetAddress address) {
        String text = address.getHostAddress() + " port " + peer.port();
        long began = System.nanoTime();
        try (var socket = new Socket()) {
            socket.connect(new InetSocketAddress(address, peer.port()), CONNECT_MILLIS_MAX);
            return Finding.ok(
                    CHECK,
                    String.format(Locale.ROOT, "%s answers after %.1f ms", text, (System.nanoTime() - began) / 1e6));
        } catch (IOException failed) {
            return failed(text, failed, isMac);
        }
    }

    /** The verdict about a connection that failed. */
    static Finding failed(String text, IOException failed, boolean isMac) {
        return switch (failed) {
            case SocketTimeoutException _ ->
                Finding.problem(
                        CHECK,
                        text + " does not answer within " + CONNECT_MILLIS_MAX / 1_000 + " s",
                        "look whether the machine is on, and let the port through its firewall");
            case NoRouteToHostException _ ->
                Finding.problem(
                        CHECK,
                        text + ": the system has no route to it",
                        isMac
                                ? "if it is in this LAN: System Settings, Privacy & Security, Local Network; or run the"
                                        + " agent with 'sudo hearth install'"
                                : "look whether the machine is on and in this network");
            case ConnectException _ ->
                Finding.problem(
                        CHECK,
                        text + ": no program listens there",
                        "start 'hearth agent' there; its first line names its port");
            default -> Finding.problem(CHECK, text + ": " + failed.getMessage(), "correct the address");
        };
    }

    private List<Finding> admission(NodeView node, String address) throws HearthException, InterruptedException {
        JsonObject status = node.await(
                seen -> linked(seen, address).isPresent()
                        || refusal(seen, address).isPresent(),
                LINK_MAX);
        Optional<String> id = linked(status, address);
        if (id.isEmpty()) {
            return List.of(refusal(status, address)
                    .map(why -> Finding.problem(
                            CHECK,
                            address + " and this machine do not admit each other: " + why,
                            "let one join the other's namespace: 'hearth pair' there, 'hearth join CODE' here"))
                    .orElse(Finding.problem(
                            CHECK,
                            address + " answers and is not linked",
                            node.isAgent()
                                    ? "name it: peers = [\"" + address + "\"] in config.toml, and start the agent again"
                                    : "look at the log of the agent there")));
        }
        node.await(_ -> isMeasured(node, id.get()), ROUND_TRIP_MAX);
        var findings = new ArrayList<>(List.of(ClusterChecks.link(node.topology(), id.get())));
        findings.add(rates.measure(status.get("self").getAsString(), id.get(), address));
        return findings;
    }

    /** Whether the link has a round trip; that of a new link comes with the second heartbeat. */
    private static boolean isMeasured(NodeView node, String id) {
        try {
            return ClusterChecks.link(node.topology(), id).level() != Finding.Level.NOTE;
        } catch (HearthException gone) {
            return true; // the next question tells it
        }
    }

    private static Optional<String> linked(JsonObject status, String address) {
        for (JsonElement element : status.getAsJsonArray("nodes")) {
            JsonObject node = element.getAsJsonObject();
            if (!node.get("self").getAsBoolean()
                    && node.has("address")
                    && HostPort.parse(node.get("address").getAsString()).host().equals(address)) {
                return Optional.of(node.get("id").getAsString());
            }
        }
        return Optional.empty();
    }

    private static Optional<String> refusal(JsonObject status, String address) {
        for (JsonElement element : status.getAsJsonArray("refused")) {
            JsonObject refused = element.getAsJsonObject();
            if (refused.get("address").getAsString().equals(address)) {
                return Optional.of(refused.get("why").getAsString());
            }
        }
        return Optional.empty();
    }
}
