package io.hearth.accel.vector;

import java.lang.foreign.MemorySegment;

/**
 * Casts a segment to the JDK's class for native segments, so that C2 does not depend on the type profile.
 *
 * <p>C2 learns the kinds of memory from the profile of a call site, and all vector loads and stores of a process share a few call sites
 * inside the library. So one vector over an array, even one that uncompiled code makes to reinterpret a vector, costs every loop that is
 * compiled later its unrolling: a sum of int32 kept a tenth of its speed. No profile overrules a cast.
 *
 * <p>For a similar reason each loop calls the library's load itself. C2 always inlines those calls. A method of ours around one may have
 * been compiled alone before; C2 then calls it and passes each vector in a box on the heap.
 */
final class NativeMemory {
    private static final Class<? extends MemorySegment> TYPE = MemorySegment.NULL.getClass();

    private NativeMemory() {}

    /** Returns the segment, which must be native memory. The cast helps only for the usual class; another class is returned as it is. */
    static MemorySegment of(MemorySegment segment) {
        return TYPE.isInstance(segment) ? TYPE.cast(segment) : segment;
    }
}
