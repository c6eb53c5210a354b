package io.hearth.accel;

import io.hearth.accel.metal.MetalEngine;
import io.hearth.accel.metal.MetalFault;
import java.io.IOException;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes this process's failures of the GPU where {@code hearth kernel info} of a later process finds them ({@link FaultJournal}).
 * Of each kind the 1st, 2nd, 4th, 8th … is written, so that a GPU that fails again and again keeps no disk busy. Two processes that
 * write at the same moment may lose an entry of one.
 */
final class FaultKeeper implements MetalEngine.FaultListener {
    private static final Logger LOG = LoggerFactory.getLogger(FaultKeeper.class);

    private final CalibrationStore store;
    private final InstantSource clock;
    private final long process;
    private final ReentrantLock lock = new ReentrantLock(); // one write at a time

    /**
     * @param store of the journal; borrowed
     * @param process its number
     */
    FaultKeeper(CalibrationStore store, InstantSource clock, long process) {
        this.store = store;
        this.clock = clock;
        this.process = process;
    }

    @Override
    public void failed(MetalFault fault, long count, long callsOnGpu, String why) {
        if (fault.absence() || Long.bitCount(count) != 1) {
            return;
        }
        var entry = new FaultJournal.Entry(
                clock.instant().truncatedTo(ChronoUnit.SECONDS), process, fault, count, callsOnGpu, why);
        lock.lock();
        try {
            store.write(read(store).with(entry).encode());
        } catch (IOException failed) {
            LOG.warn("the GPU's failure is not kept for 'hearth kernel info': {}", failed.getMessage());
        } finally {
            lock.unlock();
        }
    }

    /** What other processes had; empty if that cannot be read, which the log tells. */
    static List<FaultJournal.Entry> others(CalibrationStore store, long process) {
        try {
            return read(store).entries().stream()
                    .filter(entry -> entry.process() != process)
                    .toList();
        } catch (IOException unreadable) {
            LOG.warn("earlier failures of the GPU cannot be read: {}", unreadable.getMessage());
            return List.of();
        }
    }

    private static FaultJournal read(CalibrationStore store) throws IOException {
        return store.read().map(FaultJournal::decode).orElseGet(() -> new FaultJournal(List.of()));
    }
}
