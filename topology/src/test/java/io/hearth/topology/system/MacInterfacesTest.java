package io.hearth.topology.system;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hearth.topology.InterfaceClass;
import io.hearth.topology.LocalInterface;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class MacInterfacesTest {
    private static final String DESKTOP_PORTS = """
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

            Hardware Port: AX88179A
            Device: en10

            Hardware Port: Bluetooth PAN
            Device: en11

            VLAN Configurations
            ===================
            """;

    private static final String DESKTOP = """
            lo0: flags=8049<UP,LOOPBACK,RUNNING,MULTICAST> mtu 16384
            \tinet 127.0.0.1 netmask 0xff000000
            gif0: flags=8010<POINTOPOINT,MULTICAST> mtu 1280
            stf0: flags=0<> mtu 1280
            anpi0: flags=8863<UP,BROADCAST,SMART,RUNNING,SIMPLEX,MULTICAST> mtu 1500
            \tmedia: none
            \tstatus: inactive
            en0: flags=8863<UP,BROADCAST,SMART,RUNNING,SIMPLEX,MULTICAST> mtu 9000
            \tether 00:00:5e:00:53:01
            \tinet 192.168.1.7 netmask 0xffffff00 broadcast 192.168.1.255
            \tmedia: autoselect (10Gbase-T <full-duplex,flow-control>)
            \tstatus: active
            en1: flags=8863<UP,BROADCAST,SMART,RUNNING,SIMPLEX,MULTICAST> mtu 1500
            \tmedia: autoselect
            \tstatus: active
            en2: flags=8963<UP,BROADCAST,SMART,RUNNING,PROMISC,SIMPLEX,MULTICAST> mtu 1500
            \tmedia: autoselect <full-duplex>
            bridge0: flags=8863<UP,BROADCAST,SMART,RUNNING,SIMPLEX,MULTICAST> mtu 1500
            \tConfiguration:
            \t\tid 0:0:0:0:0:0 priority 0 hellotime 0 fwddelay 0
            \tmember: en2 flags=3<LEARNING,DISCOVER>
            \t        ifmaxaddr 0 port 9 priority 0 path cost 0
            en5: flags=8863<UP,BROADCAST,SMART,RUNNING,SIMPLEX,MULTICAST> mtu 1500
            \tmedia: autoselect (1000baseT <full-duplex>)
            en7: flags=8863<UP,BROADCAST,SMART,RUNNING,SIMPLEX,MULTICAST> mtu 1500
            \tmedia: autoselect (1000baseT <full-duplex>)
            en8: flags=8863<UP,BROADCAST,SMART,RUNNING,SIMPLEX,MULTICAST> mtu 1500
            en9: flags=8863<UP,BROADCAST,SMART,RUNNING,SIMPLEX,MULTICAST> mtu 1500
            \tmedia: autoselect (100baseTX <full-duplex>)
            en10: flags=8863<UP,BROADCAST,SMART,RUNNING,SIMPLEX,MULTICAST> mtu 1500
            \tmedia: autoselect (2500Base-T <full-duplex>)
            en11: flags=8863<UP,BROADCAST,SMART,RUNNING,SIMPLEX,MULTICAST> mtu 1500
            \tmedia: autoselect (1000baseT <full-duplex>)
            vlan0: flags=8843<UP,BROADCAST,RUNNING,SIMPLEX,MULTICAST> mtu 1500
            \tvlan: 10 parent interface: en0
            vlan1: flags=8843<UP,BROADCAST,RUNNING,SIMPLEX,MULTICAST> mtu 1500
            \tvlan: 0 parent interface: <none>
            bond0: flags=8843<UP,BROADCAST,RUNNING,SIMPLEX,MULTICAST> mtu 1500
            \tbond interfaces: en7 en8
            awdl0: flags=8943<UP,BROADCAST,RUNNING,PROMISC,SIMPLEX,MULTICAST> mtu 1500
            \tmedia: autoselect
            llw0: flags=8863<UP,BROADCAST,SMART,RUNNING,SIMPLEX,MULTICAST> mtu 1500
            ap1: flags=8802<BROADCAST,SIMPLEX,MULTICAST> mtu 1500
            vmenet0: flags=8963<UP,BROADCAST,SMART,RUNNING,PROMISC,SIMPLEX,MULTICAST> mtu 1500
            \tmedia: autoselect
            bridge100: flags=8a63<UP,BROADCAST,SMART,RUNNING,ALLMULTI,SIMPLEX,MULTICAST> mtu 1500
            \tmember: vmenet0 flags=10803<LEARNING,DISCOVER,PRIVATE,CSUM>
            bridge101: flags=8a63<UP,BROADCAST,SMART,RUNNING,ALLMULTI,SIMPLEX,MULTICAST> mtu 1500
            \tmember: vmenet0 flags=10803<LEARNING,DISCOVER,PRIVATE,CSUM>
            \tmember: en1 flags=10803<LEARNING,DISCOVER,PRIVATE,CSUM>
            utun3: flags=8051<UP,POINTOPOINT,RUNNING,MULTICAST> mtu 1380
            ipsec0: flags=8051<UP,POINTOPOINT,RUNNING,MULTICAST> mtu 1400
            feth0: flags=8843<UP,BROADCAST,RUNNING,SIMPLEX,MULTICAST> mtu 1500
            pktap0: flags=1<UP> mtu 0
            """;

    @ParameterizedTest
    @CsvSource({
        "lo0, LOOPBACK",
        "en0, ETHERNET",
        "en1, WIFI",
        "en2, THUNDERBOLT",
        "bridge0, THUNDERBOLT",
        "en5, OTHER",
        "en7, ETHERNET",
        "en8, ETHERNET",
        "en9, OTHER",
        "en10, ETHERNET",
        "en11, OTHER",
        "vlan0, ETHERNET",
        "vlan1, VIRTUAL",
        "bond0, ETHERNET",
        "awdl0, VIRTUAL",
        "llw0, VIRTUAL",
        "ap1, VIRTUAL",
        "anpi0, VIRTUAL",
        "gif0, VIRTUAL",
        "stf0, VIRTUAL",
        "vmenet0, VIRTUAL",
        "bridge100, VIRTUAL",
        "bridge101, WIFI",
        "feth0, VIRTUAL",
        "utun3, VPN",
        "ipsec0, VPN",
        "pktap0, OTHER"
    })
    void aDesktop(String name, InterfaceClass expected) {
        assertEquals(expected, kind(MacInterfaces.classify(DESKTOP_PORTS, DESKTOP), name));
    }

    @Test
    void theEvidenceSaysPortMediumAndMembers() {
        Map<String, LocalInterface> desktop = MacInterfaces.classify(DESKTOP_PORTS, DESKTOP);
        assertEquals(
                new LocalInterface(
                        "en0",
                        InterfaceClass.ETHERNET,
                        "port Ethernet, media autoselect (10Gbase-T <full-duplex,flow-control>), mtu 9000"),
                desktop.get("en0"));
        assertEquals(
                new LocalInterface(
                        "bridge0", InterfaceClass.THUNDERBOLT, "port Thunderbolt Bridge, over en2, mtu 1500"),
                desktop.get("bridge0"));
        assertEquals(
                new LocalInterface("utun3", InterfaceClass.VPN, "no hardware port, mtu 1380"), desktop.get("utun3"));
    }

    /** The same name is Wi-Fi here and Ethernet on the desktop above. */
    @Test
    void aLaptop() {
        Map<String, LocalInterface> laptop = MacInterfaces.classify("""
                Hardware Port: Wi-Fi
                Device: en0
                """, """
                en0: flags=8863<UP,BROADCAST,SMART,RUNNING,SIMPLEX,MULTICAST> mtu 1500
                \tmedia: autoselect
                """);
        assertEquals(
                Map.of("en0", new LocalInterface("en0", InterfaceClass.WIFI, "port Wi-Fi, media autoselect, mtu 1500")),
                laptop);
    }

    @Test
    void withoutTheToolsNoNameIsGuessed() {
        assertEquals(Map.of(), MacInterfaces.classify("command not found", ""));
        assertEquals(InterfaceClass.OTHER, kind(MacInterfaces.classify("command not found", DESKTOP), "en0"));
    }

    @Test
    void bridgesInACircleEnd() {
        Map<String, LocalInterface> circle = MacInterfaces.classify("", """
                bridge1: flags=8863<UP> mtu 1500
                \tmember: bridge2 flags=3<LEARNING,DISCOVER>
                bridge2: flags=8863<UP> mtu 1500
                \tmember: bridge1 flags=3<LEARNING,DISCOVER>
                """);
        assertEquals(InterfaceClass.VIRTUAL, kind(circle, "bridge1"));
    }

    private static InterfaceClass kind(Map<String, LocalInterface> interfaces, String name) {
        return interfaces.getOrDefault(name, LocalInterface.unknown("absent")).kind();
    }
}
