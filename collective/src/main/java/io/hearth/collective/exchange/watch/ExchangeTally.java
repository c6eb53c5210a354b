package io.hearth.collective.exchange.watch;

import io.hearth.collective.CollectiveEvent;
import io.hearth.collective.CollectiveTrace;
import io.hearth.collective.CollectiveTrace.Phase;
import io.hearth.collective.Signature;
import io.hearth.collective.schedule.Schedule;
import java.util.EnumMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.LongAdder;

/** Adds up the time of one attempt by phase; used by the sending and the receiving thread. */
final class ExchangeTally implements ExchangeWatch {
    private final CollectiveTrace trace;
    private final CollectiveEvent event;
    private final long number;
    private final Signature signature;
    private final int world;
    private final LongAdder codecNanos;
    private final long startNanos = System.nanoTime();
    private final Map<Phase, LongAdder> nanos = new EnumMap<>(Phase.class);
    private final LinkedHashSet<String> schedules = new LinkedHashSet<>();

    /**
     * @param event begun here
     * @param codecNanos gets the time of each coding
     */
    ExchangeTally(
            CollectiveTrace trace,
            CollectiveEvent event,
            long number,
            Signature signature,
            int world,
            LongAdder codecNanos) {
        this.trace = trace;
        this.event = event;
        this.number = number;
        this.signature = signature;
        this.world = world;
        this.codecNanos = codecNanos;
        for (Phase phase : Phase.values()) {
            nanos.put(phase, new LongAdder());
        }
        event.begin();
    }

    @Override
    public long now() {
        return System.nanoTime();
    }

    @Override
    public void plays(Schedule schedule) {
        schedules.add(schedule.getClass().getSimpleName());
    }

    @Override
    public boolean isOn() {
        return true;
    }

    @Override
    public void did(Phase phase, int rank, long bytes, long sinceNanos, long untilNanos) {
        count(phase).add(untilNanos - sinceNanos);
        if (phase == Phase.ENCODE || phase == Phase.DECODE) {
            codecNanos.add(untilNanos - sinceNanos);
        }
        trace.segment(number, phase, rank, bytes, sinceNanos, untilNanos);
    }

    @Override
    public void end(boolean completed) {
        event.end();
        String algorithm = schedules.isEmpty() ? "none" : String.join("+", schedules);
        if (event.shouldCommit()) {
            event.number = number;
            event.kind = signature.kind().name();
            event.bytes = signature.bytes();
            event.world = world;
            event.algorithm = algorithm;
            event.completed = completed;
            event.waiting = count(Phase.WAIT).sum();
            event.encode = count(Phase.ENCODE).sum();
            event.seal = count(Phase.SEAL).sum();
            event.send = count(Phase.SEND).sum();
            event.receive = count(Phase.RECEIVE).sum();
            event.open = count(Phase.OPEN).sum();
            event.decode = count(Phase.DECODE).sum();
            event.combine = count(Phase.COMBINE).sum();
            event.copy = count(Phase.COPY).sum();
            event.commit();
        }
        var sums = new EnumMap<Phase, Long>(Phase.class);
        nanos.forEach((phase, spent) -> sums.put(phase, spent.sum()));
        trace.ended(new CollectiveTrace.Collective(
                number,
                signature.kind(),
                signature.bytes(),
                world,
                algorithm,
                completed,
                startNanos,
                System.nanoTime(),
                sums));
    }

    private LongAdder count(Phase phase) {
        return Objects.requireNonNull(nanos.get(phase));
    }
}
