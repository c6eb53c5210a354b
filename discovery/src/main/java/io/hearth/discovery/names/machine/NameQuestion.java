package io.hearth.discovery.names.machine;

/**
 * A question to a resolver.
 *
 * @param name at most 253 characters; a name of {@link Kind#HOST} as a person wrote it, another one complete and without a final dot
 */
public record NameQuestion(String name, Kind kind) {
    /** A question, and the server that gets it. */
    public enum Kind {
        /** All addresses that this machine's own resolver knows: from its file of hosts, DNS, or mDNS. */
        HOST,
        /** A and AAAA records, by DNS. */
        ADDRESSES,
        /** SRV records, by DNS. */
        SERVICE
    }

    @Override
    public String toString() {
        return name + (kind == Kind.SERVICE ? " SRV" : "");
    }
}
