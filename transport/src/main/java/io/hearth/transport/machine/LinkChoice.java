package io.hearth.transport.machine;

import io.hearth.identity.NodeId;
import io.hearth.transport.Endpoint;

/**
 * Chooses one of two links between the same two nodes. Both ends judge by the same facts, so they agree without a message:
 *
 * <pre>
 * peer's newer incarnation  &gt;  older
 * dialled to replace exactly the other one, which fell silent
 * direct  &gt;  through a relay (the data streams move to the direct way too)
 * dialled by the smaller NodeId  &gt;  by the larger
 * later dial of one process  &gt;  earlier (a node dials again only if it lost the earlier one)
 * </pre>
 *
 * <p>A silent link may still look healthy at its other end, which then would keep it. So the dialling side names in its hello the link that
 * it misses. Two connections that replace one silent link, one from each end, follow the other rules.
 */
public final class LinkChoice {
    public enum Verdict {
        /** The new connection replaces the held one, which ends, and so do data streams over it alone. */
        REPLACES,
        /** The same start of the peer: the new connection continues, the held one drains. */
        SUCCEEDS,
        /** The same start of the peer: the held link continues. */
        YIELDS,
        /** The new connection comes from an older start of the peer, or from a second process in its slot. */
        STALE
    }

    private LinkChoice() {}

    /** Judges {@code offered}, which has proven itself, against {@code held}; both have the same node at the other end. */
    public static Verdict judge(NodeId self, RemoteNode held, RemoteNode offered) {
        Endpoint now = offered.endpoint();
        Endpoint before = held.endpoint();
        if (now.incarnation() != before.incarnation()) {
            return now.incarnation() > before.incarnation() ? Verdict.REPLACES : Verdict.STALE;
        }
        if (!now.bootId().equals(before.bootId())) {
            return Verdict.STALE;
        }
        if (offered.replaces(held)) {
            return Verdict.REPLACES;
        }
        if (offered.relayed() != held.relayed()) {
            return held.relayed() ? Verdict.REPLACES : Verdict.YIELDS;
        }
        if (offered.dialed() != held.dialed()) {
            boolean ours = self.compareTo(now.id()) < 0;
            return offered.dialed() == ours ? Verdict.SUCCEEDS : Verdict.YIELDS;
        }
        return offered.dial() > held.dial() ? Verdict.SUCCEEDS : Verdict.YIELDS;
    }
}
