package io.hearth.topology.system;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hearth.topology.NodeLoad.Battery;
import io.hearth.topology.TcpCounters;
import io.hearth.topology.system.MachineFacts.PowerSupply;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class MachineFactsTest {
    @Test
    void theProcessorIsNamedOnEachArchitecture() {
        assertEquals("AMD Ryzen 7 7840U w/ Radeon 780M", MachineFacts.chip("""
                processor\t: 0
                vendor_id\t: AuthenticAMD
                model\t\t: 116
                model name\t: AMD Ryzen 7 7840U w/ Radeon 780M
                stepping\t: 1

                processor\t: 1
                model name\t: another
                """));
        assertEquals("BCM2835", MachineFacts.chip("""
                processor\t: 0
                CPU implementer\t: 0x41

                Hardware\t: BCM2835
                Model\t\t: Raspberry Pi 4 Model B Rev 1.2
                """));
        assertEquals("Raspberry Pi 5 Model B Rev 1.0", MachineFacts.chip("""
                processor\t: 0
                CPU part\t: 0xd0b

                Model\t\t: Raspberry Pi 5 Model B Rev 1.0
                """));
        assertEquals("", MachineFacts.chip("processor\t: 0\nmodel: 7\n: odd\n"));
        assertEquals("", MachineFacts.chip(""));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            nullValues = "none",
            value = {"0; 1", "0-63; 64", "0-3,8-11; 8", "0,2,4; 3", "3-0; none", "''; none", "all; none", "0-; none"})
    void processorsAreCounted(String online, Integer expected) {
        assertEquals(
                expected == null ? OptionalInt.empty() : OptionalInt.of(expected), MachineFacts.processors(online));
    }

    @ParameterizedTest
    @CsvSource({"0, 4, 0", "4, 4, 100", "1.25, 2, 63", "-1, 4, -1", "NaN, 4, -1", "1e9, 1, 100000", "1, 0, -1"})
    void loadIsPerCore(double average, int processors, int expected) {
        assertEquals(expected, MachineFacts.loadPercent(average, processors));
    }

    @Test
    void aLaptopOfLinux() {
        var battery = new PowerSupply("Battery", "", "Discharging", OptionalInt.of(81), false);
        var plug = new PowerSupply("Mains", "", "", OptionalInt.empty(), false);
        var usb = new PowerSupply("USB", "", "", OptionalInt.empty(), true);
        var mouse = new PowerSupply("Battery", "Device", "Discharging", OptionalInt.of(3), false);
        var second = new PowerSupply("Battery", "System", "Unknown", OptionalInt.of(40), false);
        assertEquals(Optional.of(new Battery(81, false)), MachineFacts.battery(List.of(battery, plug, mouse)));
        assertEquals(Optional.of(new Battery(81, true)), MachineFacts.battery(List.of(battery, plug, usb)));
        assertEquals(Optional.of(new Battery(81, false)), MachineFacts.battery(List.of(battery)));
        assertEquals(Optional.of(new Battery(40, true)), MachineFacts.battery(List.of(second)));
        assertEquals(Optional.of(new Battery(61, false)), MachineFacts.battery(List.of(battery, second, plug)));
        assertEquals(Optional.empty(), MachineFacts.battery(List.of(plug, mouse)));
        assertEquals(
                Optional.of(new Battery(100, true)),
                MachineFacts.battery(List.of(new PowerSupply("Battery", "", "Full", OptionalInt.of(104), false))));
    }

    @Test
    void aLaptopOfMacos() {
        assertEquals(Optional.of(new Battery(87, true)), MachineFacts.battery("""
                Now drawing from 'AC Power'
                 -InternalBattery-0 (id=4653155)\t87%; charging; 0:42 remaining present: true
                """));
        assertEquals(Optional.of(new Battery(5, false)), MachineFacts.battery("""
                Now drawing from 'Battery Power'
                 -InternalBattery-0 (id=4653155)\t5%; discharging; (no estimate) present: true
                """));
        assertEquals(Optional.empty(), MachineFacts.battery("Now drawing from 'AC Power'\n"));
        assertEquals(Optional.empty(), MachineFacts.battery(""));
    }

    @Test
    void tcpIsCountedOnLinux() {
        assertEquals(Optional.of(new TcpCounters(1_030, 30)), MachineFacts.tcpOfLinux("""
                Ip: Forwarding DefaultTTL InReceives
                Ip: 1 64 52
                Tcp: RtoAlgorithm MaxConn InSegs OutSegs RetransSegs InErrs
                Tcp: 1 -1 900 1000 30 0
                Udp: InDatagrams NoPorts
                Udp: 5 0
                """));
    }

    @Test
    void tcpIsCountedOnMacs() {
        assertEquals(Optional.of(new TcpCounters(140_406, 193)), MachineFacts.tcpOfMac("""
                tcp:
                \t140406 packets sent
                \t\t32245 data packets (182893414 bytes)
                \t\t193 data packets (126801 bytes) retransmitted
                \t\t0 resends initiated by MTU discovery
                \t98211 packets received
                """));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "Tcp: OutSegs RetransSegs",
                "Tcp: OutSegs RetransSegs\nTcp: 5",
                "Tcp: OutSegs RetransSegs\nTcp: 5 many",
                "Tcp: OutSegs InSegs\nTcp: 5 6",
                "5 packets sent",
                "99999999999999999999 packets sent\n1 data packets (2 bytes) retransmitted"
            })
    void otherTextsCountNothing(String text) {
        assertEquals(Optional.empty(), MachineFacts.tcpOfLinux(text));
        assertEquals(Optional.empty(), MachineFacts.tcpOfMac(text));
    }
}
