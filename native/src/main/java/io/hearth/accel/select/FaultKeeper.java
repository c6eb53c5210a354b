package io.hearth.accel.select;

import io.hearth.accel.metal.MetalEngine;
import io.hearth.accel.metal.MetalFault;
import java.io.IOException;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes this process's failures of the GPU into the {@link FaultJournal}, where {@code hearth kernel info} of a later process finds
 * them. Of each kind it writes the first reported failure, then the 2nd, 4th, 8th …, so that a GPU that fails often does not keep the
 * disk busy. If two processes write at the same moment, the entry of one may be lost.
 */
final class FaultKeeper implements MetalEngine.FaultListener {
    private static final Logger LOG = LoggerFactory.getLogger(FaultKeeper.class);

    private final CalibrationStore store;
    private final InstantSource clock;
    private final long process;
    private final ReentrantLock lock = new ReentrantLock(); // one write at a time
    private final Map<MetalFault, Long> reported = new EnumMap<>(MetalFault.class); // guarded by lock

    /**
     * @param store keeps the journal; borrowed
     * @param process its number
     */
    FaultKeeper(CalibrationStore store, InstantSource clock, long process) {
        this.store = store;
        this.clock = clock;
        this.process = process;
    }

    @Override
    public void failed(MetalFault fault, long count, long callsOnGpu, String why) {
        if (fault.absence()) {
            return;
        }
        lock.lock();
        try {
            long before = reported.getOrDefault(fault, 0L);
            reported.put(fault, count);
            if (before == 0 || Long.highestOneBit(count) != Long.highestOneBit(before)) {
                Instant now = clock.instant().truncatedTo(ChronoUnit.SECONDS);
                var entry = new FaultJournal.Entry(now, process, fault, count, callsOnGpu, why);
                store.write(read(store).with(entry).encode());
            }
        } catch (IOException failed) {
            LOG.warn("cannot keep the GPU's failure for 'hearth kernel info': {}", failed.getMessage());
        } finally {
            lock.unlock();
        }
    }

    /** Failures of other processes; empty if the journal cannot be read, which is logged. */
    static List<FaultJournal.Entry> others(CalibrationStore store, long process) {
        try {
            return read(store).entries().stream()
                    .filter(entry -> entry.process() != process)
                    .toList();
        } catch (IOException unreadable) {
            LOG.warn("cannot read earlier failures of the GPU: {}", unreadable.getMessage());
            return List.of();
        }
    }

    private static FaultJournal read(CalibrationStore store) throws IOException {
        return store.read().map(FaultJournal::decode).orElseGet(() -> new FaultJournal(List.of()));
    }
}
