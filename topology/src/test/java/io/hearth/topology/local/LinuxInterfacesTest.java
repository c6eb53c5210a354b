package io.hearth.topology.local;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.topology.InterfaceClass;
import io.hearth.topology.LocalInterface;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Folders as the kernel shows them in {@code /sys/class/net}. */
final class LinuxInterfacesTest {
    @TempDir
    private Path folder;

    private Path sys() throws IOException {
        return Files.createDirectories(folder.resolve("net"));
    }

    private Path entry(String name, int type) throws IOException {
        Path entry = Files.createDirectories(sys().resolve(name));
        return with(entry, "type", Integer.toString(type));
    }

    private static Path with(Path entry, String file, String content) throws IOException {
        Files.writeString(entry.resolve(file), content + "\n");
        return entry;
    }

    private static Path devtype(Path entry, String devtype) throws IOException {
        return with(entry, "uevent", "DEVTYPE=" + devtype + "\nINTERFACE=" + entry.getFileName() + "\nIFINDEX=3");
    }

    private Path hardware(String name, String bus, String driver) throws IOException {
        Path device = Files.createDirectories(folder.resolve("devices/" + name));
        Files.createSymbolicLink(device.resolve("subsystem"), Files.createDirectories(folder.resolve("bus/" + bus)));
        Files.createSymbolicLink(
                device.resolve("driver"), Files.createDirectories(folder.resolve("drivers/" + driver)));
        Path entry = entry(name, 1);
        Files.createSymbolicLink(entry.resolve("device"), device);
        return entry;
    }

    private Path over(Path entry, String... lower) throws IOException {
        for (String name : lower) {
            Files.createSymbolicLink(entry.resolve("lower_" + name), sys().resolve(name));
            Files.createSymbolicLink(sys().resolve(name).resolve("upper_" + entry.getFileName()), entry);
        }
        return entry;
    }

    private LocalInterface read(String name) throws IOException {
        return LocalInterfaces.linux(sys()).getOrDefault(name, LocalInterface.unknown("absent"));
    }

    @Test
    void theLoopbackInterface() throws IOException {
        with(entry("lo", 772), "mtu", "65536");
        assertEquals(new LocalInterface("lo", InterfaceClass.LOOPBACK, "type 772, mtu 65536"), read("lo"));
    }

    @Test
    void ethernetWithItsNominalSpeedAsEvidence() throws IOException {
        with(with(hardware("enp3s0", "pci", "igb"), "speed", "2500"), "mtu", "9000");
        assertEquals(
                new LocalInterface(
                        "enp3s0", InterfaceClass.ETHERNET, "type 1, device on pci, driver igb, speed 2500, mtu 9000"),
                read("enp3s0"));
    }

    @ParameterizedTest
    @CsvSource({
        "pci, e1000e, ETHERNET",
        "usb, ax88179_178a, ETHERNET",
        "usb, cdc_ncm, ETHERNET",
        "usb, r8152, ETHERNET",
        "usb, ipheth, OTHER",
        "usb, rndis_host, OTHER",
        "virtio, virtio_net, ETHERNET",
        "thunderbolt, thunderbolt-net, THUNDERBOLT",
        "thunderbolt, thunderbolt_net, THUNDERBOLT"
    })
    void hardwareByItsDriver(String bus, String driver, InterfaceClass expected) throws IOException {
        hardware("x0", bus, driver);
        assertEquals(expected, read("x0").kind());
        assertEquals(
                "type 1, device on " + bus + ", driver " + driver, read("x0").evidence());
    }

    @Test
    void anInterfaceThatIsDownHasNoSpeed() throws IOException {
        with(hardware("eth0", "pci", "igb"), "speed", "-1");
        assertEquals("type 1, device on pci, driver igb", read("eth0").evidence());
    }

    @Test
    void wirelessInAnyOfItsThreeForms() throws IOException {
        Files.createDirectories(hardware("wlan0", "pci", "iwlwifi").resolve("wireless"));
        Files.createDirectories(hardware("wlan1", "pci", "ath11k_pci").resolve("phy80211"));
        devtype(entry("wlan2", 1), "wlan");
        for (String name : new String[] {"wlan0", "wlan1", "wlan2"}) {
            assertEquals(InterfaceClass.WIFI, read(name).kind(), name);
        }
    }

    @Test
    void tunnelsThatAProgramCarries() throws IOException {
        devtype(entry("wg0", 65_534), "wireguard");
        with(with(entry("tun0", 65_534), "tun_flags", "0x1001"), "speed", "10000");
        with(entry("tap0", 1), "tun_flags", "0x1002");
        entry("ipsec0", 65_534);
        assertEquals(
                Map.of(
                        "wg0",
                        new LocalInterface("wg0", InterfaceClass.VPN, "type 65534, devtype wireguard"),
                        "tun0",
                        new LocalInterface("tun0", InterfaceClass.VPN, "type 65534, tun_flags 0x1001, speed 10000"),
                        "tap0",
                        new LocalInterface("tap0", InterfaceClass.VPN, "type 1, tun_flags 0x1002"),
                        "ipsec0",
                        new LocalInterface("ipsec0", InterfaceClass.VPN, "type 65534")),
                LocalInterfaces.linux(sys()));
    }

    @Test
    void theTapOfAVirtualMachineInABridge() throws IOException {
        Files.createDirectories(with(entry("vnet0", 1), "tun_flags", "0x1002").resolve("brport"));
        over(devtype(entry("virbr0", 1), "bridge"), "vnet0");
        assertEquals(InterfaceClass.VIRTUAL, read("vnet0").kind());
        assertEquals(InterfaceClass.VIRTUAL, read("virbr0").kind());
        Files.createDirectories(hardware("eth0", "pci", "igb").resolve("brport"));
        over(devtype(entry("br0", 1), "bridge"), "eth0");
        over(sys().resolve("br0"), "vnet0");
        assertEquals(InterfaceClass.ETHERNET, read("br0").kind(), "its one physical port counts");
        assertEquals("type 1, devtype bridge, over eth0 vnet0", read("br0").evidence());
    }

    @Test
    void containers() throws IOException {
        entry("veth12ab", 1);
        over(devtype(entry("docker0", 1), "bridge"), "veth12ab");
        devtype(entry("docker1", 1), "bridge");
        devtype(entry("eth0", 1), "macvlan"); // the device below is in the namespace of the host
        entry("dummy0", 1);
        devtype(entry("vxlan7", 1), "vxlan");
        hardware("eth1", "pci", "igb");
        over(sys().resolve("vxlan7"), "eth1");
        for (String name : new String[] {"veth12ab", "docker0", "docker1", "eth0", "dummy0", "vxlan7"}) {
            assertEquals(InterfaceClass.VIRTUAL, read(name).kind(), name);
        }
    }

    @ParameterizedTest
    @CsvSource({"bond", "team", "bridge"})
    void theWorstHardwareBelowCounts(String devtype) throws IOException {
        hardware("eth0", "pci", "igb");
        Files.createDirectories(hardware("wlan0", "pci", "iwlwifi").resolve("wireless"));
        Path stack = entry("x0", 1);
        over(devtype.equals("team") ? stack : devtype(stack, devtype), "eth0", "wlan0");
        assertEquals(InterfaceClass.WIFI, read("x0").kind());
    }

    @ParameterizedTest
    @CsvSource({"vlan", "macvlan", "ipvlan"})
    void aNetworkOnADeviceHasTheClassOfTheDevice(String devtype) throws IOException {
        hardware("tb0", "thunderbolt", "thunderbolt-net");
        over(devtype(entry("x0", 1), devtype), "tb0");
        over(devtype(entry("br0", 1), "bridge"), "x0");
        assertEquals(InterfaceClass.THUNDERBOLT, read("x0").kind());
        assertEquals(InterfaceClass.THUNDERBOLT, read("br0").kind());
    }

    @ParameterizedTest
    @CsvSource({"wwan, 65534", "bluetooth, 1", "gadget, 1"})
    void hardwareThatIsNoLan(String devtype, int type) throws IOException {
        with(devtype(hardware("x0", "usb", "some"), devtype), "type", Integer.toString(type));
        assertEquals(InterfaceClass.OTHER, read("x0").kind());
    }

    @Test
    void otherLinkLayers() throws IOException {
        with(hardware("ib0", "pci", "mlx5_core"), "type", "32");
        devtype(entry("ppp0", 512), "ppp");
        entry("gre0", 778);
        assertEquals(InterfaceClass.OTHER, read("ib0").kind());
        assertEquals(InterfaceClass.OTHER, read("ppp0").kind());
        assertEquals(InterfaceClass.VIRTUAL, read("gre0").kind());
    }

    @Test
    void damagedFoldersEndAndNameNothing() throws IOException {
        over(devtype(entry("a", 1), "vlan"));
        over(devtype(entry("b", 1), "vlan"), "a");
        over(sys().resolve("a"), "b");
        Files.createSymbolicLink(sys().resolve("a").resolve("lower_gone"), sys().resolve("gone"));
        Files.writeString(sys().resolve("bonding_masters"), "bond0\n");
        Files.createDirectories(sys().resolve("odd"));
        with(sys().resolve("odd"), "type", "many");
        assertEquals(InterfaceClass.VIRTUAL, read("a").kind());
        assertFalse(LocalInterfaces.linux(sys()).containsKey("bonding_masters"));
        assertFalse(LocalInterfaces.linux(sys()).containsKey("odd"));
        assertEquals(Map.of(), LocalInterfaces.linux(folder.resolve("absent")));
    }

    @Test
    void thisMachineHasALoopbackInterface() {
        assertTrue(LocalInterfaces.read().values().stream()
                .allMatch(each -> !each.name().isEmpty()));
        assertEquals(
                LocalInterfaces.read().keySet(),
                LocalInterfaces.classes(LocalInterfaces.read()).keySet());
    }
}
