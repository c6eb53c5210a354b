package io.hearth.topology;

/**
 * The kind of network of an interface, as the operating system reports it; the best first. A kind that the system does not report is
 * {@link #OTHER}, never a guess.
 */
public enum InterfaceClass {
    /** The machine itself. */
    LOOPBACK,
    /** IP over a Thunderbolt or USB4 cable. */
    THUNDERBOLT,
    /** Wired Ethernet, adapters included. */
    ETHERNET,
    /** Wireless LAN. */
    WIFI,
    /** Something else, or not known. */
    OTHER,
    /** An encrypted tunnel or another interface whose packets a program carries: WireGuard, tun, tap, utun. */
    VPN,
    /** Made of software: bridges without hardware, containers, virtual machines. */
    VIRTUAL;

    /** Whether a cable or a radio of this machine carries the packets. */
    public boolean isPhysical() {
        return this == THUNDERBOLT || this == ETHERNET || this == WIFI;
    }
}
