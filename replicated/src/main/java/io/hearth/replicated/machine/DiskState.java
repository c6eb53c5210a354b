package io.hearth.replicated.machine;

import java.util.List;
import java.util.Optional;

/**
 * What is on its way to the disk.
 *
 * @param ticket the newest write
 * @param written the newest write that is on disk
 * @param stable number of the newest entry that is on disk, as the log is now
 * @param failure why a write failed; nothing relies on the disk until a whole write succeeded
 * @param retryNanos when to write again after that
 * @param waiting writes under way, oldest first
 */
record DiskState(
        long ticket, long written, long stable, Optional<String> failure, long retryNanos, List<Pending> waiting) {
    /**
     * A write under way.
     *
     * @param keep entries up to this number were left as they were
     * @param last number of the last entry after it
     * @param then what may leave once it is on disk
     */
    record Pending(long ticket, long keep, long last, List<ReplicaEffect> then) {
        Pending {
            then = List.copyOf(then);
        }
    }

    DiskState {
        waiting = List.copyOf(waiting);
    }

    boolean isBroken() {
        return failure.isPresent();
    }

    /** The same, with no more than the entries up to this number on disk. */
    DiskState stableUpTo(long number) {
        return new DiskState(ticket, written, Math.min(stable, number), failure, retryNanos, waiting);
    }

    /** After a failed write. */
    DiskState broken(String why, long retryAt) {
        return new DiskState(ticket, written, 0, Optional.of(why), retryAt, List.of());
    }

    /** Before the whole copy is written again. */
    DiskState mended() {
        return new DiskState(ticket, written, 0, Optional.empty(), retryNanos, List.of());
    }
}
