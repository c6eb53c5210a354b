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
 * Judges a chaos run by the events of its workers and the faults that struck them. It has no clock: all times come with the events.
 *
 * <ul>
 *   <li>If two members began a step with different weights, that is a divergence, because the state at the begin of a step is final.
 *   <li>After a fault that costs members, the other hosts must complete a step without them before the next act. The recovery time ends when the last of these hosts has done so.
 *   <li>A worker that was paused for a second must stay a member.
 *   <li>Each kind of a {@link ChaosDrill} makes a promise. Only the struck host is removed, and only once; a restart of the switch removes none. The other hosts go on before the fault is healed. There is one group again soon after {@link ChaosKind#AWAY}. A view change with a slow disk, and the next step of the others after the death of one process, come in time.
 * </ul>
 */
public final class ChaosJudge {
    private static final int STEPS_KEPT_MAX = 50_000;
    private static final int PROBLEMS_MAX = 100;
    private static final int ROUNDS_KEPT_MAX = 100_000;

    /** Longest time until a host that was away is a member again. */
    static final long RETURN_NANOS_MAX = 5_000_000_000L;

    /** Longest time until the others go on, if one of them has a slow disk. */
    static final long SLOW_DISK_NANOS_MAX = 2_500_000_000L;

    /** Largest median of the recovery times after the death of one process of a machine. */
    static final long PROCESS_NANOS_MAX = 250_000_000L;

    /** A fault whose act is not over, and its effects so far. */
    private static final class Open {
        private final ChaosBlow blow;
        private final Map<Integer, Long> nanosOfHost = new TreeMap<>();
        private final Map<Integer, Integer> losses = new TreeMap<>(); // number of members that each host saw disappear
        private final Map<Integer, Integer> contributors = new TreeMap<>();
        private boolean removed;
        private long healedNanos = Long.MAX_VALUE; // time from the blow to its healing

        Open(ChaosBlow blow) {
            this.blow = blow;
        }

        /** Time until all other hosts had a step without the struck hosts; empty if they had none. */
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
    private final TreeSet<Integer> wellButRemoved =
            new TreeSet<>(); // healthy workers that were removed since the last act was settled
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

    /** Notes a new fault. */
    public void struck(ChaosBlow blow) {
        faults.merge(blow.text(), 1L, Long::sum);
        open.add(new Open(blow));
    }

    /**
     * As {@link #settle()}, for one round of a drill.
     *
     * @param wholeNanos from the last healing until all workers were members again; empty if that did not happen
     * @return the outcome, for messages
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
            broken.add(named(wellButRemoved) + " removed without a fault");
        } else if (fault.lossesMost() > lossesMax) {
            broken.add(fault.lossesMost() + " removals seen, at most " + lossesMax + " allowed");
        }
        if (!blow.onward().isEmpty() && fault.recoveryNanos().orElse(0) > fault.healedNanos) {
            broken.add("the others did not go on before the healing");
        }
        if (blow.kind() == ChaosKind.AWAY && wholeNanos.orElse(Long.MAX_VALUE) > RETURN_NANOS_MAX) {
            broken.add("not back within " + seconds(RETURN_NANOS_MAX));
        }
        if (blow.kind() == ChaosKind.DISK && fault.recoveryNanos().orElse(0) > SLOW_DISK_NANOS_MAX) {
            broken.add("no view change within " + seconds(SLOW_DISK_NANOS_MAX));
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

    /** Ends an act: its faults are healed, and all workers are members again or will never be. The judge counts the effects of the open faults. */
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

    /** Notes that the open faults end now. */
    public void healed(long atNanos) {
        for (Open fault : open) {
            fault.healedNanos = Math.min(fault.healedNanos, atNanos - fault.blow.atNanos());
        }
    }

    /** Notes the duration of the last round. It includes the start of the worker that the round before struck. */
    public void took(long nanos) {
        if (roundNanos.size() < ROUNDS_KEPT_MAX) {
            roundNanos.add(nanos);
        }
    }

    /** Notes that all workers were started again: their training is a new one. */
    public void restarted() {
        stateOfStep.clear();
        finalStates.clear();
        stepsOfGone += steps;
        steps = 0;
    }

    public void hang(String what) {
        hangs++;
        problem("hang: " + what);
    }

    /** Adds one round of a series. If it lacks a recovery that it must have, the caller reports that by {@link #hang}. */
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

    /** The report of all settled acts. */
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
