package io.hearth.agent.peers;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hearth.core.Bytes;
import io.hearth.discovery.mdns.InterfacePolicy;
import io.hearth.discovery.mdns.InterfaceState;
import io.hearth.discovery.mdns.LinkPrefix;
import io.hearth.transport.LocalPath;
import java.net.SocketException;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

final class DataPathsTest {
    private static InterfaceState state(String name, boolean up, int net) {
        return new InterfaceState(
                name,
                1,
                up,
                true,
                name.equals("lo"),
                false,
                new TreeSet<>(Set.of("10.0." + net + ".1")),
                new TreeSet<>(Set.of(new LinkPrefix(Bytes.of((byte) 10, (byte) 0, (byte) net, (byte) 1), 24))));
    }

    private static List<String> names(InterfacePolicy policy) {
        var paths = new DataPaths(
                policy,
                () -> List.of(
                        state("lo", true, 0),
                        state("eth0", true, 1),
                        state("eth1", true, 2),
                        state("eth2", false, 3),
                        state("docker0", true, 4)));
        return paths.read().stream().map(LocalPath::name).toList();
    }

    @Test
    void dataTakesTheInterfacesOfDiscoveryWithoutLoopback() {
        assertEquals(List.of("eth0", "eth1"), names(InterfacePolicy.DEFAULT));
        assertEquals(List.of("docker0"), names(InterfacePolicy.interfaces("lo", "docker0")));
        assertEquals(List.of("eth1"), names(new InterfacePolicy(Set.of(), Set.of("eth0"))));
    }

    @Test
    void itsNetworksAreThoseOfTheInterface() {
        var paths = new DataPaths(InterfacePolicy.DEFAULT, () -> List.of(state("eth0", true, 7)));
        var network = new LocalPath.Network(Bytes.of((byte) 10, (byte) 0, (byte) 7, (byte) 1), 24);
        assertEquals(List.of(new LocalPath("eth0", List.of(network))), paths.read());
    }

    @Test
    void withoutInterfacesThereIsNoOtherPath() {
        var paths = new DataPaths(InterfacePolicy.DEFAULT, () -> {
            throw new SocketException("no");
        });
        assertEquals(List.of(), paths.read());
    }
}
