package io.hearth.topology.system;

import java.util.OptionalInt;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * The data of Linux in {@code /sys/class/net/NAME}.
 *
 * @param type content of {@code type}: an ARPHRD number
 * @param devtype {@code DEVTYPE} of {@code uevent}; empty if there is none
 * @param wireless whether there is a {@code wireless} or {@code phy80211} entry
 * @param tunFlags content of {@code tun_flags}, which only tun and tap interfaces have
 * @param device whether there is a {@code device} entry: the interface is hardware, not software
 * @param bus last name of the link {@code device/subsystem}, such as {@code pci} or {@code usb}; empty if there is none
 * @param driver last name of the link {@code device/driver}; empty if there is none
 * @param port whether the interface is a port of a bridge
 * @param lower names of the interfaces below: ports of a bridge, members of a bond, the device of a VLAN
 * @param speed content of {@code speed}: the nominal speed in Mbit/s
 * @param mtu content of {@code mtu}
 */
public record LinuxInterface(
        int type,
        String devtype,
        boolean wireless,
        OptionalInt tunFlags,
        boolean device,
        String bus,
        String driver,
        boolean port,
        SortedSet<String> lower,
        OptionalInt speed,
        OptionalInt mtu) {
    public LinuxInterface {
        lower = new TreeSet<>(lower);
    }
}
