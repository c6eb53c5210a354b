package io.hearth.simulation.fault;

import static io.hearth.simulation.time.Timeline.MILLI;
import static io.hearth.simulation.time.Timeline.SECOND;

import io.hearth.election.LineageRecord;
import io.hearth.election.Message;
import io.hearth.election.View;
import io.hearth.election.view.state.ViewEffect;
import io.hearth.simulation.cluster.Cluster;
import io.hearth.simulation.cluster.NodeProcess;
import io.hearth.simulation.host.Host;
import io.hearth.simulation.report.FaultKind;
import io.hearth.simulation.setting.FaultProfile;
import io.hearth.simulation.setting.WorldSetting;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;

/** Injects the faults of the profile: at random instants, and at the critical ones between two effects. */
public final class FaultInjector {
    private static final Set<FaultKind> NOT_AT_AN_INSTANT = EnumSet.of(
            FaultKind.LOSS,
            FaultKind.DUPLICATION,
            FaultKind.SHARP_CRASH,
            FaultKind.DIE_ON_ACCEPT,
            FaultKind.CUT_OFF_ON_COMMIT,
            FaultKind.DAMAGED_RECORD,
            FaultKind.CLOCK_JUMP,
            FaultKind.LATE_MESSAGE,
            FaultKind.LOST_PROCESS,
            FaultKind.NONSENSE,
            FaultKind.LYING_SOURCE,
            FaultKind.PUT_OUT,
            FaultKind.LIES);

    private static final long SLOW_DISK_NANOS_MAX = 1_500 * MILLI;

    private final WorldSetting setting;
    private final Cluster cluster;
    private final Outages outages;
    private final SplittableRandom random;
    private final List<FaultKind> kinds;
    private boolean isOn = true;

    public FaultInjector(WorldSetting setting, Cluster cluster, Outages outages) {
        this.setting = setting;
        this.cluster = cluster;
        this.outages = outages;
        this.random = setting.random;
        this.kinds = setting.profile.kinds().stream()
                .filter(kind -> !NOT_AT_AN_INSTANT.contains(kind))
                .toList();
    }

    /** Plans the faults of the whole faulty time. */
    public void plan() {
        FaultProfile profile = setting.profile;
        if (kinds.isEmpty()) {
            return;
        }
        for (long at = random.nextLong(2 * SECOND); at < profile.faultyNanos(); ) {
            setting.after(at, this::strike);
            at += 10 * MILLI + random.nextLong(profile.pauseBetweenFaultsNanos());
        }
    }

    public void end() {
        isOn = false;
    }

    private void strike() {
        if (!isOn) {
            return;
        }
        if (random.nextInt(4) == 0) {
            setting.network.reconnect();
            setting.note("all cuts end");
            return;
        }
        FaultKind kind = kinds.get(random.nextInt(kinds.size()));
        Host host = cluster.hosts().get(random.nextInt(cluster.hosts().size()));
        Host other = cluster.hosts().get(random.nextInt(cluster.hosts().size()));
        if (strike(kind, host, other)) {
            setting.statistics.fault(kind);
        }
    }

    private boolean strike(FaultKind kind, Host host, Host other) {
        return switch (kind) {
            case SLOW_LINK -> {
                setting.network.slow(host.index, other.index, 50 * MILLI + random.nextLong(700 * MILLI));
                setting.note(host.name() + " and " + other.name() + " are slow");
                yield true;
            }
            case PARTITION -> {
                partition();
                yield true;
            }
            case PARTIAL_PARTITION -> {
                setting.network.cutBoth(host.index, other.index);
                setting.note(host.name() + " and " + other.name() + " do not hear each other");
                yield host != other;
            }
            case ONE_WAY_CUT -> {
                setting.network.cut(host.index, other.index);
                setting.note(other.name() + " does not hear " + host.name());
                yield host != other;
            }
            case OUTAGE -> outages.everything();
            case AWAY -> outages.away(host);
            case SLOW_DISK -> {
                host.home.slow(20 * MILLI + random.nextLong(SLOW_DISK_NANOS_MAX));
                setting.note("a write on machine " + host.machine() + " takes up to "
                        + host.home.writeNanosMax() / MILLI + " ms");
                yield true;
            }
            case DISK_ERROR -> {
                host.home.failOnce();
                yield true;
            }
            case FULL_DISK -> {
                setting.note("the disk of machine " + host.machine() + " is full");
                host.home.fill(true);
                setting.after(SECOND + random.nextLong(5 * SECOND), () -> host.home.fill(false));
                yield true;
            }
            case CLOCK_STEP -> {
                host.home.stepClock(random.nextLong(-WorldSetting.CLOCK_MILLIS_MAX, WorldSetting.CLOCK_MILLIS_MAX));
                yield true;
            }
            case LINK_DROP -> host != other && cluster.dropLink(host, other);
            default ->
                cluster.process(host).filter(process -> strike(kind, process)).isPresent();
        };
    }

    private boolean strike(FaultKind kind, NodeProcess process) {
        return switch (kind) {
            case STREAM_BREAK ->
                process.trainer()
                        .filter(trainer -> !process.isPaused() && trainer.breakStream(random))
                        .isPresent();
            case KILL -> cluster.crash(process, false);
            case UNPLUG -> unplug(process);
            case PAUSE ->
                setting.now() - process.pausedUntil() >= WorldSetting.WELL_NANOS
                        && pause(process, 100 * MILLI + random.nextLong(900 * MILLI));
            case SLEEP -> sleep(process, SECOND + random.nextLong(setting.spans.sleepNanosMax() - SECOND));
            case REORDERING -> false; // is in every delay
            case WRONG_MEMORY ->
                process.trainer()
                        .filter(trainer -> trainer.script().steps().flipsBeforeNext())
                        .isPresent();
            case LEAVE -> {
                cluster.leave(process);
                yield true;
            }
            default -> false;
        };
    }

    /** One process dies without closing its sockets, or all processes of its machine do. */
    private boolean unplug(NodeProcess process) {
        List<NodeProcess> struck = random.nextBoolean() ? cluster.machine(process) : List.of(process);
        return struck.stream().filter(each -> cluster.crash(each, true)).count() > 0;
    }

    /** A sleeping laptop pauses all its processes; a person or a debugger pauses one. */
    private boolean sleep(NodeProcess process, long nanos) {
        List<NodeProcess> struck = random.nextBoolean() ? cluster.machine(process) : List.of(process);
        return struck.stream().filter(each -> pause(each, nanos)).count() > 0;
    }

    private boolean pause(NodeProcess process, long nanos) {
        setting.note(process.host().name() + " stands still for " + nanos / MILLI + " ms");
        process.pause(nanos);
        return true;
    }

    private void partition() {
        List<Host> hosts = cluster.hosts();
        int sides = random.nextInt(1 << hosts.size());
        for (Host one : hosts) {
            for (Host other : hosts) {
                if ((sides >> one.index & 1) != (sides >> other.index & 1)) {
                    setting.network.cutBoth(one.index, other.index);
                }
            }
        }
        setting.note("partition: "
                + hosts.stream()
                        .filter(host -> (sides >> host.index & 1) == 1)
                        .map(Host::name)
                        .toList() + " alone");
    }

    /** The only process that knows of a committed view may be cut off before it reports it. */
    public void beforeEffects(NodeProcess process, List<ViewEffect> effects) {
        if (!isOn || !setting.profile.has(FaultKind.CUT_OFF_ON_COMMIT)) {
            return;
        }
        boolean commits = effects.stream()
                .anyMatch(effect -> effect instanceof ViewEffect.Install(View view) && view.epoch() > 2);
        boolean tells = effects.stream()
                .anyMatch(effect -> effect instanceof ViewEffect.Send send && send.message() instanceof Message.Commit);
        if (commits && tells && random.nextInt(4) == 0) {
            setting.statistics.fault(FaultKind.CUT_OFF_ON_COMMIT);
            setting.note(process.host().name() + " is cut off at the commit");
            setting.network.isolate(process.host().index);
        }
    }

    public void afterEffect(NodeProcess process, ViewEffect effect) {
        if (!isOn) {
            return;
        }
        if (setting.profile.sharpness() > 0 && random.nextDouble() < setting.profile.sharpness()) {
            if (cluster.crash(process, random.nextBoolean())) {
                setting.statistics.fault(FaultKind.SHARP_CRASH);
            }
        }
    }

    /** A voter may die right after it accepted, before its answer leaves. */
    public void afterWrite(NodeProcess process, LineageRecord record) {
        if (isOn
                && setting.profile.has(FaultKind.DIE_ON_ACCEPT)
                && record.accepted().isPresent()
                && random.nextInt(6) == 0
                && cluster.crash(process, random.nextBoolean())) {
            setting.statistics.fault(FaultKind.DIE_ON_ACCEPT);
        }
    }
}
