package io.hearth.transport.record;

import io.hearth.identity.NodeId;
import io.hearth.transport.StreamException;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** Why a stream is no longer usable. Any thread may end it; the first reason counts. */
public final class StreamFailure {
    private final NodeId peer;
    private final AtomicReference<@Nullable StreamException> first =
            new AtomicReference<>(); // the first writer wins; read by all threads

    public StreamFailure(NodeId peer) {
        this.peer = peer;
    }

    public boolean isPresent() {
        return first.get() != null;
    }

    /** Returns false if the stream has ended before. */
    public boolean set(StreamException.Cause cause, String why, @Nullable Throwable thrown) {
        return first.compareAndSet(null, new StreamException(peer, cause, why, thrown));
    }

    /** The first reason; call it after {@link #set}. */
    public StreamException get() {
        StreamException reason = first.get();
        if (reason == null) {
            throw new AssertionError("the stream is whole");
        }
        return reason;
    }

    public void requireNone() throws StreamException {
        StreamException before = first.get();
        if (before != null) {
            throw new StreamException(peer, before.kind(), "no longer usable", before);
        }
    }
}
