package io.hearth.serve.shell;

import io.hearth.core.Bytes;
import io.hearth.replicated.host.ReplicaHost;
import java.util.function.Consumer;

/** The replicated state, for the service that is elected. Any thread. */
public interface StoreAccess {
    /** Has a command applied; what is applied survives. The outcome comes on the thread of the replica. */
    void submit(Bytes command, Consumer<ReplicaHost.Outcome> then);

    /** Asks whether this machine still orders commands, so that what it knows is the newest. The answer may come before this returns. */
    void confirm(Consumer<Boolean> then);
}
