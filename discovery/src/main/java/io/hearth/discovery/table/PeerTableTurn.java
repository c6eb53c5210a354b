package io.hearth.discovery.table;

import io.hearth.core.Step;
import io.hearth.discovery.Candidate;
import io.hearth.discovery.Medium;
import io.hearth.discovery.PeerAddress;
import io.hearth.discovery.Sighting;
import io.hearth.discovery.SourceKind;
import io.hearth.discovery.table.PeerTableMachine.Effect;
import io.hearth.identity.NodeId;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.UnaryOperator;

/** The mutable state of one step of a {@link PeerTableMachine}; it lives only during the step. */
final class PeerTableTurn {
    /** Most records of nodes that only members reported. */
    static final int REPORTED_MAX = 64;

    private static final String REPORTED = "told:";
    private static final int OWN_MAX = 32;

    private static final long AGAIN_NANOS = PeerTable.SECOND / 40;

    private final PeerTableLimits limits;
    private final long nowNanos;
    private final SortedMap<Long, PeerRecord> records;
    private final SortedMap<PeerAddress, Long> dialling;
    private final SortedMap<PeerAddress, Long> own;
    private final List<Effect> effects = new ArrayList<>();
    private final List<Long> dialledNanos;
    private long nextRecord;

    PeerTableTurn(PeerTable table, PeerTableLimits limits, long nowNanos) {
        this.limits = limits;
        this.nowNanos = nowNanos;
        records = new TreeMap<>(table.records());
        dialling = new TreeMap<>(table.dialling());
        own = new TreeMap<>(table.own());
        dialledNanos = new ArrayList<>(table.dialledNanos());
        nextRecord = table.nextRecord();
    }

    void sighted(Sighting sighting) {
        List<Candidate> others = sighting.candidates().stream()
                .filter(candidate -> !own.containsKey(candidate.address()))
                .toList();
        if (others.isEmpty()) {
            return;
        }
        for (Map.Entry<Long, PeerRecord> known : records.entrySet()) {
            if (known.getValue().names().contains(sighting.name())) {
                known.setValue(known.getValue().sighted(sighting, others, nowNanos));
                return;
            }
        }
        if (giveWayNanos(sighting) > 0 && joined(sighting, others)) {
            return;
        }
        if (records.size() >= limits.recordsMax() && !evict()) {
            effects.add(new Effect.Forget(sighting.name(), "the table is full of better records"));
            return;
        }
        records.put(nextRecord++, PeerRecord.of(sighting, others, nowNanos, giveWayNanos(sighting)));
    }

    void reported(NodeId node, List<PeerAddress> addresses, boolean ownTurn) {
        List<Candidate> candidates = addresses.stream()
                .filter(address -> !own.containsKey(address))
                .limit(Sighting.CANDIDATES_MAX)
                .map(address -> new Candidate(address, Medium.OTHER))
                .toList();
        if (candidates.isEmpty()) {
            return;
        }
        String name = REPORTED + node.text();
        long waitNanos = ownTurn ? 0 : limits.giveWayNanos();
        var sighting = new Sighting(name, candidates, SourceKind.GOSSIP, OptionalInt.empty());
        for (Map.Entry<Long, PeerRecord> known : records.entrySet()) {
            PeerRecord record = known.getValue();
            if (record.state().isOf(node) || record.names().contains(name)) {
                known.setValue(record.reported(sighting, nowNanos, waitNanos));
                return;
            }
        }
        boolean isRoom =
                records.values().stream().filter(PeerTableTurn::isReported).count() < REPORTED_MAX;
        if (!isRoom || (records.size() >= limits.recordsMax() && !evict())) {
            effects.add(new Effect.Forget(name, "members report too many nodes"));
            return;
        }
        records.put(nextRecord++, PeerRecord.of(sighting, candidates, nowNanos, waitNanos));
    }

    /** Handles a new link to a node that was not linked: other lost nodes may be back too. */
    private void oneIsBack(NodeId node) {
        records.replaceAll((_, record) -> {
            boolean isMissed = record.state() instanceof PeerState.Lost || (record.pinned() && !record.isLinked());
            return isMissed && !record.state().isOf(node) ? record.retryNow(record.state(), nowNanos) : record;
        });
    }

    void failed(PeerAddress address, String why) {
        ended(address, record -> record.failed(address, why, nowNanos, pauseNanos(record)));
    }

    /** Handles a connection that was closed at once. A peer that was just lost is dialled again soon, until its address refuses. */
    void hungUp(PeerAddress address, String why) {
        ended(
                address,
                record -> record.failed(
                        address, why, nowNanos, record.isJustLost(nowNanos) ? AGAIN_NANOS : pauseNanos(record)));
    }

    void foreign(PeerAddress address, String why) {
        ended(address, record -> record.failed(address, why, nowNanos, limits.pauseMaxNanos()));
    }

    void reflected(PeerAddress address) {
        dialling.remove(address);
        if (own.size() >= OWN_MAX) {
            own.remove(oldestOwn());
        }
        own.put(address, nowNanos);
        for (Map.Entry<Long, PeerRecord> entry : new TreeMap<>(records).entrySet()) {
            PeerRecord left = entry.getValue().without(address);
            if (left.candidates().isEmpty()) {
                forget(entry.getKey(), "own reflection");
            } else {
                records.put(entry.getKey(), left);
            }
        }
    }

    /** Merges all records of the address and of the node into one; other nodes lose the address. */
    void admitted(PeerAddress address, NodeId node) {
        dialling.remove(address);
        Optional<PeerRecord> before = recordOf(node);
        if (before.filter(PeerRecord::isLinked).isEmpty()) {
            oneIsBack(node);
        }
        Optional<PeerRecord> known = gathered(address, node);
        records.replaceAll((_, record) -> record.has(address) ? record.without(address) : record);
        var good = new ArrayList<PeerAddress>();
        good.add(address);
        before.ifPresent(record -> record.good().stream()
                .filter(other -> !other.equals(address))
                .limit(Sighting.CANDIDATES_MAX - 1L)
                .forEach(good::add));
        PeerRecord whole = known.orElseGet(() -> heardOf(address));
        if (before.isEmpty() || !before.get().good().equals(good)) {
            effects.add(new Effect.Remember(node, good));
        }
        keep(whole.linked(new PeerState.Linked(node), good, nowNanos));
    }

    /**
     * Merges the hints of that address into the node's record: the node proved itself, and the connection came from that host. Records of
     * other nodes keep the address, because only the peer claims the port.
     */
    void accepted(PeerAddress address, NodeId node) {
        if (recordOf(node).filter(PeerRecord::isLinked).isEmpty()) {
            oneIsBack(node);
        }
        List<PeerAddress> good = recordOf(node).map(PeerRecord::good).orElse(List.of());
        PeerRecord whole = gathered(address, node).orElseGet(() -> heardOf(address));
        keep(whole.linked(new PeerState.Linked(node), good, nowNanos));
    }

    void lost(NodeId node) {
        ofNode(node, record -> record.retryNow(new PeerState.Lost(node, nowNanos), nowNanos));
    }

    void silent(NodeId node) {
        recordOf(node)
                .filter(PeerRecord::isLinked)
                .ifPresent(record ->
                        record.addresses().forEach(address -> effects.add(new Effect.DialAround(node, address))));
    }

    void vouched(NodeId node) {
        records.values().stream()
                .filter(record -> isMissed(record, node))
                .toList()
                .forEach(record ->
                        record.round().awaited().forEach(address -> failed(address, "given up for another dial")));
        records.replaceAll((_, record) -> isMissed(record, node) ? record.redialled(nowNanos) : record);
    }

    /** Whether the record is the node's, by a former link or a member's report, and there is no link now. */
    private static boolean isMissed(PeerRecord record, NodeId node) {
        return !record.isLinked()
                && (record.state().isOf(node) || record.names().contains(REPORTED + node.text()));
    }

    void networkChanged() {
        own.clear();
        records.replaceAll((_, record) -> record.isLinked() ? record : record.retryNow(record.state(), nowNanos));
    }

    void expire() {
        for (Map.Entry<PeerAddress, Long> dial : new TreeMap<>(dialling).entrySet()) {
            if (nowNanos - dial.getValue() >= limits.dialTimeoutNanos()) {
                failed(dial.getKey(), "no outcome within " + limits.dialTimeoutNanos() / 1_000_000 + " ms");
            }
        }
        own.values().removeIf(since -> nowNanos - since >= limits.forgetAfterNanos());
        for (Map.Entry<Long, PeerRecord> entry : new TreeMap<>(records).entrySet()) {
            PeerRecord record = entry.getValue();
            if (!record.isLinked() && !record.pinned() && nowNanos - record.freshNanos() >= limits.forgetAfterNanos()) {
                forget(entry.getKey(), "no news for a day");
            }
        }
    }

    /**
     * Requests the dials that are due, up to this second's limit. A peer whose link was just lost is dialled beyond the limit: a refused
     * dial shows that its process ended, and a view change waits for that.
     */
    void dialDue() {
        dialledNanos.removeIf(atNanos -> nowNanos - atNanos >= PeerTable.SECOND);
        while (true) {
            Optional<Map.Entry<Long, PeerRecord>> next = records.entrySet().stream()
                    .filter(entry -> entry.getValue().wantsDial()
                            && nowNanos - entry.getValue().round().dueNanos() >= 0)
                    .min(Comparator.comparing((Map.Entry<Long, PeerRecord> entry) ->
                                    !entry.getValue().isJustLost(nowNanos))
                            .thenComparing(entry -> entry.getValue().round().failures() > 0)
                            .thenComparingLong(entry -> entry.getValue().round().dueNanos() - nowNanos)
                            .thenComparing(Map.Entry::getKey));
            if (next.isEmpty()) {
                return;
            }
            PeerRecord record = next.get().getValue();
            PeerAddress address = record.round().untried().getFirst();
            if (!dialling.containsKey(address)) {
                if (!record.isJustLost(nowNanos)) {
                    if (dialledNanos.size() >= limits.dialsPerSecondMax()) {
                        return;
                    }
                    dialledNanos.add(nowNanos);
                }
                dialling.put(address, nowNanos);
                effects.add(new Effect.Dial(address, record.generation()));
            }
            records.put(next.get().getKey(), record.dialling(address, nowNanos + limits.attemptDelayNanos()));
        }
    }

    Step<PeerTable, Effect> end() {
        return new Step<>(new PeerTable(records, nextRecord, dialling, dialledNanos, own), effects);
    }

    /** Of two nodes that saw each other, one waits for the other's link; this is its wait, or 0. */
    private long giveWayNanos(Sighting sighting) {
        return sighting.nonces().isEmpty() || sighting.nonces().get().ownTurn() ? 0 : limits.giveWayNanos();
    }

    /**
     * Whether the node's link came before its record; if so, merges the record. Only for a recent link, because an address may change hands
     * later.
     */
    private boolean joined(Sighting sighting, List<Candidate> others) {
        for (Map.Entry<Long, PeerRecord> known : records.entrySet()) {
            PeerRecord record = known.getValue();
            if (record.isLinked()
                    && nowNanos - record.round().dueNanos() < limits.dialTimeoutNanos()
                    && others.stream().anyMatch(candidate -> record.has(candidate.address()))) {
                known.setValue(record.merged(PeerRecord.of(sighting, others, nowNanos, 0)));
                return true;
            }
        }
        return false;
    }

    private long pauseNanos(PeerRecord record) {
        long pauseNanos = limits.pauseNanos(record.round().failures() + 1);
        boolean isMissed = switch (record.state()) {
            case PeerState.Lost(var _, long sinceNanos) -> nowNanos - sinceNanos < limits.missedForNanos();
            case PeerState.Hint() -> isReported(record); // other members reach it
            case PeerState.Linked _ -> false;
        };
        return isMissed ? Math.min(pauseNanos, limits.pauseMissedMaxNanos()) : pauseNanos;
    }

    private static boolean isReported(PeerRecord record) {
        return record.names().stream().anyMatch(name -> name.startsWith(REPORTED));
    }

    private Optional<PeerRecord> recordOf(NodeId node) {
        return records.values().stream()
                .filter(record -> record.state().isOf(node))
                .findFirst();
    }

    /** Removes the node's record and all hints with the address from the table, and returns them as one record. */
    private Optional<PeerRecord> gathered(PeerAddress address, NodeId node) {
        Optional<PeerRecord> hints = Optional.empty();
        Optional<PeerRecord> known = recordOf(node);
        for (Map.Entry<Long, PeerRecord> entry : new TreeMap<>(records).entrySet()) {
            PeerRecord record = entry.getValue();
            if (record.state().isOf(node)) {
                records.remove(entry.getKey());
            } else if (record.state() instanceof PeerState.Hint && record.has(address)) {
                hints = Optional.of(hints.map(others -> others.merged(record)).orElse(record));
                records.remove(entry.getKey());
            }
        }
        return hints.map(record -> known.map(record::merged).orElse(record)).or(() -> known);
    }

    private void ended(PeerAddress address, UnaryOperator<PeerRecord> outcome) {
        dialling.remove(address);
        records.replaceAll((_, record) -> record.round().awaited().contains(address) ? outcome.apply(record) : record);
    }

    private void ofNode(NodeId node, UnaryOperator<PeerRecord> change) {
        records.replaceAll((_, record) -> record.state().isOf(node) ? change.apply(record) : record);
    }

    /**
     * Makes room by forgetting a record: hints first, then the one with the most failures, then the oldest; never a linked, pinned or
     * untried one.
     */
    private boolean evict() {
        Optional<Long> worst = records.entrySet().stream()
                .filter(entry -> !entry.getValue().isLinked()
                        && !entry.getValue().pinned()
                        && entry.getValue().round().failures() > 0)
                .max(Comparator.comparing((Map.Entry<Long, PeerRecord> entry) ->
                                entry.getValue().state() instanceof PeerState.Hint)
                        .thenComparingInt(entry -> entry.getValue().round().failures())
                        .thenComparingLong(entry -> nowNanos - entry.getValue().freshNanos()))
                .map(Map.Entry::getKey);
        worst.ifPresent(number -> forget(number, "the table is full"));
        return worst.isPresent();
    }

    private void forget(long number, String why) {
        PeerRecord gone = records.remove(number);
        if (gone != null) {
            gone.names().forEach(name -> effects.add(new Effect.Forget(name, why)));
        }
    }

    private PeerAddress oldestOwn() {
        return own.entrySet().stream()
                .max(Comparator.comparingLong(entry -> nowNanos - entry.getValue()))
                .orElseThrow()
                .getKey();
    }

    /** A record of a peer that no source reported. */
    private PeerRecord heardOf(PeerAddress address) {
        var sighting = new Sighting(
                "linked:" + address,
                List.of(new Candidate(address, Medium.OTHER)),
                SourceKind.GOSSIP,
                OptionalInt.empty());
        return PeerRecord.of(sighting, sighting.candidates(), nowNanos, 0);
    }

    private void keep(PeerRecord record) {
        if (records.size() < limits.recordsMax() || evict()) {
            records.put(nextRecord++, record);
        }
    }
}
