package io.hearth.cli.doctor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.hearth.cli.doctor.Finding.Level;
import io.hearth.core.SetupException;
import io.hearth.discovery.mdns.InterfacePolicy;
import io.hearth.discovery.mdns.InterfaceState;
import io.hearth.discovery.mdns.MulticastProbe;
import io.hearth.identity.NodeId;
import io.hearth.identity.NodeIdentity;
import java.io.IOException;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.ServerSocket;
import java.net.SocketTimeoutException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the doctor says about what it found. */
final class VerdictsTest {
    private static final InterfaceState CABLE = state("en0", false, "192.168.1.7");
    private static final InterfaceState LOOPBACK = state("lo0", true, "127.0.0.1");
    private static final InterfaceState VPN = state("utun4", false, "10.8.0.2");

    @TempDir
    @SuppressWarnings("NullAway.Init") // JUnit sets it
    private Path folder;

    private static InterfaceState state(String name, boolean loopback, String address) {
        return new InterfaceState(
                name, 1, true, true, loopback, false, new TreeSet<>(Set.of(address)), new TreeSet<>());
    }

    private static MulticastProbe.Result probe(String failure, boolean itself, String... others) {
        return new MulticastProbe.Result(
                Optional.of(failure).filter(text -> !text.isEmpty()), itself, new TreeSet<>(Arrays.asList(others)));
    }

    private static void assertFinding(Level level, Finding found, String... parts) {
        assertEquals(level, found.level(), found.toString());
        for (String part : parts) {
            assertTrue((found.text() + " -> " + found.remedy()).contains(part), part + " in " + found);
        }
        assertEquals(
                level == Level.PROBLEM,
                level == Level.PROBLEM && !found.remedy().isEmpty(),
                "no remedy: " + found);
    }

    @Test
    void theLastPartOfAMessageIsTheRemedy() {
        Finding found = Finding.problem("home", new SetupException("it is wrong: a; b; do this"));
        assertEquals(new Finding("home", Level.PROBLEM, "it is wrong: a; b", "do this"), found);
    }

    @Test
    void aDiskIsSlowByItsMedian() {
        long[] nanos = new long[15];
        Arrays.fill(nanos, 2_000_000L);
        nanos[3] = 900_000_000L;
        assertFinding(Level.OK, MachineChecks.disk(nanos), "takes 2.0 ms, at most 900.0 ms");
        Arrays.fill(nanos, 150_000_000L);
        assertFinding(Level.PROBLEM, MachineChecks.disk(nanos), "takes 150.0 ms", "HEARTH_HOME");
    }

    @Test
    void aClockThatJumpsIsAProblemAndOneWithoutAServiceIsNot() {
        assertFinding(Level.OK, MachineChecks.clock(3, Optional.empty()));
        assertFinding(Level.NOTE, MachineChecks.clock(3, Optional.of(false)), "no common clock");
        assertFinding(Level.PROBLEM, MachineChecks.clock(-4_000, Optional.of(true)), "jumped by -4000 ms");
    }

    @Test
    void avahiAloneOnThePortIsNamed() throws IOException {
        Path file = folder.resolve("avahi.conf");
        assertEquals(Optional.empty(), MachineChecks.avahi(file));
        Files.writeString(file, "[server]\n#disallow-other-stacks=yes\n");
        assertEquals(Optional.empty(), MachineChecks.avahi(file));
        Files.writeString(file, "[server]\n disallow-other-stacks = yes\n");
        assertFinding(Level.PROBLEM, MachineChecks.avahi(file).orElseThrow(), "restart avahi-daemon");
    }

    @Test
    void eachInterfaceThatIsUpIsUsedOrNotWithTheReason() {
        List<Finding> findings = NetworkChecks.interfaces(List.of(CABLE, LOOPBACK, VPN), InterfacePolicy.DEFAULT);
        assertEquals(3, findings.size());
        assertFinding(Level.OK, findings.get(0), "en0 is used, 192.168.1.7");
        assertFinding(Level.OK, findings.get(2), "utun4 is not used: belongs to containers");
        assertFinding(
                Level.PROBLEM,
                NetworkChecks.interfaces(List.of(LOOPBACK, VPN), InterfacePolicy.DEFAULT)
                        .getLast(),
                "no interface leads to other machines");
        assertEquals(
                1,
                NetworkChecks.interfaces(List.of(LOOPBACK), InterfacePolicy.interfaces("lo0"))
                        .size(),
                "who names loopback wants it");
    }

    @Test
    void multicastThatIsDroppedOrForbiddenHasItsRemedy() {
        assertFinding(
                Level.OK, NetworkChecks.multicast(CABLE, probe("", true, "192.168.1.9"), false), "heard 192.168.1.9");
        assertFinding(Level.NOTE, NetworkChecks.multicast(CABLE, probe("", true), false), "client isolation");
        assertFinding(Level.OK, NetworkChecks.multicast(LOOPBACK, probe("", true), false));
        assertFinding(Level.PROBLEM, NetworkChecks.multicast(CABLE, probe("", false), false), "UDP port 5353");
        assertFinding(
                Level.PROBLEM,
                NetworkChecks.multicast(CABLE, probe("Operation not permitted", false), false),
                "Operation not permitted",
                "firewall");
        assertFinding(
                Level.PROBLEM, NetworkChecks.multicast(CABLE, probe("No route to host", false), true), "Local Network");
    }

    @Test
    void aVpnThatTakesTheRouteOfMulticastIsNamed() {
        List<InterfaceState> all = List.of(CABLE, VPN);
        assertEquals(
                Optional.empty(),
                NetworkChecks.multicastRoute(
                        "multicast 224.0.0.251 dev en0 src 192.168.1.7", all, InterfacePolicy.DEFAULT));
        assertFinding(
                Level.NOTE,
                NetworkChecks.multicastRoute("   gateway: x\n  interface: utun4\n", all, InterfacePolicy.DEFAULT)
                        .orElseThrow(),
                "to utun4",
                "disconnect the VPN");
    }

    @Test
    void aPortInUseIsTold() throws IOException {
        try (var taken = new ServerSocket(0)) {
            assertFinding(Level.PROBLEM, NetworkChecks.port(taken.getLocalPort()), "cannot be opened", "lsof");
        }
        assertFinding(Level.OK, NetworkChecks.agentPort(52_416, false));
        assertFinding(Level.OK, NetworkChecks.agentPort(7_000, true));
        assertFinding(Level.PROBLEM, NetworkChecks.agentPort(52_417, false), "52416 is taken");
    }

    @Test
    void firewallsAreNamedWithTheExactCommand() {
        assertEquals(List.of(), NetworkChecks.firewall("Status: inactive", "not running", "State = 0", 52_416));
        List<Finding> all =
                NetworkChecks.firewall("Status: active\n", "running\n", "Firewall is enabled. (State = 1)", 52_416);
        assertFinding(Level.NOTE, all.get(0), "sudo ufw allow 52416/tcp");
        assertFinding(Level.NOTE, all.get(1), "--add-port=52416/tcp");
        assertFinding(Level.NOTE, all.get(2), "allow 'java'");
    }

    @Test
    void aWayThatFailsIsExplainedByTheSystemsError() {
        assertFinding(Level.PROBLEM, PeerCheck.failed("nas", new ConnectException("refused"), false), "hearth agent");
        assertFinding(Level.PROBLEM, PeerCheck.failed("nas", new SocketTimeoutException(), false), "firewall");
        assertFinding(Level.PROBLEM, PeerCheck.failed("nas", new NoRouteToHostException(), true), "Local Network");
        assertFinding(Level.PROBLEM, PeerCheck.failed("nas", new NoRouteToHostException(), false), "in this network");
    }

    @Test
    void refusedAndDoubledMachinesAreProblems() {
        JsonObject status = json("""
                {"namespace": {"name": "home", "key_id": "ab12"}, "nodes": [{"self": true, "id": "x"}], "slow_links": [],
                 "discovery": "0 peers after 10 s",
                 "refused": [{"address": "10.0.0.9", "who": "", "why": "it is of another namespace", "count": 3}],
                 "doubled": [{"who": "x", "self": true, "addresses": [], "why": "another computer uses it; run 'hearth identity reset'"}],
                 "faults": []}
                """);
        List<Finding> findings = ClusterChecks.peers(status);
        assertFinding(
                Level.PROBLEM, findings.get(0), "no other machine of namespace home (key ab12)", "0 peers after 10 s");
        assertFinding(Level.PROBLEM, findings.get(1), "10.0.0.9 was refused 3 times", "'hearth pair' here");
        assertFinding(Level.PROBLEM, findings.get(2), "run 'hearth identity reset'");
    }

    @Test
    void aLinkIsJudgedInBothDirections() {
        String link = """
                {"self": "a", "links": [{"from": "a", "to": "b", "to_name": "studio", "rtt_ms": 0.3, "class": "ethernet"%s}]}
                """;
        assertFinding(Level.OK, ClusterChecks.link(json(link.formatted("")), "b"), "round trip 0.3 ms", "not measured");
        assertFinding(Level.NOTE, ClusterChecks.link(json(link.formatted("")), "c"), "not measured yet");
        assertFinding(
                Level.OK,
                ClusterChecks.link(
                        json(link.formatted(", \"bytes_per_second\": 117000000, \"back_bytes_per_second\": 110000000")),
                        "b"),
                "studio: round trip 0.3 ms, there 936 Mbit/s, back 880 Mbit/s");
        assertFinding(
                Level.PROBLEM,
                ClusterChecks.link(
                        json(link.formatted(", \"bytes_per_second\": 117000000, \"back_bytes_per_second\": 11000000")),
                        "b"),
                "one direction is much slower");
    }

    @Test
    void aRateThatDiffersByDirectionIsAProblem() {
        assertFinding(Level.OK, RateCheck.verdict(941e6, 902e6, 0.41), "there 941 Mbit/s, back 902 Mbit/s", "0.41 ms");
        assertFinding(Level.PROBLEM, RateCheck.verdict(941e6, 90e6, 0.41), "one direction is much slower");
    }

    @Test
    void bothMachinesOfAPairNameTheSameGroup() {
        String one = new NodeId(NodeIdentity.generate().peer(), "agent").text();
        String other = new NodeId(NodeIdentity.generate().peer(), "agent").text();
        String group = RateCheck.group(one, other);
        assertEquals(group, RateCheck.group(other, one));
        assertTrue(group.matches("[a-z0-9-]{1,63}"), group);
    }

    @Test
    void aRemedyOfTheNodeItselfIsKept() {
        JsonObject status = json("""
                {"namespace": {"name": "home", "key_id": "ab12"}, "nodes": [], "slow_links": [], "refused": [], "doubled": [],
                 "faults": [], "waiting": "the disk took 194 ms; put HEARTH_HOME on a faster one"}
                """);
        assertFinding(Level.PROBLEM, ClusterChecks.peers(status).getLast(), "took 194 ms -> put HEARTH_HOME");
    }

    private static JsonObject json(String text) {
        return JsonParser.parseString(text).getAsJsonObject();
    }
}
