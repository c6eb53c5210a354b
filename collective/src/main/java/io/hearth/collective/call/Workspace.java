package io.hearth.collective.call;

import io.hearth.collective.exchange.Buffers;
import java.lang.foreign.MemorySegment;

/** Source of a call's memory. */
public interface Workspace {
    /** Pool of scratch memory; a buffer is given back when the call has ended. */
    Buffers buffers();

    /** Whether all data threads may access this memory. */
    boolean mayTouch(MemorySegment memory);
}
