package io.hearth.simulation.process;

import io.hearth.election.view.state.ViewEvent;
import io.hearth.simulation.host.Host;
import io.hearth.simulation.plant.BugHooks;
import io.hearth.simulation.setting.WorldSetting;
import java.util.Optional;
import java.util.function.Supplier;

/** One start of a node as its parts see it: its identity, whether it runs or is paused, and the world around it. */
public interface ProcessContext extends BugHooks.Node {
    WorldSetting setting();

    Surroundings surroundings();

    Host host();

    long incarnation();

    /** Steps its view machine. */
    void view(ViewEvent event);

    /** Whether it was asked to leave. */
    boolean isLeaving();

    /** The group epoch of its collectives; empty for an agent. */
    Optional<String> fence();

    /** Something was delivered, so that its next tick may come earlier. */
    void scheduleTick();

    boolean isAlive();

    /** Ends it: from now on it does nothing. */
    void died();

    boolean isPaused();

    /** Runs a task now, or after the pause of a paused process. */
    void deliver(Runnable what);

    void trace(Supplier<String> what);
}
