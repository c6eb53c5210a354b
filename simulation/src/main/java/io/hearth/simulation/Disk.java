package io.hearth.simulation;

import io.hearth.core.Bytes;
import io.hearth.election.DamagedRecordException;
import io.hearth.election.Lineage;
import io.hearth.election.LineageRecord;
import io.hearth.election.RecordCodec;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.TreeMap;

/** What outlives a process: its voter's records and the number of its starts. */
final class Disk {
    private final Map<Lineage, LineageRecord> records = new TreeMap<>();
    private final Map<Lineage, Bytes> damaged = new TreeMap<>();
    private long starts;

    /** The incarnation of a new start. */
    long nextStart() {
        return ++starts;
    }

    Optional<LineageRecord> record(Lineage lineage) {
        return Optional.ofNullable(records.get(lineage));
    }

    void save(LineageRecord record) {
        damaged.remove(record.lineage());
        records.put(record.lineage(), record);
    }

    void forget(Lineage lineage) {
        damaged.remove(lineage);
        records.remove(lineage);
    }

    /**
     * Some bytes of one record are not what was written, or are missing.
     *
     * @return whether there was one
     */
    boolean damage(SplittableRandom random) {
        if (records.isEmpty()) {
            return false;
        }
        List<LineageRecord> written = List.copyOf(records.values());
        LineageRecord record = written.get(random.nextInt(written.size()));
        byte[] bytes = RecordCodec.encode(record);
        if (random.nextBoolean()) {
            bytes = Arrays.copyOf(bytes, random.nextInt(bytes.length));
        } else {
            bytes[random.nextInt(bytes.length)] ^= (byte) (1 << random.nextInt(8));
        }
        damaged.put(record.lineage(), Bytes.of(bytes));
        return true;
    }

    /** What a start reads: sound records; damaged ones are set aside, unless the sabotage knows better. */
    List<LineageRecord> load(Sabotage sabotage) {
        var sound = new ArrayList<LineageRecord>();
        for (LineageRecord record : List.copyOf(records.values())) {
            Bytes bytes = damaged.remove(record.lineage());
            if (bytes == null) {
                sound.add(record);
                continue;
            }
            try {
                RecordCodec.decode(bytes.toArray());
                throw new Violation("record", "a damaged record was read as a sound one");
            } catch (DamagedRecordException expected) {
                records.remove(record.lineage());
                sabotage.rebuild(record).ifPresent(sound::add);
            }
        }
        return sound;
    }
}
