package io.hearth.simulation;

import static io.hearth.simulation.time.Timeline.MILLI;
import static io.hearth.simulation.time.Timeline.SECOND;

import io.hearth.election.LineageRecord;
import io.hearth.election.Message;
import io.hearth.election.Resolver;
import io.hearth.election.View;
import io.hearth.election.view.state.ViewEffect;
import io.hearth.identity.NodeId;
import io.hearth.simulation.call.GroupFrame;
import io.hearth.simulation.check.CollectiveChecker;
import io.hearth.simulation.check.Dissolutions;
import io.hearth.simulation.check.Quiescence;
import io.hearth.simulation.check.Removals;
import io.hearth.simulation.cluster.Cluster;
import io.hearth.simulation.cluster.NodeProcess;
import io.hearth.simulation.cluster.ProcessListener;
import io.hearth.simulation.fault.Expulsion;
import io.hearth.simulation.fault.FaultInjector;
import io.hearth.simulation.fault.Outages;
import io.hearth.simulation.host.Host;
import io.hearth.simulation.lie.ByzantineNode;
import io.hearth.simulation.lie.Liar;
import io.hearth.simulation.plant.BugHooks;
import io.hearth.simulation.process.ProcessContext;
import io.hearth.simulation.process.Results;
import io.hearth.simulation.process.Surroundings;
import io.hearth.simulation.report.FaultKind;
import io.hearth.simulation.setting.LiePlan;
import io.hearth.simulation.setting.WorldSetting;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One seed: some hosts, their processes and the network between them, through a time of faults and then in {@link Quiescence}.
 *
 * <p>This class is composition: it makes the parts and passes each event to the parts that handle it. Rules of safety are checked at every
 * event.
 */
final class World implements Surroundings, ProcessListener {
    /** A disk that is slower needs more than a network that is well. */
    private static final long SLOW_DISK_NANOS_IN_PEACE = 700 * MILLI;

    final WorldSetting setting;
    final Liar liar;
    private final Cluster cluster;
    private final Expulsion expulsion;
    private final MessageBus bus;
    private final CollectiveChecker results;
    private final Dissolutions dissolutions;
    private final Removals removals;
    private final Outages outages;
    private final FaultInjector injector;
    private final ByzantineNode byzantine;

    World(long seed, BugHooks hooks, @Nullable Consumer<String> trace, Optional<LiePlan> lies) {
        this.setting = new WorldSetting(seed, hooks, trace, lies);
        this.cluster = new Cluster(setting, this, this);
        this.liar = new Liar(setting, cluster);
        this.expulsion = new Expulsion(setting, cluster);
        this.bus = new MessageBus(setting, cluster, expulsion, liar);
        this.results = new CollectiveChecker(setting, cluster, liar);
        this.dissolutions = new Dissolutions(setting, cluster, expulsion, liar);
        this.removals = new Removals(setting, cluster, dissolutions, expulsion, liar);
        this.outages = new Outages(setting, cluster, removals);
        this.injector = new FaultInjector(setting, cluster, outages);
        this.byzantine = new ByzantineNode(setting, cluster);
        setting.viewChecker.observe(this::committed, removals::committed);
    }

    private void committed(View view) {
        dissolutions.committed(view);
        results.committed(view);
    }

    /** Plays it to the end, or to the first violation. */
    void play() {
        setting.note(setting.text());
        setting.hosts().forEach(host -> setting.after(setting.random.nextLong(2 * SECOND), () -> cluster.start(host)));
        injector.plan();
        expulsion.plan();
        byzantine.begin();
        liar.begin();
        if (liar.forges()) {
            setting.viewChecker.turnOff();
        }
        setting.timeline.runUntil(setting.profile.faultyNanos());
        setting.note("PEACE");
        endFaults();
        settle();
        if (setting.profile.has(FaultKind.OUTAGE)) {
            setting.timeline.runUntil(outages.inPeace());
            settle();
        }
        if (liar.goes()) {
            setting.note("PEACE without the liar");
            settle();
        }
        if (cluster.loseProcess(setting.random)) {
            setting.note("PEACE without one process of a machine");
            settle();
        }
        setting.note("the last training");
        setting.enter(WorldSetting.Phase.LAST_TRAINING);
        new Quiescence(setting, cluster, removals, liar).trainOnceMore();
    }

    private void endFaults() {
        setting.enter(WorldSetting.Phase.PEACE);
        injector.end();
        liar.end();
        outages.end();
        expulsion.end();
        setting.network.heal();
        setting.hosts().forEach(host -> host.home.heal(SLOW_DISK_NANOS_IN_PEACE));
        List<Host> down = setting.hosts().stream()
                .filter(host -> !cluster.isGivenUp(host))
                .toList();
        down.forEach(host -> setting.after(setting.random.nextLong(300 * MILLI), () -> cluster.start(host)));
    }

    private void settle() {
        new Quiescence(setting, cluster, removals, liar).settle();
    }

    // ---- what the parts of a process use

    @Override
    public void send(ProcessContext from, NodeId to, Message message) {
        bus.send(from, to, message);
    }

    @Override
    public void stream(ProcessContext from, NodeId to, GroupFrame frame) {
        bus.stream(from, to, frame);
    }

    @Override
    public boolean isReachable(ProcessContext from, NodeId node) {
        return cluster.process(node)
                .filter(other -> !setting.network.isCutEitherWay(from.host().index, other.host().index))
                .isPresent();
    }

    @Override
    public boolean wouldAnswer(ProcessContext from, NodeId node) {
        return isReachable(from, node)
                && cluster.process(node).filter(other -> !other.isPaused()).isPresent();
    }

    @Override
    public void exit(ProcessContext process) {
        cluster.exit(process);
    }

    @Override
    public long wanted(String group) {
        return cluster.wanted(group);
    }

    @Override
    public boolean areResultsForged() {
        return liar.spoilsResults();
    }

    @Override
    public Results results() {
        return results;
    }

    // ---- what processes do

    @Override
    public Resolver resolver(Host host, Resolver honest) {
        return liar.resolver(host, honest);
    }

    @Override
    public void started(NodeProcess process) {
        expulsion.started(process);
    }

    @Override
    public void waits(NodeProcess process) {
        byzantine.link(process);
    }

    @Override
    public void beforeEffects(NodeProcess process, List<ViewEffect> effects) {
        injector.beforeEffects(process, effects);
    }

    @Override
    public void afterEffect(NodeProcess process, ViewEffect effect) {
        injector.afterEffect(process, effect);
    }

    @Override
    public void writes(LineageRecord record) {
        liar.wrote(record);
    }

    @Override
    public void afterWrite(NodeProcess process, LineageRecord record) {
        injector.afterWrite(process, record);
    }

    @Override
    public void installed(NodeProcess process, View view) {
        removals.installed(process, view);
    }

    @Override
    public void removed(NodeProcess process, View lived) {
        removals.removed(process, lived);
    }

    @Override
    public void gaveUp(NodeProcess process, View lived) {
        dissolutions.givenUp(process, lived);
    }

    @Override
    public boolean forbidsLink(NodeProcess one, NodeProcess other) {
        return expulsion.forbidsLink(one, other);
    }

    @Override
    public boolean isOut(Host host) {
        return expulsion.isOut(host);
    }

    @Override
    public void linked(NodeProcess one, NodeProcess other) {
        removals.linksChanged();
        expulsion.linked(one, other);
    }

    @Override
    public void died(ProcessContext process) {
        dissolutions.died(process);
    }
}
