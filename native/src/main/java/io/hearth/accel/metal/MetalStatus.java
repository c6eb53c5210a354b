package io.hearth.accel.metal;

import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What there is to say about the Metal engine at one moment.
 *
 * @param device name of the GPU; empty if none was opened
 * @param usable whether the next call may go to the GPU; false for good after a lasting fault, for a while after another
 * @param why one clause: how it was opened, or the newest fault and what can be done about it
 * @param callsOnGpu calls whose elements all came from the GPU
 * @param callsOnCpu calls that the engine was asked for and that the CPU did, because another thread had the GPU, or finished after a
 *     fault. Those that a kernel left to
 *     the CPU on purpose, because of a value that is not finite, are in neither figure
 * @param faults how often each was seen, none that was not
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
