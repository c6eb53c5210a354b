package io.hearth.cli;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
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
 * </ul>
 */
final class ChaosJudge {
    private static final int STEPS_KEPT_MAX = 50_000;
    private static final int PROBLEMS_MAX = 100;

    /** What is known of a fault whose act is not over. */
    private static final class Open {
        private final ChaosBlow blow;
        private final Map<Integer, Long> nanosOfHost = new TreeMap<>();
        private boolean removed;

        Open(ChaosBlow blow) {
            this.blow = blow;
        }
    }

    private final int hosts;
    private final SortedMap<String, Long> faults = new TreeMap<>();
    private final Map<ChaosKind, List<Long>> recoveryNanos = new EnumMap<>(ChaosKind.class);
    private final List<String> problems = new ArrayList<>();
    private final TreeMap<Long, String> stateOfStep = new TreeMap<>();
    private final TreeSet<String> finalStates = new TreeSet<>();
    private final List<Open> open = new ArrayList<>();
    private long steps;
    private long stepsOfGone;
    private int hangs;
    private int divergences;
    private int removalsOfPaused;
    private int removalsOfHealthy;

    ChaosJudge(int hosts) {
        this.hosts = hosts;
    }

    void note(int host, ChaosEvent event) {
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
            if (sinceNanos <= 0 || !blow.onward().contains(host)) {
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
    void struck(ChaosBlow blow) {
        faults.merge(blow.text(), 1L, Long::sum);
        open.add(new Open(blow));
    }

    /** The faults are healed and all workers are members again, or never will be: nothing more is expected of the open ones. */
    void settle() {
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
                recovered(
                        blow.kind(),
                        fault.nanosOfHost.values().stream()
                                .mapToLong(Long::longValue)
                                .max()
                                .orElseThrow());
            }
        }
        open.clear();
    }

    /** All workers were started anew: their training has nothing to do with the one before. */
    void startedAnew() {
        stateOfStep.clear();
        finalStates.clear();
        stepsOfGone += steps;
        steps = 0;
    }

    void hang(String what) {
        hangs++;
        problem("hang: " + what);
    }

    /** One round of a series; one that shows no recovery where there had to be one is told by {@link #hang}. */
    void add(ChaosRound.Outcome outcome) {
        ChaosBlow blow = outcome.blow();
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

    ChaosReport report() {
        return new ChaosReport(
                faults,
                stepsOfGone + steps,
                hangs,
                divergences,
                removalsOfPaused,
                removalsOfHealthy,
                recoveryNanos,
                problems);
    }
}
