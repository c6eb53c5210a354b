package io.hearth.serve.shell;

import io.hearth.core.Clock;
import io.hearth.identity.NodeId;
import java.nio.file.Path;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Consumer;

/**
 * What a host gives to a service.
 *
 * @param self this machine
 * @param folder of this service on this machine, for files besides the store's
 * @param timer runs what is short
 * @param store to use once the service is elected
 * @param others reaches this service on other machines
 * @param failed called with an error that the service cannot go on after
 */
public record Surroundings(
        NodeId self,
        Path folder,
        Clock clock,
        ScheduledExecutorService timer,
        StoreAccess store,
        MemberCalls others,
        Consumer<Throwable> failed)
        implements ShellHost {}
