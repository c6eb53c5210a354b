package io.hearth.agent.votes;

import io.hearth.election.Lineage;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Decides which voting records to delete. After a deletion the seat never votes again. That is always safe; it only matters for space and
 * for members that wait for a vote.
 *
 * <p>Pure. The shell reads the time stamps of the files once per minute in which this process is awake, and passes them in. A process that
 * uses a record changes the time stamp of its file every minute. So no process of the machine uses a record whose stamp does not change.
 * Awake minutes are counted by observations, because a wall clock runs on during sleep and may jump.
 *
 * <pre>
 * used by this process                                                  kept
 * same stamp over 10 awake minutes, no other machine needs the vote     deleted
 * same stamp over 10 awake minutes, stamp older than 30 days            deleted
 * more than 64 records left: those that no process uses now             deleted, first those that no machine needs,
 *                                                                       then those unused longest
 * </pre>
 */
final class RecordRetention {
    /** Awake minutes without use after which a record may go. */
    static final int QUIET_MINUTES = 10;

    /** A record that another machine may need is deleted after this time without use. */
    static final long NEEDED_MILLIS_MAX = 30L * 24 * 60 * 60 * 1000;

    /** Records of a machine, apart from those in use. */
    static final int RECORDS_MAX = 64;

    /**
     * With too many records, a record counts as unused if its stamp did not change for this many awake minutes: a process that uses it
     * changes it every minute.
     */
    private static final int UNUSED_MINUTES = 2;

    /** Before the first observed minute, a stamp this far from now means that the record is not in use. */
    private static final long UNUSED_MILLIS = 10L * 60 * 1000;

    private RecordRetention() {}

    /**
     * A record as found now.
     *
     * @param lineage of the record
     * @param modifiedMillis time stamp of its file
     * @param needed its view lists this machine with the record's seat, and another machine that may wait for the vote
     */
    record Sighting(Lineage lineage, long modifiedMillis, boolean needed) {}

    /** A time stamp, and the awake minutes since it last changed. */
    record Watched(long modifiedMillis, int quietMinutes) {}

    /** The observations of the previous minute. */
    record State(SortedMap<Lineage, Watched> watched) {
        static final State EMPTY = new State(new TreeMap<>());

        State {
            watched = Collections.unmodifiableSortedMap(new TreeMap<>(watched));
        }
    }

    /** The records to delete, and the state for the next minute. */
    record Verdict(State next, SortedSet<Lineage> deleted) {}

    /**
     * Decides after one awake minute.
     *
     * @param used lineages that this process uses
     * @param nowMillis wall clock
     */
    static Verdict observe(State before, List<Sighting> sightings, Set<Lineage> used, long nowMillis) {
        var watched = new TreeMap<Lineage, Watched>();
        var deleted = new TreeSet<Lineage>();
        for (Sighting sighting : sightings) {
            Watched seen = watch(before, sighting);
            if (!used.contains(sighting.lineage()) && isOver(sighting, seen, nowMillis)) {
                deleted.add(sighting.lineage());
            } else {
                watched.put(sighting.lineage(), seen);
            }
        }
        for (Lineage surplus : surplus(sightings, watched, used, nowMillis)) {
            watched.remove(surplus);
            deleted.add(surplus);
        }
        return new Verdict(new State(watched), Collections.unmodifiableSortedSet(deleted));
    }

    private static Watched watch(State before, Sighting sighting) {
        Watched known = before.watched().get(sighting.lineage());
        return known != null && known.modifiedMillis() == sighting.modifiedMillis()
                ? new Watched(known.modifiedMillis(), known.quietMinutes() + 1)
                : new Watched(sighting.modifiedMillis(), 0);
    }

    private static boolean isOver(Sighting sighting, Watched seen, long nowMillis) {
        return seen.quietMinutes() >= QUIET_MINUTES
                && (!sighting.needed() || nowMillis - seen.modifiedMillis() >= NEEDED_MILLIS_MAX);
    }

    private static List<Lineage> surplus(
            List<Sighting> sightings, SortedMap<Lineage, Watched> watched, Set<Lineage> used, long nowMillis) {
        int count = watched.size() - RECORDS_MAX;
        if (count <= 0) {
            return List.of();
        }
        var unused = new ArrayList<Sighting>();
        for (Sighting sighting : sightings) {
            Watched seen = watched.get(sighting.lineage());
            if (seen != null && !used.contains(sighting.lineage()) && isUnused(seen, nowMillis)) {
                unused.add(sighting);
            }
        }
        unused.sort(Comparator.comparing(Sighting::needed)
                .thenComparing(Comparator.comparingInt((Sighting sighting) -> quietMinutes(watched, sighting))
                        .reversed())
                .thenComparingLong(Sighting::modifiedMillis)
                .thenComparing(Sighting::lineage));
        return unused.stream().limit(count).map(Sighting::lineage).toList();
    }

    private static boolean isUnused(Watched seen, long nowMillis) {
        return seen.quietMinutes() >= UNUSED_MINUTES || Math.abs(nowMillis - seen.modifiedMillis()) > UNUSED_MILLIS;
    }

    private static int quietMinutes(SortedMap<Lineage, Watched> watched, Sighting sighting) {
        Watched seen = watched.get(sighting.lineage());
        return seen == null ? 0 : seen.quietMinutes();
    }
}
