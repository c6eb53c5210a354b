package io.hearth.discovery;

/** Where a hint about a peer came from. */
public enum SourceKind {
    /** Multicast DNS on a local network. */
    MDNS,
    /** An address that a person wrote down. */
    STATIC,
    /** An address that worked before. */
    REMEMBERED,
    /** An address that a connected peer told. */
    GOSSIP
}
