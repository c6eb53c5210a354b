package io.hearth.simulation;

import static io.hearth.simulation.Timeline.MILLI;
import static io.hearth.simulation.Timeline.SECOND;

import io.hearth.election.LineageRecord;
import io.hearth.election.Message;
import io.hearth.election.View;
import io.hearth.election.view.ViewEffect;
import io.hearth.election.view.ViewEvent;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;

/** Does what the weather says: at random instants, and at the sharp ones between two effects. */
final class FaultInjector {
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

    private final World world;
    private final SplittableRandom random;
    private final List<FaultKind> kinds;
    private boolean isOn = true;

    FaultInjector(World world, FaultProfile profile, SplittableRandom random) {
        this.world = world;
        this.random = random;
        this.kinds = profile.kinds().stream()
                .filter(kind -> !NOT_AT_AN_INSTANT.contains(kind))
                .toList();
    }

    /** Plans the faults of the whole faulty time. */
    void plan() {
        FaultProfile profile = world.profile;
        if (kinds.isEmpty()) {
            return;
        }
        for (long at = random.nextLong(2 * SECOND); at < profile.faultyNanos(); ) {
            world.after(at, this::strike);
            at += 10 * MILLI + random.nextLong(profile.pauseBetweenFaultsNanos());
        }
    }

    void end() {
        isOn = false;
    }

    private void strike() {
        if (!isOn) {
            return;
        }
        if (random.nextInt(4) == 0) {
            world.network.reconnect();
            world.note("all cuts end");
            return;
        }
        FaultKind kind = kinds.get(random.nextInt(kinds.size()));
        Host host =
                world.cluster.hosts().get(random.nextInt(world.cluster.hosts().size()));
        Host other =
                world.cluster.hosts().get(random.nextInt(world.cluster.hosts().size()));
        if (strike(kind, host, other)) {
            world.tally.fault(kind);
        }
    }

    private boolean strike(FaultKind kind, Host host, Host other) {
        return switch (kind) {
            case SLOW_LINK -> {
                world.network.slow(host.index, other.index, 50 * MILLI + random.nextLong(700 * MILLI));
                world.note(host.name() + " and " + other.name() + " are slow");
                yield true;
            }
            case PARTITION -> {
                partition();
                yield true;
            }
            case PARTIAL_PARTITION -> {
                world.network.cutBoth(host.index, other.index);
                world.note(host.name() + " and " + other.name() + " do not hear each other");
                yield host != other;
            }
            case ONE_WAY_CUT -> {
                world.network.cut(host.index, other.index);
                world.note(other.name() + " does not hear " + host.name());
                yield host != other;
            }
            case OUTAGE -> world.outages.everything();
            case AWAY -> world.outages.away(host);
            case SLOW_DISK -> {
                host.home.slow(20 * MILLI + random.nextLong(SLOW_DISK_NANOS_MAX));
                world.note("a write on machine " + host.machine() + " takes up to " + host.home.writeNanosMax() / MILLI
                        + " ms");
                yield true;
            }
            case DISK_ERROR -> {
                host.home.failOnce();
                yield true;
            }
            case FULL_DISK -> {
                world.note("the disk of machine " + host.machine() + " is full");
                host.home.fill(true);
                world.after(SECOND + random.nextLong(5 * SECOND), () -> host.home.fill(false));
                yield true;
            }
            case CLOCK_STEP -> {
                host.home.stepClock(random.nextLong(-World.CLOCK_MILLIS_MAX, World.CLOCK_MILLIS_MAX));
                yield true;
            }
            case LINK_DROP -> host != other && world.cluster.dropLink(host, other);
            default -> host.process().filter(process -> strike(kind, process)).isPresent();
        };
    }

    private boolean strike(FaultKind kind, NodeProcess process) {
        return switch (kind) {
            case STREAM_BREAK ->
                process.trainer()
                        .filter(trainer -> !process.isPaused() && trainer.breakStream(random))
                        .isPresent();
            case KILL -> world.cluster.crash(process, false);
            case UNPLUG -> unplug(process);
            case PAUSE ->
                world.now() - process.pausedUntil() >= World.WELL_NANOS
                        && pause(process, 100 * MILLI + random.nextLong(900 * MILLI));
            case SLEEP -> sleep(process, SECOND + random.nextLong(world.spans.sleepNanosMax() - SECOND));
            case REORDERING -> false; // is in every delay
            case WRONG_MEMORY ->
                process.trainer()
                        .filter(trainer -> trainer.script().steps().flipsBeforeNext())
                        .isPresent();
            case LEAVE -> {
                leave(process);
                yield true;
            }
            default -> false;
        };
    }

    /** One process that hangs up on nobody, or all of its machine. */
    private boolean unplug(NodeProcess process) {
        List<NodeProcess> struck = random.nextBoolean() ? world.cluster.machine(process) : List.of(process);
        return struck.stream().filter(each -> world.cluster.crash(each, true)).count() > 0;
    }

    /** A laptop sleeps with all of its processes; one alone is stopped by a person or a debugger. */
    private boolean sleep(NodeProcess process, long nanos) {
        List<NodeProcess> struck = random.nextBoolean() ? world.cluster.machine(process) : List.of(process);
        return struck.stream().filter(each -> pause(each, nanos)).count() > 0;
    }

    /** The process is asked to go in order. */
    void leave(NodeProcess process) {
        world.note(process.host.name() + " leaves");
        process.deliver(() -> process.trainer()
                .ifPresentOrElse(trainer -> trainer.script().close(), () -> process.view(new ViewEvent.Leave())));
    }

    private boolean pause(NodeProcess process, long nanos) {
        world.note(process.host.name() + " stands still for " + nanos / MILLI + " ms");
        process.pause(nanos);
        return true;
    }

    private void partition() {
        List<Host> hosts = world.cluster.hosts();
        int sides = random.nextInt(1 << hosts.size());
        for (Host one : hosts) {
            for (Host other : hosts) {
                if ((sides >> one.index & 1) != (sides >> other.index & 1)) {
                    world.network.cutBoth(one.index, other.index);
                }
            }
        }
        world.note("partition: "
                + hosts.stream()
                        .filter(host -> (sides >> host.index & 1) == 1)
                        .map(Host::name)
                        .toList() + " alone");
    }

    /** The only one that knows may be cut off before it tells. */
    void beforeEffects(NodeProcess process, List<ViewEffect> effects) {
        if (!isOn || !world.profile.has(FaultKind.CUT_OFF_ON_COMMIT)) {
            return;
        }
        boolean commits = effects.stream()
                .anyMatch(effect -> effect instanceof ViewEffect.Install(View view) && view.epoch() > 2);
        boolean tells = effects.stream()
                .anyMatch(effect -> effect instanceof ViewEffect.Send send && send.message() instanceof Message.Commit);
        if (commits && tells && random.nextInt(4) == 0) {
            world.tally.fault(FaultKind.CUT_OFF_ON_COMMIT);
            world.note(process.host.name() + " is cut off at the commit");
            world.network.isolate(process.host.index);
        }
    }

    void afterEffect(NodeProcess process, ViewEffect effect) {
        if (!isOn) {
            return;
        }
        if (world.profile.sharpness() > 0 && random.nextDouble() < world.profile.sharpness()) {
            if (world.cluster.crash(process, random.nextBoolean())) {
                world.tally.fault(FaultKind.SHARP_CRASH);
            }
        }
    }

    /** A voter may die right after it accepted, before its answer leaves. */
    void afterWrite(NodeProcess process, LineageRecord record) {
        if (isOn
                && world.profile.has(FaultKind.DIE_ON_ACCEPT)
                && record.accepted().isPresent()
                && random.nextInt(6) == 0
                && world.cluster.crash(process, random.nextBoolean())) {
            world.tally.fault(FaultKind.DIE_ON_ACCEPT);
        }
    }
}
