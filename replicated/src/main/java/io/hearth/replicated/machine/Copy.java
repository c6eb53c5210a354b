package io.hearth.replicated.machine;

import io.hearth.election.Ballot;
import io.hearth.replicated.Content;
import io.hearth.replicated.Log;
import io.hearth.replicated.Replicas;
import io.hearth.replicated.Snapshot;
import io.hearth.replicated.StoreId;
import io.hearth.replicated.StoreRecord;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A replica's copy in memory; the disk may be behind.
 *
 * @param applied the state after the committed entries; never before {@code snapshot}, never after the log's end
 */
public record Copy<S>(StoreId id, Optional<Ballot> promised, Snapshot snapshot, Log log, Applied<S> applied) {
    StoreRecord record() {
        return new StoreRecord(id, promised, snapshot, log);
    }

    /** Number of the newest entry that is known as committed. */
    public long committed() {
        return applied.at().number();
    }

    Copy<S> promise(Ballot ballot) {
        return promised.isPresent() && promised.get().compareTo(ballot) >= 0
                ? this
                : new Copy<>(id, Optional.of(ballot), snapshot, log, applied);
    }

    Copy<S> log(Log changed) {
        return new Copy<>(id, promised, snapshot, changed, applied);
    }

    Copy<S> applied(Applied<S> changed) {
        return new Copy<>(id, promised, snapshot, log, changed);
    }

    /** The newest committed configuration, and each later one in the log. */
    public List<Replicas> inForce() {
        var configurations = new ArrayList<Replicas>();
        configurations.add(applied.replicas());
        for (var entry : log.after(committed())) {
            if (entry.content() instanceof Content.Configure(Replicas replicas)) {
                configurations.add(replicas);
            }
        }
        return configurations;
    }
}
