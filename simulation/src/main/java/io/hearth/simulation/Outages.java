package io.hearth.simulation;

import static io.hearth.simulation.Timeline.MILLI;
import static io.hearth.simulation.Timeline.SECOND;

import io.hearth.election.Role;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Takes the whole network away, as a switch that restarts does, or one machine, as a laptop that leaves the house, and brings
 * the pairs back one by one. What runs on one machine goes on hearing itself.
 */
final class Outages {
    private static final long SHORTEST_NANOS = SECOND / 2;

    private final World world;
    private final SplittableRandom random;
    private long outUntil; // some pair may be out before
    private int peaces;

    Outages(World world, SplittableRandom random) {
        this.world = world;
        this.random = random;
    }

    private record Pair(Host one, Host other) {
        boolean has(Host host) {
            return one == host || other == host;
        }
    }

    /** What the others do while a machine is away. */
    private enum Meanwhile {
        NOTHING,
        START_ANEW,
        RESIGN
    }

    /** All pairs are brought back at once. */
    void end() {
        peaces++;
        outUntil = world.now();
    }

    private boolean isAnyOut() {
        return world.now() < outUntil;
    }

    /** No machine hears another for a time; not while something is out already. */
    boolean everything() {
        List<Pair> pairs = pairs(null);
        if (isAnyOut() || pairs.isEmpty()) {
            return false;
        }
        long nanos = SHORTEST_NANOS + random.nextLong(random.nextInt(3) == 0 ? 16 * SECOND : 5 * SECOND);
        long spread = 300 * MILLI + random.nextLong(random.nextBoolean() ? 500 * MILLI : 2_700 * MILLI);
        boolean isNoticed = random.nextInt(4) > 0;
        outOfAll(pairs, nanos, spread, isNoticed);
        return true;
    }

    /**
     * A switch restarts where all is well, and all links are back within a second.
     *
     * @return when the last pair is back
     */
    long inPeace() {
        List<Pair> pairs = pairs(null);
        long nanos = SHORTEST_NANOS + random.nextLong(16 * SECOND);
        long spread = 300 * MILLI + random.nextLong(600 * MILLI);
        world.tally.fault(FaultKind.OUTAGE);
        outOfAll(pairs, nanos, spread, true);
        return world.now() + nanos + spread;
    }

    private void outOfAll(List<Pair> pairs, long nanos, long spread, boolean isNoticed) {
        world.note("all is out for " + nanos / MILLI + " ms, and comes back within " + spread / MILLI + " ms"
                + (isNoticed ? ", links at once" : ""));
        world.removals.outageBegins();
        out(pairs, nanos, spread, isNoticed);
        int before = peaces;
        world.after(nanos, () -> {
            if (peaces == before) { // else it was over already
                world.removals.outageEnds();
            }
        });
    }

    /** A machine is away for longer than every span; it may sleep, and the others may all start anew in the meantime. */
    boolean away(Host host) {
        List<Pair> pairs = pairs(host);
        if (isAnyOut() || pairs.isEmpty()) {
            return false;
        }
        world.removals.absenceBegins();
        long absence = world.spans.absenceNanos();
        long nanos = absence + random.nextLong(absence / 2);
        long spread = random.nextBoolean() ? random.nextLong(8 * SECOND) + 1 : random.nextLong(2 * SECOND) + 1;
        boolean sleeps = random.nextBoolean();
        Meanwhile meanwhile = Meanwhile.values()[random.nextInt(Meanwhile.values().length)];
        world.note("machine " + host.machine() + " is away for " + nanos / MILLI + " ms, "
                + (sleeps ? "asleep" : "awake") + "; meanwhile: " + meanwhile);
        for (Host each : world.cluster.hosts()) {
            if (each.machine() == host.machine()) {
                each.process().filter(_ -> sleeps).ifPresent(process -> process.pause(nanos));
            } else if (meanwhile == Meanwhile.START_ANEW && random.nextInt(3) > 0) {
                world.after(SECOND + random.nextLong(absence), () -> startAnew(each));
            }
        }
        List<Host> trainers = world.cluster.hosts().stream()
                .filter(each -> each.role == Role.TRAINER && each.machine() != host.machine())
                .toList();
        if (meanwhile == Meanwhile.RESIGN && !trainers.isEmpty()) {
            Host first = trainers.get(random.nextInt(trainers.size()));
            List<Pair> late = pairs.stream().filter(pair -> !pair.has(first)).toList();
            out(pairs.stream().filter(pair -> pair.has(first)).toList(), nanos, spread / 2 + 1, true);
            out(late, nanos + spread / 2, spread, random.nextBoolean());
            resign(first, nanos, spread);
        } else {
            out(pairs, nanos, spread, random.nextBoolean());
        }
        return true;
    }

    private void startAnew(Host host) {
        if (!world.isFaulty()) {
            return;
        }
        if (random.nextBoolean()) {
            host.process().ifPresent(world.injector::leave);
        } else {
            host.process().ifPresent(process -> world.cluster.crash(process, random.nextBoolean()));
            world.after(4 * SECOND, () -> world.cluster.start(host));
        }
    }

    /**
     * One trainer's application gets an error soon after a machine has gone, and does something else until that machine is coming
     * back; it is the first that hears the machine.
     */
    private void resign(Host host, long nanos, long spread) {
        long returns = world.now() + nanos + random.nextLong(spread);
        world.after(
                2 * SECOND + random.nextLong(2 * SECOND),
                () -> host.process()
                        .ifPresent(process -> process.deliver(() -> process.trainer()
                                .filter(trainer -> world.isFaulty()
                                        && !trainer.isOpen()
                                        && !trainer.script().isOver())
                                .ifPresent(trainer -> trainer.script().giveUp("its application fails", returns)))));
    }

    /** Pairs of machines; with {@code host} only those of its machine. */
    private List<Pair> pairs(@org.jspecify.annotations.Nullable Host host) {
        var pairs = new ArrayList<Pair>();
        for (Host one : world.cluster.hosts()) {
            for (Host other : world.cluster.hosts()) {
                boolean isOfHost = host == null || one.machine() == host.machine() || other.machine() == host.machine();
                if (one.index < other.index && one.machine() != other.machine() && isOfHost) {
                    pairs.add(new Pair(one, other));
                }
            }
        }
        return pairs;
    }

    private void out(List<Pair> pairs, long nanos, long spread, boolean isNoticed) {
        outUntil = Math.max(outUntil, world.now() + nanos + spread);
        int before = peaces;
        for (Pair pair : pairs) {
            world.network.takeOut(pair.one().index, pair.other().index);
            world.after(nanos + random.nextLong(spread), () -> {
                if (before != peaces) {
                    return; // it is back already, and may be out for another reason
                }
                world.network.bringBack(pair.one().index, pair.other().index);
                if (isNoticed) {
                    world.cluster.relink(pair.one(), pair.other());
                }
                world.removals.lookAtLinks();
            });
        }
    }
}
