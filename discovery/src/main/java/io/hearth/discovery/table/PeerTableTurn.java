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

/** One transition of a {@link PeerTableMachine} in the making; lives for the length of a step. */
final class PeerTableTurn {
    /** Most records of nodes that only members told of. */
    static final int TOLD_MAX = 64;

    private static final String TOLD = "told:";
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

    void told(NodeId node, List<PeerAddress> addresses, boolean ownTurn) {
        List<Candidate> candidates = addresses.stream()
                .filter(address -> !own.containsKey(address))
                .limit(Sighting.CANDIDATES_MAX)
                .map(address -> new Candidate(address, Medium.OTHER))
                .toList();
        if (candidates.isEmpty()) {
            return;
        }
        String name = TOLD + node.text();
        long waitNanos = ownTurn ? 0 : limits.giveWayNanos();
        var sighting = new Sighting(name, candidates, SourceKind.GOSSIP, OptionalInt.empty());
        for (Map.Entry<Long, PeerRecord> known : records.entrySet()) {
            PeerRecord record = known.getValue();
            if (record.standing().isOf(node) || record.names().contains(name)) {
                known.setValue(record.told(sighting, nowNanos, waitNanos));
                return;
            }
        }
        boolean isRoom = records.values().stream().filter(PeerTableTurn::isTold).count() < TOLD_MAX;
        if (!isRoom || (records.size() >= limits.recordsMax() && !evict())) {
            effects.add(new Effect.Forget(name, "members tell of too many nodes"));
            return;
        }
        records.put(nextRecord++, PeerRecord.of(sighting, candidates, nowNanos, waitNanos));
    }

    /** A link came about with a node that was not linked: others that were lost may be back too. */
    private void oneIsBack(NodeId node) {
        records.replaceAll((_, record) -> {
            boolean isMissed = record.standing() instanceof PeerState.Lost || (record.pinned() && !record.isLinked());
            return isMissed && !record.standing().isOf(node) ? record.retryNow(record.standing(), nowNanos) : record;
        });
    }

    void failed(PeerAddress address, String why) {
        ended(address, record -> record.failed(address, why, nowNanos, pauseNanos(record)));
    }

    /** Whoever waits for its address to refuse is told by the next dial. */
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

    /** Everything known of the address and of the node becomes one record; other nodes' claims to the address end. */
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
     * What is only known by that address is the node: it proved itself, and the connection came from that host. What is known to
     * be another node's stays so, because the port is the peer's word alone.
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

    void vouched(NodeId node) {
        records.values().stream()
                .filter(record -> isMissed(record, node))
                .toList()
                .forEach(record -> record.awaited().forEach(address -> failed(address, "given up for another dial")));
        records.replaceAll((_, record) -> isMissed(record, node) ? record.anew(nowNanos) : record);
    }

    /** Whether the record is the node's, by a former link or by what members told, and there is no link now. */
    private static boolean isMissed(PeerRecord record, NodeId node) {
        return !record.isLinked()
                && (record.standing().isOf(node) || record.names().contains(TOLD + node.text()));
    }

    void networkChanged() {
        own.clear();
        records.replaceAll((_, record) -> record.isLinked() ? record : record.retryNow(record.standing(), nowNanos));
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
     * Asks for the dials that are due, up to this second's limit. A peer whose link is lost in this very step is dialled beyond the
     * limit: a refused dial shows that its process ended, and a change of the view waits for that.
     */
    void dialDue() {
        dialledNanos.removeIf(atNanos -> nowNanos - atNanos >= PeerTable.SECOND);
        while (true) {
            Optional<Map.Entry<Long, PeerRecord>> next = records.entrySet().stream()
                    .filter(entry -> entry.getValue().wantsDial()
                            && nowNanos - entry.getValue().dueNanos() >= 0)
                    .min(Comparator.comparing((Map.Entry<Long, PeerRecord> entry) ->
                                    !entry.getValue().isJustLost(nowNanos))
                            .thenComparing(entry -> entry.getValue().failures() > 0)
                            .thenComparingLong(entry -> entry.getValue().dueNanos() - nowNanos)
                            .thenComparing(Map.Entry::getKey));
            if (next.isEmpty()) {
                return;
            }
            PeerRecord record = next.get().getValue();
            PeerAddress address = record.untried().getFirst();
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

    /** Nodes that saw each other do not both dial: one of them waits for the other's link. */
    private long giveWayNanos(Sighting sighting) {
        return sighting.nonces().isEmpty() || sighting.nonces().get().ownTurn() ? 0 : limits.giveWayNanos();
    }

    /** The other node was faster: its link came before its record. Later than that, an address may have changed hands. */
    private boolean joined(Sighting sighting, List<Candidate> others) {
        for (Map.Entry<Long, PeerRecord> known : records.entrySet()) {
            PeerRecord record = known.getValue();
            if (record.isLinked()
                    && nowNanos - record.dueNanos() < limits.dialTimeoutNanos()
                    && others.stream().anyMatch(candidate -> record.has(candidate.address()))) {
                known.setValue(record.merged(PeerRecord.of(sighting, others, nowNanos, 0)));
                return true;
            }
        }
        return false;
    }

    private long pauseNanos(PeerRecord record) {
        long pauseNanos = limits.pauseNanos(record.failures() + 1);
        boolean isMissed = switch (record.standing()) {
            case PeerState.Lost(var _, long sinceNanos) -> nowNanos - sinceNanos < limits.missedForNanos();
            case PeerState.Hint() -> isTold(record); // others hear it
            case PeerState.Linked _ -> false;
        };
        return isMissed ? Math.min(pauseNanos, limits.pauseMissedMaxNanos()) : pauseNanos;
    }

    private static boolean isTold(PeerRecord record) {
        return record.names().stream().anyMatch(name -> name.startsWith(TOLD));
    }

    private Optional<PeerRecord> recordOf(NodeId node) {
        return records.values().stream()
                .filter(record -> record.standing().isOf(node))
                .findFirst();
    }

    /** Takes out all that is known of the node, and all hints that have the address, as one record. */
    private Optional<PeerRecord> gathered(PeerAddress address, NodeId node) {
        Optional<PeerRecord> hints = Optional.empty();
        Optional<PeerRecord> known = recordOf(node);
        for (Map.Entry<Long, PeerRecord> entry : new TreeMap<>(records).entrySet()) {
            PeerRecord record = entry.getValue();
            if (record.standing().isOf(node)) {
                records.remove(entry.getKey());
            } else if (record.standing() instanceof PeerState.Hint && record.has(address)) {
                hints = Optional.of(hints.map(others -> others.merged(record)).orElse(record));
                records.remove(entry.getKey());
            }
        }
        return hints.map(record -> known.map(record::merged).orElse(record)).or(() -> known);
    }

    private void ended(PeerAddress address, UnaryOperator<PeerRecord> outcome) {
        dialling.remove(address);
        records.replaceAll((_, record) -> record.awaited().contains(address) ? outcome.apply(record) : record);
    }

    private void ofNode(NodeId node, UnaryOperator<PeerRecord> change) {
        records.replaceAll((_, record) -> record.standing().isOf(node) ? change.apply(record) : record);
    }

    /** Makes room by forgetting what failed most often, longest ago; never what is linked, pinned or untried. */
    private boolean evict() {
        Optional<Long> worst = records.entrySet().stream()
                .filter(entry -> !entry.getValue().isLinked()
                        && !entry.getValue().pinned()
                        && entry.getValue().failures() > 0)
                .max(Comparator.comparing((Map.Entry<Long, PeerRecord> entry) ->
                                entry.getValue().standing() instanceof PeerState.Hint)
                        .thenComparingInt(entry -> entry.getValue().failures())
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

    /** Of a peer that no source told of. */
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
