package io.hearth.bench;

import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.util.List;

/**
 * Largest memory that a rank used during the timed calls, besides the vector itself.
 *
 * @param nativeBytes working memory of the engine, as {@link io.hearth.collective.ring.RingBackend#takeWorkBytesPeak} counts it
 * @param heapBytes of the whole process, garbage included: the sum of the peaks of all heap pools
 */
public record RankMemory(long nativeBytes, long heapBytes) {
    private static final double MIB = 1 << 20;

    double nativeMebibytes() {
        return nativeBytes / MIB;
    }

    double heapMebibytes() {
        return heapBytes / MIB;
    }

    /** Begins a new measurement of the peak of the heap. */
    static void resetHeap() {
        heapPools().forEach(MemoryPoolMXBean::resetPeakUsage);
    }

    /** The peak of the heap since {@link #resetHeap}, together with {@code nativeBytes} of the engine. */
    static RankMemory withHeap(long nativeBytes) {
        long heapBytes = heapPools().stream()
                .mapToLong(pool -> pool.getPeakUsage().getUsed())
                .sum();
        return new RankMemory(nativeBytes, heapBytes);
    }

    private static List<MemoryPoolMXBean> heapPools() {
        return ManagementFactory.getMemoryPoolMXBeans().stream()
                .filter(pool -> pool.getType() == MemoryType.HEAP)
                .toList();
    }
}
