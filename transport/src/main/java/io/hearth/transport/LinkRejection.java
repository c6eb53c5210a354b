package io.hearth.transport;

/** The reason why a connection did not become a link. The number is its form on the wire and never changes. */
public enum LinkRejection {
    /** The peer gave a reason that this version does not know. */
    UNKNOWN(0),
    /** No protocol version in common. */
    VERSION(1),
    /** Another namespace secret: a foreign node, not an error. */
    NAMESPACE(2),
    /** This node reached itself. */
    REFLECTION(3),
    /** The connection has a purpose that this node does not serve. */
    PURPOSE(4),
    /** Bytes that break the wire rules. */
    MALFORMED(5),
    /** The handshake did not finish in time. */
    TOO_LATE(6),
    /** More bytes than a handshake needs. */
    TOO_LARGE(7),
    /** A newer start of the same node is linked. */
    OLD_INCARNATION(8),
    /** TLS failed: not TLS 1.3, or not exactly one Ed25519 certificate with its key. */
    TLS(9),
    /** A better link between the same two nodes exists; harmless. */
    DUPLICATE(10),
    /** This machine's owner does not admit that node. */
    BLOCKED(11),
    /** Too many connections or handshakes at once, counted before TLS. */
    TOO_MANY(12),
    /** The other side closed the connection before admission. */
    HUNG_UP(13),
    /** Another process of this machine runs in the same slot. */
    SAME_NODE(14),
    /** Another computer uses the same identity. */
    DOUBLED(15),
    /** A member of this namespace that missed two secrets: a person must pair it again. */
    OUTDATED(16);

    private final int code;

    LinkRejection(int code) {
        this.code = code;
    }

    /** The number on the wire. */
    public int code() {
        return code;
    }

    /** The rejection with that number, {@link #UNKNOWN} if there is none. */
    public static LinkRejection of(int code) {
        for (LinkRejection refusal : values()) {
            if (refusal.code == code) {
                return refusal;
            }
        }
        return UNKNOWN;
    }

    /**
     * Whether the cause is a property of the peer and not a temporary difficulty. The owner of the links reports such a cause to people;
     * the links log only the others.
     */
    public boolean tellsOfPeer() {
        return switch (this) {
            case NAMESPACE, VERSION, PURPOSE, BLOCKED, SAME_NODE, DOUBLED, TLS, MALFORMED, TOO_LARGE, OUTDATED -> true;
            case UNKNOWN, REFLECTION, TOO_LATE, OLD_INCARNATION, DUPLICATE, TOO_MANY, HUNG_UP -> false;
        };
    }
}
