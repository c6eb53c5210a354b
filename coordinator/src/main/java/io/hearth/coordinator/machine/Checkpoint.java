package io.hearth.coordinator.machine;

import java.util.Collections;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * A checkpoint that workers write.
 *
 * @param path where, as its starter says
 * @param listed workers that were on the list at its start
 * @param ended of them, those that have ended it; the others have left or are pending
 * @param pending registrations of those that have neither ended it nor left
 * @param lastRegistration the newest registration at its start
 */
public record Checkpoint(
        long epoch, String path, int listed, int ended, SortedSet<Long> pending, long lastRegistration) {
    public Checkpoint {
        pending = Collections.unmodifiableSortedSet(new TreeSet<>(pending));
    }

    /** The id of the checkpoint of an epoch. */
    public static String id(long epoch) {
        return "ckpt-" + epoch;
    }

    public String id() {
        return id(epoch);
    }

    /** Whether all that were listed at its start have ended it or left. */
    public boolean isComplete() {
        return pending.isEmpty();
    }

    Checkpoint ended(long registration) {
        return new Checkpoint(epoch, path, listed, ended + 1, without(registration), lastRegistration);
    }

    Checkpoint left(long registration) {
        return pending.contains(registration)
                ? new Checkpoint(epoch, path, listed, ended, without(registration), lastRegistration)
                : this;
    }

    private SortedSet<Long> without(long registration) {
        var rest = new TreeSet<>(pending);
        rest.remove(registration);
        return rest;
    }
}
