package io.hearth.topology;

/**
 * What kind of network an interface is on, as far as the operating system says so; the best first. What the system does not
 * tell is {@link #OTHER}, never a guess.
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
    /** Made of software: bridges, tunnels, containers, virtual machines. */
    VIRTUAL
}
