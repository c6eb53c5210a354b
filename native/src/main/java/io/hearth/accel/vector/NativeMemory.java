package io.hearth.accel.vector;

import java.lang.foreign.MemorySegment;

/**
 * Tells the compiler what {@link MemorySegment#isNative} has told the caller.
 *
 * <p>It reads from a call site's profile what kinds of memory come by, and all vector loads and stores of a process share a few call
 * sites inside the library; so vectors over an array anywhere, even the ones that uncompiled code makes to reinterpret a vector,
 * cost every loop compiled later its unrolling: a sum of int32 kept a tenth of its speed. A cast to the class of native segments
 * is a fact that no profile overrules.
 *
 * <p>For a like reason each loop calls the library's load itself: those calls are always inlined, while a method of our own around
 * one may have been compiled alone before, is then called, and hands over each vector in a box on the heap.
 */
final class NativeMemory {
    private static final Class<? extends MemorySegment> TYPE = MemorySegment.NULL.getClass();

    private NativeMemory() {}

    /** The segment itself, which is native memory; of whatever class, but only of the usual one it helps. */
    static MemorySegment of(MemorySegment segment) {
        return TYPE.isInstance(segment) ? TYPE.cast(segment) : segment;
    }
}
