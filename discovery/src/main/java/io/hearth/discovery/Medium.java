package io.hearth.discovery;

/** What carries the packets to an address, best first: the order in which addresses of one peer are dialled. */
public enum Medium {
    /** Thunderbolt or Ethernet, or the machine itself. */
    WIRED,
    /** Wi-Fi. */
    WIRELESS,
    /** Something else, or not known. */
    OTHER
}
