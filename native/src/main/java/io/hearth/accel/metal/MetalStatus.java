package io.hearth.accel.metal;

import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The state of the Metal engine at one moment.
 *
 * @param device name of the GPU; empty if none was opened
 * @param usable whether the next call may go to the GPU; false for good after a lasting fault, for a while after another
 * @param why one clause: how it was opened, or the newest fault and the remedy
 * @param callsOnGpu calls whose elements all came from the GPU
 * @param callsOnCpu calls to the engine that the CPU did because another thread had the GPU, or that it finished after a fault. Calls
 *     that a kernel left to the CPU on purpose, because of a value that is not finite, are in neither figure
 * @param faults number of faults by kind; a kind that never occurred is absent
 */
public record MetalStatus(
        String device,
        boolean usable,
        String why,
        long callsOnGpu,
        long callsOnCpu,
        SortedMap<MetalFault, Long> faults) {
    /** Copies the map. */
    public MetalStatus {
        faults = Collections.unmodifiableSortedMap(new TreeMap<>(faults));
    }
}
