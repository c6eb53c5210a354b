package io.hearth.simulation.report;

import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.LongSupplier;

/** Counts the events of one world and measures how long the cluster took to recover. */
public final class WorldStatistics {
    /** Kinds that lose a process or a pair for a while, so that a view or a number is late. */
    private static final Set<FaultKind> LASTING = EnumSet.of(
            FaultKind.KILL,
            FaultKind.UNPLUG,
            FaultKind.SHARP_CRASH,
            FaultKind.DIE_ON_ACCEPT,
            FaultKind.CUT_OFF_ON_COMMIT,
            FaultKind.PARTITION,
            FaultKind.LEAVE,
            FaultKind.OUTAGE,
            FaultKind.AWAY,
            FaultKind.LOST_PROCESS,
            FaultKind.DISK_ERROR,
            FaultKind.FULL_DISK);

    private final LongSupplier clock;
    private final Map<FaultKind, Long> faults = new EnumMap<>(FaultKind.class);
    private final Map<FaultKind, Long> viewsDue = new EnumMap<>(FaultKind.class); // since the first fault of a kind
    private final Map<FaultKind, Long> numbersDue = new EnumMap<>(FaultKind.class);
    private final SortedMap<Integer, Long> viewDelays = new TreeMap<>();
    private final SortedMap<Integer, Long> numberDelays = new TreeMap<>();
    private final SortedMap<Integer, Long> peaceDelays = new TreeMap<>();
    private long events;
    private long collectives;

    public WorldStatistics(LongSupplier clock) {
        this.clock = clock;
    }

    public void fault(FaultKind kind) {
        faults.merge(kind, 1L, Long::sum);
        if (LASTING.contains(kind)) {
            viewsDue.putIfAbsent(kind, clock.getAsLong());
            numbersDue.putIfAbsent(kind, clock.getAsLong());
        }
    }

    /** A machine took a step. */
    public void event() {
        events++;
    }

    /** A quorum agreed on a view with members. */
    public void view() {
        ended(viewsDue, viewDelays);
    }

    /** A member ended a number. */
    public void collective() {
        collectives++;
        ended(numbersDue, numberDelays);
    }

    /** All came into one view this long after the faults. */
    public void settled(long nanos) {
        peaceDelays.merge(Delays.bucket(nanos), 1L, Long::sum);
    }

    private void ended(Map<FaultKind, Long> due, SortedMap<Integer, Long> delays) {
        if (!due.isEmpty()) {
            due.values().forEach(since -> delays.merge(Delays.bucket(clock.getAsLong() - since), 1L, Long::sum));
            due.clear();
        }
    }

    public long events() {
        return events;
    }

    public long collectives() {
        return collectives;
    }

    public Map<FaultKind, Long> faults() {
        return faults;
    }

    public Outcome.Recovery recovery() {
        return new Outcome.Recovery(new Delays(viewDelays), new Delays(numberDelays), new Delays(peaceDelays));
    }
}
