package io.hearth.bridge;

import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;

/** All groups and all open calls of the calling program. */
final class BridgeState {
    private static final int GROUPS_MAX = 256;
    private static final int CALLS_MAX = 4_096;

    static final Handles<BridgeGroup> GROUPS = new Handles<>("group", GROUPS_MAX);
    static final Handles<CompletableFuture<Outcome>> CALLS = new Handles<>("call", CALLS_MAX);

    private BridgeState() {}

    /** Begins something, if there is a place for one more call; its number. */
    static long begin(Callable<CompletableFuture<Outcome>> call) throws Exception {
        return CALLS.add(call);
    }
}
