package io.hearth.discovery;

/** The kind of network that carries the packets to an address, best first. The addresses of one peer are dialled in this order. */
public enum Medium {
    /** Thunderbolt or Ethernet, or the machine itself. */
    WIRED,
    /** Wi-Fi. */
    WIRELESS,
    /** Another medium, or an unknown one. */
    OTHER
}
