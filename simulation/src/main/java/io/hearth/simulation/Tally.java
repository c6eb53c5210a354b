package io.hearth.simulation;

import java.util.EnumMap;
import java.util.Map;

/** What happened in one world, counted. */
final class Tally {
    private final Map<FaultKind, Long> faults = new EnumMap<>(FaultKind.class);
    private long events;
    private long collectives;
    private long transfers;

    void fault(FaultKind kind) {
        faults.merge(kind, 1L, Long::sum);
    }

    /** A machine took a step. */
    void event() {
        events++;
    }

    /** A member ended a number. */
    void collective() {
        collectives++;
    }

    /** A state was taken over. */
    void transfer() {
        transfers++;
    }

    long transfers() {
        return transfers;
    }

    long events() {
        return events;
    }

    long collectives() {
        return collectives;
    }

    Map<FaultKind, Long> faults() {
        return faults;
    }
}
