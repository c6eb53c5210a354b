package io.hearth.simulation.host;

import io.hearth.core.Bytes;
import io.hearth.election.DamagedRecordException;
import io.hearth.election.Lineage;
import io.hearth.election.LineageRecord;
import io.hearth.election.View;
import io.hearth.election.protobuf.RecordEncoding;
import io.hearth.identity.NodeId;
import io.hearth.identity.PeerId;
import io.hearth.simulation.rule.Violation;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;

/** The home of one machine, shared by all its processes: its vote records, and the number of starts of each slot. */
public final class Disk {
    private final Map<Lineage, LineageRecord> records = new TreeMap<>();
    private final Map<Lineage, Bytes> damaged = new TreeMap<>();
    private final Map<Lineage, Long> usedNanos = new TreeMap<>(); // when a process lived there or asked last
    private final Map<NodeId, Long> starts = new TreeMap<>();
    private final Deque<Runnable> waiting = new ArrayDeque<>(); // for the folder's lock
    private boolean isLocked;

    /** The incarnation of the next start. */
    public long nextStart(NodeId node) {
        return starts.merge(node, 1L, Long::sum);
    }

    /** Runs {@code task} once it has the folder's lock, after all that wait for it already; it ends with {@link #unlock}. */
    public void lock(Runnable task) {
        waiting.add(task);
        next();
    }

    public void unlock() {
        isLocked = false;
        next();
    }

    private void next() {
        while (!isLocked && !waiting.isEmpty()) {
            isLocked = true;
            waiting.remove().run();
        }
    }

    public Optional<LineageRecord> record(Lineage lineage) {
        return Optional.ofNullable(records.get(lineage));
    }

    /** Whether the machine's seat in {@code view} is that of a sound record. */
    public boolean votes(View view, PeerId machine) {
        return record(view.lineage())
                .filter(record -> record.seat() == view.seat(machine) && !damaged.containsKey(view.lineage()))
                .isPresent();
    }

    public void save(LineageRecord record, long now) {
        damaged.remove(record.lineage());
        usedNanos.put(record.lineage(), now);
        records.put(record.lineage(), record);
    }

    /**
     * Damages one record: bytes change or are cut off.
     *
     * @return whether there was one
     */
    public boolean damage(SplittableRandom random) {
        if (records.isEmpty()) {
            return false;
        }
        List<LineageRecord> promising = records.values().stream()
                .filter(record -> record.promised().isPresent())
                .toList(); // damage to a record with a promise hurts most
        List<LineageRecord> written = promising.isEmpty() ? List.copyOf(records.values()) : promising;
        LineageRecord record = written.get(random.nextInt(written.size()));
        byte[] bytes = RecordEncoding.encode(record);
        if (random.nextBoolean()) {
            bytes = Arrays.copyOf(bytes, random.nextInt(bytes.length));
        } else {
            bytes[random.nextInt(bytes.length)] ^= (byte) (1 << random.nextInt(8));
        }
        damaged.put(record.lineage(), Bytes.of(bytes));
        return true;
    }

    /** Restores a damaged record; a correct node never does. */
    public interface Rebuild {
        Optional<LineageRecord> of(LineageRecord lost);
    }

    /** The sound records, as a start reads them. */
    public List<LineageRecord> load(Rebuild rebuild) {
        var sound = new ArrayList<LineageRecord>();
        for (Lineage lineage : List.copyOf(records.keySet())) {
            read(lineage, rebuild).ifPresent(sound::add);
        }
        return sound;
    }

    /** The sound record of a lineage; a damaged one is set aside unless {@code rebuild} restores it. */
    public Optional<LineageRecord> read(Lineage lineage, Rebuild rebuild) {
        LineageRecord record = records.get(lineage);
        Bytes bytes = damaged.remove(lineage);
        if (record == null || bytes == null) {
            return Optional.ofNullable(record);
        }
        try {
            RecordEncoding.decode(bytes.toArray());
            throw new Violation("record", "a damaged record was read as a sound one");
        } catch (DamagedRecordException expected) {
            records.remove(lineage);
            Optional<LineageRecord> rebuilt = rebuild.of(record);
            rebuilt.ifPresent(again -> records.put(lineage, again));
            return rebuilt;
        }
    }

    /**
     * Marks the records in use and deletes those that no process used for long and in which the machine's vote does not matter.
     *
     * @return the lineages of {@code used} without a record
     */
    public SortedSet<Lineage> retain(PeerId machine, SortedSet<Lineage> used, long now, long keepNanos) {
        used.forEach(lineage -> usedNanos.put(lineage, now));
        for (LineageRecord record : List.copyOf(records.values())) {
            boolean isIdle = now - usedNanos.getOrDefault(record.lineage(), now) >= keepNanos;
            if (isIdle && !isNeeded(machine, record)) {
                records.remove(record.lineage());
                damaged.remove(record.lineage());
            }
        }
        usedNanos.keySet().retainAll(records.keySet());
        var missing = new TreeSet<>(used);
        missing.removeAll(records.keySet());
        return missing;
    }

    /** Whether other machines may need this machine's vote. */
    private static boolean isNeeded(PeerId machine, LineageRecord record) {
        return record.view()
                .filter(view ->
                        view.seat(machine) == record.seat() && view.machines().size() > 1)
                .isPresent();
    }
}
