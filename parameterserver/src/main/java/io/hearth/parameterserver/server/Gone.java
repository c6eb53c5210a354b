package io.hearth.parameterserver.server;

import java.util.concurrent.CompletableFuture;

/** Whether a caller has left before its answer. Any thread. */
final class Gone {
    private final CompletableFuture<Void> left = new CompletableFuture<>();

    void set() {
        left.complete(null);
    }

    boolean isSet() {
        return left.isDone();
    }

    /** Has this done when the caller leaves, or now if it has left. */
    void then(Runnable what) {
        var _ = left.thenRun(what);
    }
}
