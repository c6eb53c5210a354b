package io.hearth.discovery;

import java.util.function.Consumer;

/** A way to find peers. A source never decides which nodes are members, or which are alive. */
public interface PeerSource extends AutoCloseable {
    /**
     * Starts the search without blocking. Call at most once.
     *
     * @param sink takes each sighting, on threads of the source; must not block. It may drop a sighting when its queue is full, because
     *     sources report peers again
     */
    void start(Consumer<Sighting> sink);

    /** Stops the search and the reports within about a second; idempotent. */
    @Override
    void close();
}
