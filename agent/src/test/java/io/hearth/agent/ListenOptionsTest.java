package io.hearth.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.core.SetupException;
import io.hearth.identity.HearthHome;
import io.hearth.identity.NodeId;
import io.hearth.transport.LinkOptions;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ListenOptionsTest {
    private static final InetAddress LOOPBACK = InetAddress.getLoopbackAddress();
    private static final HearthConfig ANY = HearthConfig.defaults();

    @TempDir
    Path folder = Path.of("");

    private LinkOptions links(HearthConfig config) throws SetupException {
        return ListenOptions.links(config, HearthHome.open(folder.resolve("home")));
    }

    private boolean isUsable(HearthConfig config, InetAddress own) throws SetupException {
        Optional<Predicate<InetAddress>> usable = links(config).localAddresses();
        return usable.isEmpty() || usable.get().test(own);
    }

    private static HearthConfig loopback() throws Exception {
        return TestNodes.loopback();
    }

    @Test
    void interfacesThatAreAskedForOrLeftOutBindLinks() throws Exception {
        HearthConfig without = ANY.excludedInterfaces(loopback().interfaces());
        HearthConfig another = ANY.interfaces(List.of("eth77"));
        assertTrue(links(ANY).localAddresses().isEmpty(), "then nothing is looked up");
        assertTrue(isUsable(loopback(), LOOPBACK));
        assertTrue(!isUsable(without, LOOPBACK));
        assertTrue(!isUsable(another, LOOPBACK));
        InetAddress nobodys = InetAddress.ofLiteral("192.0.2.1");
        assertTrue(!isUsable(loopback(), nobodys) && !isUsable(without, nobodys));
    }

    @Test
    void anInterfaceThatDoesNotExistIsRefusedWithThoseThatDo() throws Exception {
        HearthConfig typo = ANY.interfaces(List.of("eth0", "wlan\u001b[2J0"));
        var refused = assertThrows(
                SetupException.class, () -> ListenOptions.checkInterfaces(typo, List.of("eth0", "lo", "wlan0")));
        assertEquals(
                "this machine has no network interface 'wlan[2J0': choose with --interface from eth0, lo, wlan0",
                refused.getMessage());
        ListenOptions.checkInterfaces(typo, List.of("eth0", "wlan[2J0", "wlan\u001b[2J0"));
        ListenOptions.checkInterfaces(ANY.excludedInterfaces(List.of("tun0")), List.of("lo")); // a VPN that is down
    }

    @Test
    void aNodeDoesNotStartOnAnInterfaceThatDoesNotExist() throws Exception {
        Path home = folder.resolve("never");
        var refused = assertThrows(
                SetupException.class,
                () -> HearthNode.start(ANY.home(home).interfaces(List.of("eth77")), java.util.Map.of()));
        assertTrue(String.valueOf(refused.getMessage()).contains("eth77"), refused.getMessage());
        assertTrue(Files.notExists(home), "nothing was opened or written before");
    }

    @Test
    void onlyTrainersOpenAPortForData() throws Exception {
        assertTrue(links(ANY).acceptsStreams());
        assertTrue(!links(ANY.agent(NodeId.AGENT)).acceptsStreams());
    }
}
