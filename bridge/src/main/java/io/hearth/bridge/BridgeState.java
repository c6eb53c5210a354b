package io.hearth.bridge;

import java.util.concurrent.CompletableFuture;

/** All groups and all open calls of the calling program. */
final class BridgeState {
    private static final int GROUPS_MAX = 256;
    private static final int CALLS_MAX = 4_096;

    static final Handles<BridgeGroup> GROUPS = new Handles<>("group", GROUPS_MAX);
    static final Handles<CompletableFuture<Outcome>> CALLS = new Handles<>("call", CALLS_MAX);

    private BridgeState() {}

    /** The number of something that was begun. */
    static long begun(CompletableFuture<Outcome> end) {
        return CALLS.add(end);
    }
}
