package io.hearth.transport.stream;

import io.hearth.identity.NodeId;
import io.hearth.transport.StreamException;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** Why a stream is no longer usable. Any thread may end it; the first reason counts. */
final class StreamFailure {
    private final NodeId peer;
    private final AtomicReference<@Nullable StreamException> first =
            new AtomicReference<>(); // the first writer wins; read by all threads

    StreamFailure(NodeId peer) {
        this.peer = peer;
    }

    boolean isPresent() {
        return first.get() != null;
    }

    /** Returns false if the stream has ended before. */
    boolean set(StreamException.Cause cause, String why, @Nullable Throwable thrown) {
        return first.compareAndSet(null, new StreamException(peer, cause, why, thrown));
    }

    /** The first reason; call it after {@link #set}. */
    StreamException get() {
        StreamException reason = first.get();
        if (reason == null) {
            throw new AssertionError("the stream is whole");
        }
        return reason;
    }

    void requireNone() throws StreamException {
        StreamException before = first.get();
        if (before != null) {
            throw new StreamException(peer, before.kind(), "no longer usable", before);
        }
    }
}
