package io.hearth.simulation.cluster;

import io.hearth.election.LineageRecord;
import io.hearth.election.Resolver;
import io.hearth.election.View;
import io.hearth.election.view.state.ViewEffect;
import io.hearth.simulation.host.Host;
import io.hearth.simulation.process.ProcessContext;
import java.util.List;

/** Hears of everything that processes do, and may interfere: faults strike here, and rules are checked. */
public interface ProcessListener {
    /** The resolver that a process of that host uses. */
    Resolver resolver(Host host, Resolver honest);

    /** A process started and carried out its first effects. */
    void started(NodeProcess process);

    /** The script of a started process waits for its peers. */
    void waits(NodeProcess process);

    /** A step of the view machine asked for these effects. */
    void beforeEffects(NodeProcess process, List<ViewEffect> effects);

    void afterEffect(NodeProcess process, ViewEffect effect);

    /** A voter takes a record as its own; it is not on the disk yet. */
    void writes(LineageRecord record);

    /** A voter's record is on the disk, and its answer did not leave yet. */
    void afterWrite(NodeProcess process, LineageRecord record);

    void installed(NodeProcess process, View view);

    /** A process learned that it is not a member of {@code lived} any more. */
    void removed(NodeProcess process, View lived);

    /** A process gave up the lineage of {@code lived} without a ballot. */
    void gaveUp(NodeProcess process, View lived);

    /** Whether one of two processes refuses the other. */
    boolean forbidsLink(NodeProcess one, NodeProcess other);

    /** Whether a machine was put out of the namespace. */
    boolean isOut(Host host);

    /** Two processes have a link. */
    void linked(NodeProcess one, NodeProcess other);

    void died(ProcessContext process);
}
