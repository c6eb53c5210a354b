package io.hearth.collective.call;

import io.hearth.collective.exchange.Buffers;
import java.lang.foreign.MemorySegment;

/** Where a call's memory comes from. */
public interface Workspace {
    /** Scratch memory; a buffer is given back when the call has ended. */
    Buffers buffers();

    /** Whether all data threads may use this memory. */
    boolean mayTouch(MemorySegment memory);
}
