package io.hearth.bench;

import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.util.List;

/**
 * Most memory that a rank held at once during the timed calls, beside the vector itself.
 *
 * @param nativeBytes working memory of the engine, as {@link io.hearth.collective.ring.RingBackend#takeWorkBytesPeak} counts it
 * @param heapBytes of the whole process, garbage included: the sum of what each heap pool held at its worst
 */
public record RankMemory(long nativeBytes, long heapBytes) {
    private static final double MIB = 1 << 20;

    double nativeMebibytes() {
        return nativeBytes / MIB;
    }

    double heapMebibytes() {
        return heapBytes / MIB;
    }

    /** From now on the heap's worst counts. */
    static void resetHeap() {
        heapPools().forEach(MemoryPoolMXBean::resetPeakUsage);
    }

    /** The heap's worst since {@link #resetHeap}, with what the engine counted. */
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
