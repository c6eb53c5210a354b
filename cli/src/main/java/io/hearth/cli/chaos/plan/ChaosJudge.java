package io.hearth.cli.chaos.plan;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Says what a chaos run was worth, from what its workers told and what was done to them. No clock: all times come with the events.
 *
 * <ul>
 *   <li>A step that two members began with different weights is a divergence: what a begun step starts from is final.
 *   <li>After a fault that costs members, those who go on must complete a step without them before the next act; the time until
 *       the last of them did is the recovery.
 *   <li>Whoever was paused for a second must stay a member.
 *   <li>Each kind of a {@link ChaosDrill} makes a promise: only the struck host is removed, and only once; after the switch's
 *       restart none is; the others go on before the fault is healed; one group again soon after {@link ChaosKind#AWAY}; a change
 *       beside a slow disk, and the others' next step after the death of one process, come in time.
 * </ul>
 */
public final class ChaosJudge {
    private static final int STEPS_KEPT_MAX = 50_000;
    private static final int PROBLEMS_MAX = 100;
    private static final int ROUNDS_KEPT_MAX = 100_000;

    /** A host that was away is back with the others within it. */
    static final long RETURN_NANOS_MAX = 5_000_000_000L;

    /** Beside a slow disk the others go on within it. */
    static final long SLOW_DISK_NANOS_MAX = 2_500_000_000L;

    /** The median of the others' recoveries after one process of a machine died is at most this. */
    static final long PROCESS_NANOS_MAX = 250_000_000L;

    /** What is known of a fault whose act is not over. */
    private static final class Open {
        private final ChaosBlow blow;
        private final Map<Integer, Long> nanosOfHost = new TreeMap<>();
        private final Map<Integer, Integer> losses = new TreeMap<>(); // times that a host saw the group become smaller
        private final Map<Integer, Integer> contributors = new TreeMap<>();
        private boolean removed;
        private long healedNanos = Long.MAX_VALUE; // after the blow

        Open(ChaosBlow blow) {
            this.blow = blow;
        }

        /** Until all who go on had a step without the struck hosts; empty if they did not. */
        OptionalLong recoveryNanos() {
            return nanosOfHost.keySet().containsAll(blow.onward())
                    ? nanosOfHost.values().stream().mapToLong(Long::longValue).max()
                    : OptionalLong.empty();
        }

        int lossesMost() {
            return losses.values().stream().mapToInt(Integer::intValue).max().orElse(0);
        }
    }

    private final int hosts;
    private final SortedMap<String, Long> faults = new TreeMap<>();
    private final Map<ChaosKind, List<Long>> recoveryNanos = new EnumMap<>(ChaosKind.class);
    private final Map<ChaosKind, List<Long>> returnNanos = new EnumMap<>(ChaosKind.class);
    private final List<Long> roundNanos = new ArrayList<>();
    private final List<String> problems = new ArrayList<>();
    private final TreeMap<Long, String> stateOfStep = new TreeMap<>();
    private final TreeSet<String> finalStates = new TreeSet<>();
    private final List<Open> open = new ArrayList<>();
    private final TreeSet<Integer> wellButRemoved = new TreeSet<>(); // since the last act was settled
    private long steps;
    private long stepsOfGone;
    private int rounds;
    private int brokenPromises;
    private int hangs;
    private int divergences;
    private int removalsOfPaused;
    private int removalsOfHealthy;

    public ChaosJudge(int hosts) {
        this.hosts = hosts;
    }

    public void note(int host, ChaosEvent event) {
        switch (event) {
            case ChaosEvent.Begun begun -> begun(host, begun);
            case ChaosEvent.Summed summed -> summed(host, summed);
            case ChaosEvent.Removed removed -> removed(host, removed);
            case ChaosEvent.Failed _ -> {}
            case ChaosEvent.Ended ended -> {
                finalStates.add(ended.state());
                if (finalStates.size() > 1) {
                    diverged("host " + host + " ended with other weights than the others, at step " + ended.step());
                }
            }
        }
    }

    private void removed(int host, ChaosEvent.Removed removed) {
        boolean wasStruck = false;
        for (Open fault : open) {
            if (fault.blow.struck().contains(host) && removed.at() - fault.blow.atNanos() > 0) {
                fault.removed = true;
                wasStruck = true;
            }
        }
        if (!wasStruck) {
            removalsOfHealthy++;
            wellButRemoved.add(host);
        }
    }

    private void begun(int host, ChaosEvent.Begun begun) {
        String known = stateOfStep.putIfAbsent(begun.step(), begun.state());
        if (known != null && !known.equals(begun.state())) {
            diverged("step " + begun.step() + " began with different weights: host " + host + " as rank " + begun.rank()
                    + " of " + begun.world() + " had " + begun.state() + ", another " + known);
        }
        if (stateOfStep.size() > STEPS_KEPT_MAX) {
            stateOfStep.pollFirstEntry();
        }
    }

    private void summed(int host, ChaosEvent.Summed summed) {
        steps = Math.max(steps, summed.number() + 1);
        if (summed.state().equals(ChaosEvent.WRONG)) {
            diverged("host " + host + " got a wrong sum in step " + summed.number());
        }
        for (Open fault : open) {
            ChaosBlow blow = fault.blow;
            long sinceNanos = summed.at() - blow.atNanos();
            if (sinceNanos <= 0) {
                continue;
            }
            int before = Objects.requireNonNullElse(fault.contributors.put(host, summed.contributors()), hosts);
            if (summed.contributors() < before) {
                fault.losses.merge(host, before - summed.contributors(), Integer::sum);
            }
            if (!blow.onward().contains(host)) {
                continue;
            }
            if (summed.contributors() <= hosts - blow.struck().size()) {
                fault.nanosOfHost.putIfAbsent(host, sinceNanos);
            }
            if (blow.kind() == ChaosKind.PAUSE && blow.isMeasured() && summed.contributors() < hosts) {
                fault.removed = true;
            }
        }
    }

    /** A fault was done just now. */
    public void struck(ChaosBlow blow) {
        faults.merge(blow.text(), 1L, Long::sum);
        open.add(new Open(blow));
    }

    /**
     * As {@link #settle()}, for one round of a drill.
     *
     * @param wholeNanos from the last healing until all were members again; empty if they were not
     * @return what came of it, for people
     */
    public String settle(OptionalLong wholeNanos) {
        var lines = new ArrayList<String>();
        for (Open fault : open) {
            lines.add(fault.blow.text() + (fault.blow.struck().isEmpty() ? "" : " of " + named(fault.blow.struck())));
            fault.recoveryNanos()
                    .ifPresent(nanos -> lines.add(String.format(Locale.ROOT, "next step after %.0f ms", nanos / 1e6)));
            wholeNanos.ifPresent(nanos -> {
                returnNanos
                        .computeIfAbsent(fault.blow.kind(), _ -> new ArrayList<>())
                        .add(nanos);
                lines.add(String.format(Locale.ROOT, "all together %.1f s after the healing", nanos / 1e9));
            });
            lines.addAll(brokenBy(fault, wholeNanos));
        }
        settle();
        return String.join(", ", lines);
    }

    private List<String> brokenBy(Open fault, OptionalLong wholeNanos) {
        ChaosBlow blow = fault.blow;
        var broken = new ArrayList<String>();
        int lossesMax = blow.struck().size();
        if (!wellButRemoved.isEmpty()) {
            broken.add(named(wellButRemoved) + " removed though well");
        } else if (fault.lossesMost() > lossesMax) {
            broken.add(fault.lossesMost() + " removals seen where " + lossesMax + " may be");
        }
        if (!blow.onward().isEmpty() && fault.recoveryNanos().orElse(0) > fault.healedNanos) {
            broken.add("the others did not go on before the healing");
        }
        if (blow.kind() == ChaosKind.AWAY && wholeNanos.orElse(Long.MAX_VALUE) > RETURN_NANOS_MAX) {
            broken.add("not back within " + seconds(RETURN_NANOS_MAX));
        }
        if (blow.kind() == ChaosKind.DISK && fault.recoveryNanos().orElse(0) > SLOW_DISK_NANOS_MAX) {
            broken.add("no change within " + seconds(SLOW_DISK_NANOS_MAX));
        }
        broken.forEach(what -> broken(blow.text() + ": " + what));
        return broken;
    }

    private static String seconds(long nanos) {
        return nanos / 1e9 + " s";
    }

    private void broken(String what) {
        brokenPromises++;
        problem("broken promise: " + what);
    }

    /** The faults are healed and all workers are members again, or never will be: nothing more is expected of the open ones. */
    public void settle() {
        rounds++;
        for (Open fault : open) {
            ChaosBlow blow = fault.blow;
            if (blow.kind() == ChaosKind.PAUSE && fault.removed) {
                removedPaused(blow);
            }
            if (!blow.costsMembership()) {
                continue;
            }
            if (!fault.nanosOfHost.keySet().containsAll(blow.onward())) {
                var behind = new TreeSet<>(blow.onward());
                behind.removeAll(fault.nanosOfHost.keySet());
                hang("after " + blow.text() + " of " + named(blow.struck()) + ", " + named(behind)
                        + " completed no step without them");
            } else if (blow.isMeasured()) {
                fault.recoveryNanos().ifPresent(nanos -> recovered(blow.kind(), nanos));
            }
        }
        open.clear();
        wellButRemoved.clear();
    }

    /** The faults that are open end now. */
    public void healed(long atNanos) {
        for (Open fault : open) {
            fault.healedNanos = Math.min(fault.healedNanos, atNanos - fault.blow.atNanos());
        }
    }

    /** Notes how long the last round took. The time includes the start of the worker that the round before struck. */
    public void took(long nanos) {
        if (roundNanos.size() < ROUNDS_KEPT_MAX) {
            roundNanos.add(nanos);
        }
    }

    /** All workers were started anew: their training has nothing to do with the one before. */
    public void startedAnew() {
        stateOfStep.clear();
        finalStates.clear();
        stepsOfGone += steps;
        steps = 0;
    }

    public void hang(String what) {
        hangs++;
        problem("hang: " + what);
    }

    /** One round of a series; one that shows no recovery where there had to be one is told by {@link #hang}. */
    public void add(ChaosRound.Outcome outcome) {
        ChaosBlow blow = outcome.blow();
        rounds++;
        faults.merge(blow.text(), 1L, Long::sum);
        stepsOfGone += outcome.sums();
        outcome.recoveryNanos().ifPresent(nanos -> recovered(blow.kind(), nanos));
        outcome.divergence().ifPresent(this::diverged);
        if (outcome.isRemoved()) {
            removedPaused(blow);
        }
    }

    private void recovered(ChaosKind kind, long nanos) {
        recoveryNanos.computeIfAbsent(kind, _ -> new ArrayList<>()).add(nanos);
    }

    private void removedPaused(ChaosBlow blow) {
        removalsOfPaused++;
        problem("a pause of 1 s of " + named(blow.struck()) + " led to a removal");
    }

    private void diverged(String what) {
        divergences++;
        problem("divergence: " + what);
    }

    private void problem(String line) {
        if (problems.size() < PROBLEMS_MAX) {
            problems.add(line);
        }
    }

    private static String named(Iterable<Integer> hosts) {
        var names = new ArrayList<String>();
        hosts.forEach(host -> names.add("host " + host));
        return String.join(" and ", names);
    }

    /** Of what is settled. */
    public ChaosReport report() {
        var lines = new ArrayList<>(problems);
        int broken = brokenPromises;
        List<Long> processes = recoveryNanos.getOrDefault(ChaosKind.PROCESS, List.of());
        if (!processes.isEmpty() && ChaosReport.medianMillis(processes) > PROCESS_NANOS_MAX / 1e6) {
            broken++;
            lines.add("broken promise: the median of recoveries from process is above " + PROCESS_NANOS_MAX / 1e6
                    + " ms");
        }
        return new ChaosReport(
                rounds,
                roundNanos,
                faults,
                stepsOfGone + steps,
                hangs,
                divergences,
                removalsOfPaused,
                removalsOfHealthy,
                broken,
                recoveryNanos,
                returnNanos,
                lines);
    }
}
