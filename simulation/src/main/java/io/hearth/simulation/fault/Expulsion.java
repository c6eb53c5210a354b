package io.hearth.simulation.fault;

import static io.hearth.simulation.time.Timeline.MILLI;

import io.hearth.election.View;
import io.hearth.election.view.state.ViewEvent;
import io.hearth.identity.PeerId;
import io.hearth.simulation.cluster.Cluster;
import io.hearth.simulation.cluster.NodeProcess;
import io.hearth.simulation.host.Host;
import io.hearth.simulation.plant.ShellRule;
import io.hearth.simulation.process.ProcessContext;
import io.hearth.simulation.report.FaultKind;
import io.hearth.simulation.rule.ViewChecker;
import io.hearth.simulation.rule.Violation;
import io.hearth.simulation.setting.WorldSetting;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * A person puts one machine out of the namespace, on another machine. A process that knows of it reports it on each link before anything
 * else, keeps it on disk, and closes its links to that machine. The processes of that machine run on and try to come back.
 *
 * <p>A machine knows of it once all its processes do. If a quorum of machines knew when a ballot began, the view that it makes does not
 * list the machine (X1).
 */
public final class Expulsion {
    private static final long LOOK_NANOS_MAX = 200 * MILLI;
    private static final int MACHINES_MIN = 3; // the trainers of the last one would wait for others
    private static final long AGAIN_NANOS = 500 * MILLI;

    private final WorldSetting setting;
    private final Cluster cluster;
    private final SplittableRandom random;
    private final Set<ProcessContext> told = new HashSet<>();
    private final Set<PeerId> written = new TreeSet<>();
    private final Map<PeerId, Long> knownSince = new TreeMap<>();
    private SortedSet<PeerId> out = Collections.emptySortedSet(); // at most one

    public Expulsion(WorldSetting setting, Cluster cluster) {
        this.setting = setting;
        this.cluster = cluster;
        this.random = setting.expulsions;
    }

    public void plan() {
        if (setting.profile.has(FaultKind.PUT_OUT)) {
            setting.after(random.nextLong(setting.profile.faultyNanos()), this::strike);
        }
    }

    private void strike() {
        if (!setting.isFaulty()) {
            return;
        }
        List<PeerId> machines =
                cluster.hosts().stream().map(host -> host.id.peer()).distinct().toList();
        if (machines.size() < MACHINES_MIN) {
            return;
        }
        PeerId lost = machines.get(random.nextInt(machines.size()));
        List<NodeProcess> others = cluster.processes().stream()
                .filter(process -> !process.isPaused() && !process.id().peer().equals(lost))
                .toList();
        if (others.isEmpty()) {
            setting.after(AGAIN_NANOS, this::strike);
            return;
        }
        out = new TreeSet<>(Set.of(lost));
        setting.statistics.fault(FaultKind.PUT_OUT);
        NodeProcess first = others.get(random.nextInt(others.size()));
        setting.note("machine " + lost.publicKey()[0] + " is put out, on "
                + first.host().name());
        first.deliver(() -> hears(first));
    }

    public boolean isOut(Host host) {
        return out.contains(host.id.peer());
    }

    /** Whether this process knows of the removal, and so reports it before anything else. */
    public boolean tells(ProcessContext process) {
        return told.contains(process);
    }

    /** Whether one of two processes knows that the other one is out. */
    public boolean forbidsLink(NodeProcess one, NodeProcess other) {
        return (tells(one) && isOut(other.host())) || (tells(other) && isOut(one.host()));
    }

    public void started(NodeProcess process) {
        if (written.contains(process.id().peer())) {
            hears(process);
        }
    }

    public void linked(NodeProcess one, NodeProcess other) {
        if (tells(one) != tells(other)) {
            NodeProcess untold = tells(one) ? other : one;
            untold.deliver(() -> hears(untold));
        }
    }

    public void hears(NodeProcess process) {
        if (out.isEmpty() || isOut(process.host()) || !process.isAlive() || !told.add(process)) {
            return;
        }
        PeerId machine = process.id().peer();
        process.trace(() -> "knows who is out");
        written.add(machine);
        for (NodeProcess other : cluster.processes()) {
            if (other.id().peer().equals(machine)) {
                setting.after(random.nextLong(LOOK_NANOS_MAX), () -> other.deliver(() -> hears(other)));
            }
        }
        boolean doAllKnow = cluster.processes().stream()
                .allMatch(other -> told.contains(other) || !other.id().peer().equals(machine));
        if (doAllKnow) {
            knownSince.putIfAbsent(machine, setting.now());
        }
        if (setting.hooks.keeps(ShellRule.EXCLUSION)) {
            process.view(new ViewEvent.Excluded(out));
        }
        cluster.hosts().stream().filter(this::isOut).forEach(host -> cluster.dropLink(process.host(), host));
    }

    /** Checks rule X1 of a committed successor. */
    public void committed(ViewChecker.Succession change) {
        View view = change.view();
        boolean isListed = view.machines().stream().anyMatch(machine -> out.contains(machine));
        if (isListed) {
            Set<PeerId> knew = knownSince.entrySet().stream()
                    .filter(entry -> entry.getValue() <= change.beganNanos())
                    .map(Map.Entry::getKey)
                    .collect(Collectors.toSet());
            Violation.unless(
                    !ViewChecker.isQuorum(change.before(), knew),
                    "X1",
                    () -> "a machine that was put out is in epoch " + view.epoch() + ", made by "
                            + setting.name(change.ballot().proposer()) + " when a quorum knew that");
        }
    }

    /** The machine that was put out is switched off for good. */
    public void end() {
        cluster.hosts().stream().filter(this::isOut).forEach(host -> cluster.end(host, true));
    }
}
