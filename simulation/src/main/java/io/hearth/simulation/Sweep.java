package io.hearth.simulation;

import io.hearth.simulation.report.FaultKind;
import io.hearth.simulation.report.Outcome;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Plays many seeds, one world after the other on each thread. */
public final class Sweep {
    /** Most threads. */
    public static final int THREADS_MAX = 64;

    private final Request request;
    private final Consumer<Outcome> onOutcome;
    private final AtomicLong next; // shared by all threads
    private final AtomicBoolean isOver = new AtomicBoolean(); // written by a thread that finds a reason, read by all
    private final AtomicReference<@Nullable Throwable> failure =
            new AtomicReference<>(); // of a thread, read at the end
    private final ReentrantLock lock = new ReentrantLock();
    private Report report = Report.NOTHING;

    /**
     * A sweep.
     *
     * @param first seed
     * @param seeds the number of seeds from there
     * @param bug to plant in the nodes
     * @param threads 1 to {@link #THREADS_MAX}
     * @param violationsMax ends after this number, at least 1
     */
    public record Request(long first, long seeds, Optional<PlantedBug> bug, int threads, int violationsMax) {
        public Request {
            if (first < 0 || seeds < 1 || first > Long.MAX_VALUE - seeds) {
                throw new IllegalArgumentException(
                        "need a first seed of 0 or more and at least one seed, got " + first + " and " + seeds);
            }
            if (threads < 1 || threads > THREADS_MAX || violationsMax < 1) {
                throw new IllegalArgumentException("need 1 to " + THREADS_MAX
                        + " threads and to end after at least one violation, got " + threads + " and "
                        + violationsMax);
            }
        }
    }

    /**
     * The sum of all outcomes.
     *
     * @param spans the number of worlds for each name
     * @param broken the seeds with a violation, rising
     */
    public record Report(
            long seeds,
            long events,
            long views,
            long collectives,
            long virtualNanos,
            Map<FaultKind, Long> faults,
            SortedMap<String, Long> spans,
            Outcome.Recovery recovery,
            List<Outcome> broken) {
        static final Report NOTHING =
                new Report(0, 0, 0, 0, 0, Map.of(), new TreeMap<>(), Outcome.Recovery.NONE, List.of());

        public Report {
            faults = Map.copyOf(faults);
            spans = Collections.unmodifiableSortedMap(new TreeMap<>(spans));
            broken = List.copyOf(broken);
        }

        Report plus(Outcome outcome) {
            var sums = new EnumMap<FaultKind, Long>(FaultKind.class);
            sums.putAll(faults);
            outcome.faults().forEach((kind, count) -> sums.merge(kind, count, Long::sum));
            var worlds = new TreeMap<>(spans);
            worlds.merge(outcome.spans(), 1L, Long::sum);
            var all = new ArrayList<>(broken);
            if (outcome.violation().isPresent()) {
                all.add(outcome);
                all.sort((one, other) -> Long.compare(one.seed(), other.seed()));
            }
            return new Report(
                    seeds + 1,
                    events + outcome.events(),
                    views + outcome.views(),
                    collectives + outcome.collectives(),
                    virtualNanos + outcome.virtualNanos(),
                    sums,
                    worlds,
                    recovery.plus(outcome.recovery()),
                    all);
        }
    }

    private Sweep(Request request, Consumer<Outcome> onOutcome) {
        this.request = request;
        this.onOutcome = onOutcome;
        this.next = new AtomicLong(request.first());
    }

    /**
     * Plays until all are played or enough are broken.
     *
     * @param onOutcome gets the outcome of each seed, from one thread at a time
     */
    public static Report run(Request request, Consumer<Outcome> onOutcome) throws InterruptedException {
        return new Sweep(request, onOutcome).run();
    }

    private Report run() throws InterruptedException {
        var threads = new ArrayList<Thread>();
        for (int i = 0; i < request.threads(); i++) {
            threads.add(Thread.ofPlatform()
                    .name("hearth-simulate-" + i)
                    .daemon(true)
                    .uncaughtExceptionHandler((_, thrown) -> {
                        failure.set(thrown);
                        isOver.set(true);
                    })
                    .start(this::playAll));
        }
        try {
            for (Thread thread : threads) {
                thread.join();
            }
        } finally {
            isOver.set(true);
        }
        if (failure.get() != null) {
            throw new IllegalStateException("a thread of the sweep died", failure.get());
        }
        lock.lock();
        try {
            return report;
        } finally {
            lock.unlock();
        }
    }

    private void playAll() {
        long end = request.first() + request.seeds();
        for (long seed = next.getAndIncrement(); seed < end && !isOver.get(); seed = next.getAndIncrement()) {
            Outcome outcome = Simulation.run(seed, request.bug());
            lock.lock();
            try {
                report = report.plus(outcome);
                onOutcome.accept(outcome);
                if (report.broken().size() >= request.violationsMax()) {
                    isOver.set(true);
                }
            } finally {
                lock.unlock();
            }
        }
    }
}
