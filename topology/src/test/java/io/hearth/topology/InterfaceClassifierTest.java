package io.hearth.topology;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.topology.InterfaceClassifier.LinuxInterface;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class InterfaceClassifierTest {
    private static final String MINI = """
            (networksetup prints this first)

            Hardware Port: Ethernet
            Device: en0
            Ethernet Address: 00:00:5e:00:53:01

            Hardware Port: Wi-Fi
            Device: en1
            Ethernet Address: 00:00:5e:00:53:02

            Hardware Port: Thunderbolt Bridge
            Device: bridge0
            Ethernet Address: 00:00:5e:00:53:03

            Hardware Port: Thunderbolt 1
            Device: en2
            Ethernet Address: 00:00:5e:00:53:04

            Hardware Port: USB 10/100/1000 LAN
            Device: en7
            Ethernet Address: 00:00:5e:00:53:05

            Hardware Port: Thunderbolt Ethernet Slot 1
            Device: en8

            Hardware Port: iPhone USB
            Device: en9

            VLAN Configurations
            ===================
            """;

    @ParameterizedTest
    @CsvSource({
        "772, false, false, '', LOOPBACK",
        "1, true, true, iwlwifi, WIFI",
        "1, false, true, e1000e, ETHERNET",
        "1, false, true, '', ETHERNET",
        "1, false, true, thunderbolt-net, THUNDERBOLT",
        "1, false, true, thunderbolt_net, THUNDERBOLT",
        "1, false, false, '', VIRTUAL",
        "65534, false, false, '', VIRTUAL",
        "32, false, true, mlx5_core, OTHER"
    })
    void linuxTellsByTypeDeviceAndDriver(
            int type, boolean wireless, boolean device, String driver, InterfaceClass expected) {
        assertEquals(expected, InterfaceClassifier.linux(new LinuxInterface(type, wireless, device, driver)));
    }

    @ParameterizedTest
    @CsvSource({
        "lo0, LOOPBACK",
        "en0, ETHERNET",
        "en1, WIFI",
        "bridge0, THUNDERBOLT",
        "en2, THUNDERBOLT",
        "en7, ETHERNET",
        "en8, ETHERNET",
        "en9, OTHER",
        "en5, OTHER",
        "utun3, VIRTUAL",
        "awdl0, VIRTUAL",
        "bridge100, VIRTUAL"
    })
    void macosTellsByHardwarePort(String name, InterfaceClass expected) {
        assertEquals(expected, InterfaceClassifier.macos(name, InterfaceClassifier.hardwarePorts(MINI)));
    }

    @Test
    void withoutTheToolNoNameIsGuessed() {
        assertEquals(Map.of(), InterfaceClassifier.hardwarePorts("command not found"));
        assertEquals(InterfaceClass.OTHER, InterfaceClassifier.macos("en0", Map.of()));
    }

    @Test
    void sysfsIsReadAsTheKernelWritesIt(@TempDir Path sys) throws IOException {
        Files.createDirectories(sys.resolve("wlan0/wireless"));
        Files.writeString(sys.resolve("wlan0/type"), "1\n");
        Files.createDirectories(sys.resolve("tb/device"));
        Files.writeString(sys.resolve("tb/type"), "1\n");
        Files.createDirectories(sys.resolve("drivers/thunderbolt-net"));
        Files.createSymbolicLink(sys.resolve("tb/device/driver"), sys.resolve("drivers/thunderbolt-net"));
        Files.writeString(sys.resolve("bonding_masters"), "bond0\n");
        assertEquals(
                Map.of("wlan0", InterfaceClass.WIFI, "tb", InterfaceClass.THUNDERBOLT), LocalInterfaces.linux(sys));
        assertEquals(Map.of(), LocalInterfaces.linux(sys.resolve("absent")));
    }

    @Test
    void thisMachineIsReadWithoutAResolver() {
        assertFalse(LocalInterfaces.classes().containsKey(""));
        NodeProfile self = LocalProfile.read("scalar", "0.1.0");
        assertTrue(self.cores() >= 1 && self.memoryBytes() > 0 && !self.label().isEmpty(), self.toString());
    }
}
