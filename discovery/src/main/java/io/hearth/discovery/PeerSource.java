package io.hearth.discovery;

import java.util.function.Consumer;

/** A way to find peers. It only finds: it never decides who is a member, and never who is alive. */
public interface PeerSource extends AutoCloseable {
    /**
     * Starts to look, without blocking; at most once.
     *
     * @param sink takes each sighting, on threads of the source; must not block. A full queue behind it may drop: sources
     *     tell again
     */
    void start(Consumer<Sighting> sink);

    /** Stops looking and telling, within about a second; idempotent. */
    @Override
    void close();
}
