package io.hearth.discovery.mdns;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.discovery.Medium;
import io.hearth.discovery.PeerAddress;
import io.hearth.discovery.SocketAddresses;
import java.net.InetAddress;
import java.net.SocketException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class InterfacePolicyTest {
    private static final InterfaceState LO = state("lo", 1, true, false, true, false, of("127.0.0.1", "::1"));
    private static final InterfaceState ETH = state("eth0", 2, true, true, false, false, of("192.168.1.2", "fe80::2"));

    @Test
    void lansAndTheLoopbackAreUsedWithoutAWord() {
        assertEquals(Optional.empty(), InterfacePolicy.DEFAULT.objection(ETH));
        assertEquals(Optional.empty(), InterfacePolicy.DEFAULT.objection(LO));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "docker0",
                "veth12ab",
                "br-0af3",
                "virbr0",
                "utun4",
                "tun0",
                "awdl0",
                "llw0",
                "anpi1",
                "bridge100",
                "vmnet8"
            })
    void containersVirtualMachinesAndVpnsAreUsedOnlyWhenAsked(String name) {
        var state = state(name, 5, true, true, false, false, of("10.0.0.1"));
        assertTrue(InterfacePolicy.DEFAULT.objection(state).isPresent());
        assertEquals(Optional.empty(), InterfacePolicy.interfaces(name).objection(state));
    }

    @ParameterizedTest
    @ValueSource(strings = {"eth0", "en0", "wlan0", "enp3s0", "bridge0", "br0", "thunderbolt0"})
    void realInterfacesAreUsed(String name) {
        assertEquals(
                Optional.empty(),
                InterfacePolicy.DEFAULT.objection(state(name, 5, true, true, false, false, of("10.0.0.1"))));
    }

    @Test
    void whatCannotWorkIsNotUsedAndSaysWhy() {
        var down = state("eth0", 2, false, true, false, false, of("192.168.1.2"));
        var mute = state("eth0", 2, true, false, false, false, of("192.168.1.2"));
        var ppp = state("ppp0", 2, true, true, false, true, of("192.168.1.2"));
        var bare = state("eth0", 2, true, true, false, false, of());
        assertEquals(
                List.of("down", "cannot multicast", "point to point, such as a VPN", "no address"),
                List.of(down, mute, ppp, bare).stream()
                        .map(state -> InterfacePolicy.DEFAULT.objection(state).orElseThrow())
                        .toList());
        assertTrue(InterfacePolicy.interfaces("eth0").objection(down).isPresent(), "asked for, but down");
    }

    @Test
    void optionsDecideFirst() {
        assertTrue(InterfacePolicy.interfaces("eth0").objection(LO).isPresent());
        assertTrue(new InterfacePolicy(Set.of(), Set.of("eth0")).objection(ETH).isPresent());
        assertTrue(new InterfacePolicy(Set.of("eth0"), Set.of("eth0"))
                .objection(ETH)
                .isPresent());
    }

    @ParameterizedTest
    @CsvSource({
        "192.168.1.2 fe80::2, 192.168.1.2",
        "169.254.7.7 10.0.0.2, 10.0.0.2",
        "169.254.7.7 fe80::2, 169.254.7.7",
        "fd00::2 fe80::2, fe80::2",
        "127.0.0.1 0:0:0:0:0:0:0:1, 127.0.0.1"
    })
    void theAddressToSpeakFromIsTheOneThatPeersShare(String addresses, String expected) {
        var state = state("x", 1, true, true, false, false, of(addresses.split(" ", 9)));
        assertEquals(expected, state.mdnsAddress().orElseThrow());
    }

    @Test
    void anyDifferenceOfAnInterfaceIsNoticedOnce() throws SocketException {
        var states = new ArrayList<>(List.of(LO, ETH));
        var monitor = new InterfaceMonitor(() -> List.copyOf(states));
        assertEquals(List.of(LO, ETH), monitor.poll().orElseThrow());
        assertTrue(monitor.poll().isEmpty());
        for (InterfaceState changed : List.of(
                state("eth0", 3, true, true, false, false, ETH.addresses()), // gone and back, as a dock does
                state("eth0", 3, true, true, false, false, of("192.168.1.44")),
                state("eth0", 3, false, true, false, false, of("192.168.1.44")))) {
            states.set(1, changed);
            assertTrue(monitor.poll().isPresent(), changed.toString());
            assertTrue(monitor.poll().isEmpty());
        }
    }

    @Test
    void aBindingIsMadeForEachUsableInterface() {
        var docker = state("docker0", 3, true, true, false, false, of("172.17.0.1"));
        List<MdnsBinding> bindings =
                MdnsBinding.of(List.of(LO, ETH, docker), InterfacePolicy.DEFAULT, _ -> Medium.WIRED);
        assertEquals(
                List.of("127.0.0.1", "192.168.1.2"),
                bindings.stream().map(MdnsBinding::address).toList());
    }

    @ParameterizedTest
    @CsvSource({
        "192.168.1.7, false, 192.168.1.7",
        "127.0.0.1, true, 127.0.0.1",
        "fe80::7, false, fe80:0:0:0:0:0:0:7%eth0",
        "fd00::7, false, fd00:0:0:0:0:0:0:7",
        "127.0.0.1, false, ''",
        "192.168.1.7, true, ''",
        "0.0.0.0, false, ''",
        "224.0.0.251, false, ''",
        "::1, false, ''"
    })
    void aHeardAddressIsOneThatCouldBeMeant(String literal, boolean onLoopback, String expected) {
        assertEquals(
                expected,
                SocketAddresses.heard(InetAddress.ofLiteral(literal), 7, "eth0", onLoopback)
                        .map(PeerAddress::host)
                        .orElse(""));
        assertTrue(SocketAddresses.heard(InetAddress.ofLiteral(literal), 0, "eth0", onLoopback)
                .isEmpty());
    }

    private static InterfaceState state(
            String name,
            int index,
            boolean up,
            boolean multicast,
            boolean loopback,
            boolean pointToPoint,
            SortedSet<String> addresses) {
        return new InterfaceState(name, index, up, multicast, loopback, pointToPoint, addresses, new TreeSet<>());
    }

    private static SortedSet<String> of(String... addresses) {
        return new TreeSet<>(Arrays.asList(addresses));
    }
}
