package io.hearth.simulation.replicated;

import io.hearth.replicated.DiskTask;
import io.hearth.replicated.Log;
import io.hearth.replicated.StoreRecord;
import java.util.Optional;

/** A folder: what is on it survives a crash, and only that. */
final class ReplicaDisk {
    long seat;
    Optional<StoreRecord> record = Optional.empty();
    private Optional<StoreRecord> backup = Optional.empty();

    ReplicaDisk(long seat) {
        this.seat = seat;
    }

    void write(DiskTask task) {
        record = Optional.of(
                switch (task) {
                    case DiskTask.Whole(StoreRecord whole) -> whole;
                    case DiskTask.Append append -> append(record.orElseThrow(), append);
                });
    }

    void backUp() {
        backup = record;
    }

    void restore() {
        record = backup;
    }

    void forgetPromise() {
        record = record.map(kept -> new StoreRecord(kept.id(), Optional.empty(), kept.snapshot(), kept.log()));
    }

    private static StoreRecord append(StoreRecord before, DiskTask.Append append) {
        Log log = before.log().replaceAfter(append.keep(), append.entries());
        return new StoreRecord(before.id(), append.promised(), before.snapshot(), log);
    }
}
