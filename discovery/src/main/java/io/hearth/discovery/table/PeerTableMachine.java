package io.hearth.discovery.table;

import io.hearth.core.Machine;
import io.hearth.core.Step;
import io.hearth.discovery.PeerAddress;
import io.hearth.discovery.Sighting;
import io.hearth.identity.NodeId;
import java.util.List;
import java.util.OptionalInt;

/**
 * Decides which peers to dial, when and at which address, from the reports of all sources and the outcomes of dials.
 *
 * <pre>
 *            sighted                    admitted                    lost
 * (unknown) --------&gt; Hint ------------------------------&gt; Linked --------&gt; Lost
 *                      |  ^  dial, fails, pause 1..60 s       ^                |  dial at once,
 *                      +--+                                   +----------------+  then as a hint
 * Lost  --dial fails, pause 1..4 s for a day
 * Lost  --own network changed | another node is linked that was not--&gt; Lost, dialled at once
 * Hint  --own reflection | table full | a day without news--&gt; (forgotten)
 * Lost  --table full | a day without news--&gt; (forgotten)
 * </pre>
 *
 * <p>Only an admission shows which node is behind an address, never a record. Hints of one name are one peer. Hints of two names become one
 * when both turn out to be the same node. An address belongs to the node that was admitted there last. Two nodes that see each other by
 * mDNS know both nonces. The one with the smaller nonce dials at once. The other one dials a moment later, and only if no link came from
 * that address, so that a pair makes one handshake and not two. The addresses of a peer are tried 250 ms apart, sooner when one fails (RFC
 * 8305). The machine asks for at most four dials in any second; records that never failed come before those that did. So a table full of
 * replayed records delays a real peer by one dial and not by a queue.
 *
 * <p>A lost peer is dialled every few seconds as long as it is known. Often neither end sees the end of an outage (a switch between two
 * others is back), so a long pause would prolong the time without a link. A link to a node that was away, and a change of this machine's
 * own network, end the pauses of all lost peers and of those that a person named: one cause has most likely separated this node from all of
 * them.
 *
 * <p>A linked peer that falls silent is dialled at once at all its addresses, at most {@value Sighting#CANDIDATES_MAX} and its good ones,
 * because another cable may work. The shell leaves out those of the interface that the silent link uses. These dials are not counted, as
 * a peer falls silent at most once in half a span of silence.
 *
 * <p>A member's report about another node is added to that node's record. A new address is dialled at once, because members are trusted and
 * the node is missed. At most {@value PeerTableTurn#REPORTED_MAX} records come from reports of members alone.
 *
 * <p>Rejected: dialling a record as soon as it is sighted again, because a replay costs its sender nothing. Rejected: no dial to a new
 * record's address while the peer of that address is linked, because addresses change hands.
 */
public final class PeerTableMachine implements Machine<PeerTable, PeerTableMachine.Event, PeerTableMachine.Effect> {
    private final PeerTableLimits limits;

    public PeerTableMachine(PeerTableLimits limits) {
        this.limits = limits;
    }

    /** Inputs of the machine. */
    public sealed interface Event {
        /** A source reported a peer. */
        record Sighted(Sighting sighting) implements Event {}

        /**
         * A linked node reported where it reaches another node.
         *
         * @param ownTurn whether this node dials first; the other node got the same report and dials a moment later
         */
        record Reported(NodeId node, List<PeerAddress> addresses, boolean ownTurn) implements Event {
            public Reported {
                addresses = List.copyOf(addresses);
            }
        }

        /** A dial failed: no answer, no route, broken handshake. */
        record DialFailed(PeerAddress address, String why) implements Event {}

        /** The peer accepted the connection and closed it at once: the port of an ending process may stay open a little longer. */
        record HungUp(PeerAddress address, String why) implements Event {}

        /** The peer answered, and this node must not link with it. */
        record Rejected(PeerAddress address, DialRejection refusal, String why) implements Event {}

        /** A link that this node dialled was admitted, even if it is closed later as the second link between the two. */
        record Admitted(PeerAddress address, NodeId node) implements Event {}

        /**
         * A link that the other side dialled was admitted.
         *
         * @param address the dial address of that side: the host of the connection, and the port that the peer claims
         */
        record Accepted(PeerAddress address, NodeId node) implements Event {}

        /** The last link to a node ended. */
        record Lost(NodeId node) implements Event {}

        /** A linked node was not heard for half a span of silence. */
        record Silent(NodeId node) implements Event {}

        /**
         * Other members have a link to a node that this node has no link to. A dial in progress may wait for a lost packet, so a new dial
         * replaces it. Its outcome counts as the outcome of the new dial.
         */
        record Vouched(NodeId node) implements Event {}

        /** This machine's own interfaces or addresses changed; dials that failed before may work now. */
        record NetworkChanged() implements Event {}

        /** Time passed. */
        record Tick() implements Event {}
    }

    /** The reason why this node must not link with a peer that answered. */
    public enum DialRejection {
        /** The peer was this process itself. */
        OWN_REFLECTION,
        /** The peer is no member of the namespace, uses another protocol, or rejected this node for a lasting reason. */
        FOREIGN
    }

    /** Outputs, which the shell carries out. */
    public sealed interface Effect {
        /**
         * Open a link and report the outcome as exactly one of the events.
         *
         * @param generation of the namespace's secret that marked the record; a former generation means a member that was away
         */
        record Dial(PeerAddress address, OptionalInt generation) implements Effect {}

        /**
         * Open a link to a linked node at another of its addresses, because its present link is silent. The outcome is reported as that
         * of a dial.
         */
        record DialAround(NodeId silent, PeerAddress address) implements Effect {}

        /** Keep these addresses of a peer for the next start, best first. */
        record Remember(NodeId node, List<PeerAddress> addresses) implements Effect {
            public Remember {
                addresses = List.copyOf(addresses);
            }
        }

        /** A record was rejected or removed; for counters. */
        record Forget(String name, String why) implements Effect {}
    }

    @Override
    public Step<PeerTable, Effect> step(PeerTable table, Event event, long nowNanos) {
        var turn = new PeerTableTurn(table, limits, nowNanos);
        switch (event) {
            case Event.Sighted(var sighting) -> turn.sighted(sighting);
            case Event.Reported(var node, var addresses, var ownTurn) -> turn.reported(node, addresses, ownTurn);
            case Event.DialFailed(var address, var why) -> turn.failed(address, why);
            case Event.HungUp(var address, var why) -> turn.hungUp(address, why);
            case Event.Rejected(var address, var refusal, var why) -> {
                switch (refusal) {
                    case OWN_REFLECTION -> turn.reflected(address);
                    case FOREIGN -> turn.foreign(address, why);
                }
            }
            case Event.Admitted(var address, var node) -> turn.admitted(address, node);
            case Event.Accepted(var address, var node) -> turn.accepted(address, node);
            case Event.Lost(var node) -> turn.lost(node);
            case Event.Silent(var node) -> turn.silent(node);
            case Event.Vouched(var node) -> turn.vouched(node);
            case Event.NetworkChanged() -> turn.networkChanged();
            case Event.Tick() -> {}
        }
        turn.expire();
        turn.dialDue();
        return turn.end();
    }

    @Override
    public long sleepNanos(PeerTable table, long nowNanos) {
        long sleep = Long.MAX_VALUE;
        long windowNanos = table.windowFreeNanos(limits, nowNanos);
        for (PeerRecord record : table.records().values()) {
            if (record.wantsDial()) {
                long dueNanos = record.round().dueNanos() - nowNanos;
                sleep = Math.min(sleep, record.isJustLost(nowNanos) ? dueNanos : Math.max(windowNanos, dueNanos));
            }
            if (!record.isLinked() && !record.pinned()) {
                sleep = Math.min(sleep, record.freshNanos() + limits.forgetAfterNanos() - nowNanos);
            }
        }
        for (long sinceNanos : table.dialling().values()) {
            sleep = Math.min(sleep, sinceNanos + limits.dialTimeoutNanos() - nowNanos);
        }
        return Math.max(0, sleep);
    }
}
