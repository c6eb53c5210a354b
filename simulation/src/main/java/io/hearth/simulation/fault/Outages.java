package io.hearth.simulation.fault;

import static io.hearth.simulation.time.Timeline.MILLI;
import static io.hearth.simulation.time.Timeline.SECOND;

import io.hearth.election.Role;
import io.hearth.simulation.cluster.Cluster;
import io.hearth.simulation.host.Host;
import io.hearth.simulation.report.FaultKind;
import io.hearth.simulation.setting.WorldSetting;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * Takes the whole network away, as a switch that restarts does, or one machine, as a laptop that leaves the house, and brings
 * the pairs back one by one. Processes of one machine always hear each other.
 */
public final class Outages {
    private static final long SHORTEST_NANOS = SECOND / 2;

    private final WorldSetting setting;
    private final Cluster cluster;
    private final Listener listener;
    private final SplittableRandom random;
    private long outUntil; // until then some pair may be out
    private int peaces;

    public Outages(WorldSetting setting, Cluster cluster, Listener listener) {
        this.setting = setting;
        this.cluster = cluster;
        this.listener = listener;
        this.random = setting.random;
    }

    /** Is notified of outages. */
    public interface Listener {
        /** The whole network goes down. */
        void outageBegins();

        /** The first pair may come back now, after an outage of any length. */
        void outageEnds();

        /** One machine goes away, so that later removals may have another cause than the outage. */
        void absenceBegins();

        /** Two machines can reach each other again. */
        void linksChanged();
    }

    private record Pair(Host one, Host other) {
        boolean has(Host host) {
            return one == host || other == host;
        }
    }

    /** The behaviour of the others while a machine is away. */
    private enum Meanwhile {
        NOTHING,
        START_ANEW,
        RESIGN
    }

    /** Brings all pairs back at once. */
    public void end() {
        peaces++;
        outUntil = setting.now();
    }

    private boolean isAnyOut() {
        return setting.now() < outUntil;
    }

    /** Takes the whole network down for a time, unless some pair is out already. */
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
    public long inPeace() {
        List<Pair> pairs = pairs(null);
        long nanos = SHORTEST_NANOS + random.nextLong(16 * SECOND);
        long spread = 300 * MILLI + random.nextLong(600 * MILLI);
        setting.statistics.fault(FaultKind.OUTAGE);
        outOfAll(pairs, nanos, spread, true);
        return setting.now() + nanos + spread;
    }

    private void outOfAll(List<Pair> pairs, long nanos, long spread, boolean isNoticed) {
        setting.note("all is out for " + nanos / MILLI + " ms, and comes back within " + spread / MILLI + " ms"
                + (isNoticed ? ", links at once" : ""));
        listener.outageBegins();
        out(pairs, nanos, spread, isNoticed);
        int before = peaces;
        setting.after(nanos, () -> {
            if (peaces == before) { // else it was over already
                listener.outageEnds();
            }
        });
    }

    /** A machine is away for longer than every span; it may sleep, and the others may all restart in the meantime. */
    boolean away(Host host) {
        List<Pair> pairs = pairs(host);
        if (isAnyOut() || pairs.isEmpty()) {
            return false;
        }
        listener.absenceBegins();
        long absence = setting.spans.absenceNanos();
        long nanos = absence + random.nextLong(absence / 2);
        long spread = random.nextBoolean() ? random.nextLong(8 * SECOND) + 1 : random.nextLong(2 * SECOND) + 1;
        boolean sleeps = random.nextBoolean();
        Meanwhile meanwhile = Meanwhile.values()[random.nextInt(Meanwhile.values().length)];
        setting.note("machine " + host.machine() + " is away for " + nanos / MILLI + " ms, "
                + (sleeps ? "asleep" : "awake") + "; meanwhile: " + meanwhile);
        for (Host each : cluster.hosts()) {
            if (each.machine() == host.machine()) {
                cluster.process(each).filter(_ -> sleeps).ifPresent(process -> process.pause(nanos));
            } else if (meanwhile == Meanwhile.START_ANEW && random.nextInt(3) > 0) {
                setting.after(SECOND + random.nextLong(absence), () -> startAnew(each));
            }
        }
        List<Host> trainers = cluster.hosts().stream()
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
        if (!setting.isFaulty()) {
            return;
        }
        if (random.nextBoolean()) {
            cluster.process(host).ifPresent(cluster::leave);
        } else {
            cluster.process(host).ifPresent(process -> cluster.crash(process, random.nextBoolean()));
            setting.after(4 * SECOND, () -> cluster.start(host));
        }
    }

    /**
     * One trainer's application gets an error soon after a machine has gone, and does something else until that machine is coming
     * back; it is the first that hears the machine.
     */
    private void resign(Host host, long nanos, long spread) {
        long returns = setting.now() + nanos + random.nextLong(spread);
        setting.after(
                2 * SECOND + random.nextLong(2 * SECOND),
                () -> cluster.process(host)
                        .ifPresent(process -> process.deliver(() -> process.trainer()
                                .filter(trainer -> setting.isFaulty()
                                        && !trainer.isOpen()
                                        && !trainer.script().isOver())
                                .ifPresent(trainer -> trainer.script().giveUp("its application fails", returns)))));
    }

    /** Pairs of machines; with {@code host} only those of its machine. */
    private List<Pair> pairs(@Nullable Host host) {
        var pairs = new ArrayList<Pair>();
        for (Host one : cluster.hosts()) {
            for (Host other : cluster.hosts()) {
                boolean isOfHost = host == null || one.machine() == host.machine() || other.machine() == host.machine();
                if (one.index < other.index && one.machine() != other.machine() && isOfHost) {
                    pairs.add(new Pair(one, other));
                }
            }
        }
        return pairs;
    }

    private void out(List<Pair> pairs, long nanos, long spread, boolean isNoticed) {
        outUntil = Math.max(outUntil, setting.now() + nanos + spread);
        int before = peaces;
        for (Pair pair : pairs) {
            setting.network.takeOut(pair.one().index, pair.other().index);
            setting.after(nanos + random.nextLong(spread), () -> {
                if (before != peaces) {
                    return; // it is back already, and may be out for another reason
                }
                setting.network.bringBack(pair.one().index, pair.other().index);
                if (isNoticed) {
                    cluster.relink(pair.one(), pair.other());
                }
                listener.linksChanged();
            });
        }
    }
}
