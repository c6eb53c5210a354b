package io.hearth.transport;

import java.util.List;

/** The interfaces of this machine over which data may go. */
@FunctionalInterface
public interface Paths {
    /** Streams use the address of their link only. */
    Paths NONE = List::of;

    /** The interfaces as they are now, without loopback. May take some milliseconds. */
    List<LocalPath> read();
}
