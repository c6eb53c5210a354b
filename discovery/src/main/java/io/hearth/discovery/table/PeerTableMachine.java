package io.hearth.discovery.table;

import io.hearth.core.Machine;
import io.hearth.core.Step;
import io.hearth.discovery.PeerAddress;
import io.hearth.discovery.Sighting;
import io.hearth.identity.NodeId;
import java.util.List;
import java.util.OptionalInt;

/**
 * Decides whom to dial, when and where, from what all sources tell and from how the dials end.
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
 * <p>Who is behind an address is known only from an admission, never from a record: hints of one name are one peer, hints of
 * two names become one when both turn out to be the same node, and an address belongs to whoever was admitted there last.
 * Two nodes that see each other by mDNS know both nonces: the one with the smaller nonce dials at once, the other one a moment
 * later and only if no link came from that address, so that a pair makes one handshake and not two.
 * The addresses of a peer are tried 250 ms apart, sooner when one fails (RFC 8305). In any second at most four dials are
 * asked for, records that never failed before those that did, so that a table full of replayed records delays a real peer
 * by one dial and not by a queue.
 *
 * <p>A peer that was lost is tried every few seconds for as long as it is known: what ends an outage is often seen by neither end (a
 * switch between two others is back), so a long pause would be the time without a link. A link to a node that was away, and a change
 * of this machine's own network, end the pauses of all lost peers and of those that a person named: what parted this node from one
 * peer has most likely parted it from all.
 *
 * <p>What a member tells of another one joins what is known of it, and a new address is dialled at once, because members are trusted and
 * the node is missed. Records that rest on the word of members alone are at most {@value PeerTableTurn#TOLD_MAX}.
 *
 * <p>Rejected: dialling a record again as soon as it is sighted again, because a replay costs its sender nothing; believing that a known address needs no dial while its peer is linked, because addresses change hands.
 */
public final class PeerTableMachine implements Machine<PeerTable, PeerTableMachine.Event, PeerTableMachine.Effect> {
    private final PeerTableLimits limits;

    public PeerTableMachine(PeerTableLimits limits) {
        this.limits = limits;
    }

    /** What may happen to a table. */
    public sealed interface Event {
        /** A source told of a peer. */
        record Sighted(Sighting sighting) implements Event {}

        /**
         * A linked node tells where it reaches another one.
         *
         * @param ownTurn whether this node dials first and the other one, which was told the same, a moment later
         */
        record Told(NodeId node, List<PeerAddress> addresses, boolean ownTurn) implements Event {
            public Told {
                addresses = List.copyOf(addresses);
            }
        }

        /** No link came about: no answer, no route, broken handshake. */
        record DialFailed(PeerAddress address, String why) implements Event {}

        /** Somebody took the connection and ended it without a word: of a process that ends, the port may be there a little longer. */
        record HungUp(PeerAddress address, String why) implements Event {}

        /** Somebody answered and it is nobody to link with. */
        record Refused(PeerAddress address, Refusal refusal, String why) implements Event {}

        /** A link that this node dialled was admitted, even if closed later as the second between the two. */
        record Admitted(PeerAddress address, NodeId node) implements Event {}

        /**
         * A link that the other side dialled was admitted.
         *
         * @param address where that side says it can be dialled: the host that it came from, and a port of its word
         */
        record Accepted(PeerAddress address, NodeId node) implements Event {}

        /** The last link to a node ended. */
        record Lost(NodeId node) implements Event {}

        /**
         * Others have a link to a node that this one has none to. A dial that is under way may wait for a packet of before; it is
         * given up for a new one, and its outcome counts for that.
         */
        record Vouched(NodeId node) implements Event {}

        /** This machine's own interfaces or addresses changed: what failed before may work now. */
        record NetworkChanged() implements Event {}

        /** Time passed. */
        record Tick() implements Event {}
    }

    /** Why somebody who answered is not to be linked with. */
    public enum Refusal {
        /** It was this process itself. */
        OWN_REFLECTION,
        /** No member of the namespace, another protocol, or a refusal that a new dial will not change soon. */
        FOREIGN
    }

    /** What the shell must carry out. */
    public sealed interface Effect {
        /**
         * Open a link and report the outcome as exactly one of the events.
         *
         * @param generation of the namespace's secret that marked the record; a former one means a member that was away
         */
        record Dial(PeerAddress address, OptionalInt generation) implements Effect {}

        /** Keep these addresses of a peer for the next start, best first. */
        record Remember(NodeId node, List<PeerAddress> addresses) implements Effect {
            public Remember {
                addresses = List.copyOf(addresses);
            }
        }

        /** A record is not in the table, or no more; for counters. */
        record Forget(String name, String why) implements Effect {}
    }

    @Override
    public Step<PeerTable, Effect> step(PeerTable table, Event event, long nowNanos) {
        var turn = new PeerTableTurn(table, limits, nowNanos);
        switch (event) {
            case Event.Sighted(var sighting) -> turn.sighted(sighting);
            case Event.Told(var node, var addresses, var ownTurn) -> turn.told(node, addresses, ownTurn);
            case Event.DialFailed(var address, var why) -> turn.failed(address, why);
            case Event.HungUp(var address, var why) -> turn.hungUp(address, why);
            case Event.Refused(var address, var refusal, var why) -> {
                switch (refusal) {
                    case OWN_REFLECTION -> turn.reflected(address);
                    case FOREIGN -> turn.foreign(address, why);
                }
            }
            case Event.Admitted(var address, var node) -> turn.admitted(address, node);
            case Event.Accepted(var address, var node) -> turn.accepted(address, node);
            case Event.Lost(var node) -> turn.lost(node);
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
                long dueNanos = record.dueNanos() - nowNanos;
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
