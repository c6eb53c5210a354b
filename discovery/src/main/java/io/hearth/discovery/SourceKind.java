package io.hearth.discovery;

/** The kind of source that reported a hint about a peer. */
public enum SourceKind {
    /** Multicast DNS on a local network. */
    MDNS,
    /** An address that a person configured. */
    STATIC,
    /** An address that DNS gave for a name that a person configured. */
    DNS,
    /** The port of a node with the same home. */
    HOME,
    /** An address that worked before. */
    REMEMBERED,
    /** An address that a linked peer reported. */
    GOSSIP
}
