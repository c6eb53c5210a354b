package io.hearth.transport.machine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.hearth.core.Bytes;
import io.hearth.transport.LocalPath;
import io.hearth.transport.LocalPath.Network;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

final class LanePlanTest {
    private static final AddressPair LINK = pair("10.77.0.1", "10.77.0.2");
    private static final LocalPath ETH0 = path("eth0", "10.77.0.1/24", "fd77::1/64", "fe80::1/64");
    private static final LocalPath ETH1 = path("eth1", "10.78.0.1/24", "fd78::1/64", "fe80::2/64");

    private static Bytes address(String literal) {
        return Bytes.of(InetAddress.ofLiteral(literal).getAddress());
    }

    private static AddressPair pair(String from, String to) {
        return new AddressPair(address(from), address(to));
    }

    private static LocalPath path(String name, String... networks) {
        return new LocalPath(
                name,
                Stream.of(networks)
                        .map(text -> text.split("/"))
                        .map(parts -> new Network(address(parts[0]), Integer.parseInt(parts[1])))
                        .toList());
    }

    private static List<Bytes> named(String... literals) {
        return Stream.of(literals).map(LanePlanTest::address).toList();
    }

    private static List<AddressPair> pairs(List<LocalPath> own, String... named) {
        return LanePlan.pairs(own, LINK, named(named));
    }

    @Test
    void anotherCableIsAnotherLane() {
        assertEquals(
                List.of(pair("10.78.0.1", "10.78.0.2")),
                pairs(List.of(ETH0, ETH1), "10.77.0.2", "10.78.0.2", "fd78::2"));
    }

    @Test
    void bothVersionsOfOneCableAreOneLane() {
        assertEquals(List.of(), pairs(List.of(ETH0), "10.77.0.2", "fd77::2"));
        assertEquals(List.of(), pairs(List.of(ETH0, ETH1), "10.77.0.2", "fd77::2"));
        assertEquals(List.of(pair("fd78::1", "fd78::2")), pairs(List.of(ETH0, ETH1), "10.77.0.2", "fd78::2"));
    }

    @Test
    void twoCardsInOneNetworkAreOnePath() {
        LocalPath wifi = path("wlan0", "10.77.0.9/24");
        assertEquals(List.of(), pairs(List.of(ETH0, wifi), "10.77.0.2", "10.77.0.8"));
        LocalPath third = path("eth2", "10.78.0.7/16");
        assertEquals(List.of(), pairs(List.of(ETH0, ETH1, third), "10.78.0.2"), "the system would choose");
    }

    @Test
    void ownAddressesLinkLocalOnesAndStrangeNetworksAreNoPaths() {
        assertEquals(List.of(), pairs(List.of(ETH0, ETH1), "10.78.0.1", "fe80::9", "10.79.0.2"));
    }

    @Test
    void lanesAreBounded() {
        var own = new ArrayList<LocalPath>(List.of(ETH0));
        var named = new ArrayList<String>();
        for (int net = 1; net < 10; net++) {
            own.add(path("eth" + net, "10.80." + net + ".1/24"));
            named.add("10.80." + net + ".2");
        }
        assertEquals(
                LaneLimits.LANES_MAX - 1,
                pairs(own, named.toArray(String[]::new)).size());
    }

    @Test
    void aMachineWithOneInterfaceNamesNothing() {
        assertEquals(List.of(), LanePlan.named(List.of(ETH0), address("10.77.0.1")));
        assertEquals(List.of(), LanePlan.named(List.of(), address("10.77.0.1")));
        assertEquals(
                named("10.77.0.1", "fd77::1", "10.78.0.1", "fd78::1"),
                LanePlan.named(List.of(ETH0, ETH1), address("10.77.0.1")));
    }

    @Test
    void aNetworkHoldsItsAddressesOnly() {
        var odd = new Network(address("10.77.131.1"), 17);
        assertEquals(true, odd.holds(address("10.77.128.0")));
        assertEquals(false, odd.holds(address("10.77.127.255")));
        assertEquals(false, odd.holds(address("fd77::1")));
        assertThrows(IllegalArgumentException.class, () -> new Network(address("10.77.0.1"), 33));
        assertThrows(IllegalArgumentException.class, () -> pair("10.77.0.1", "fd77::1"));
    }
}
