package io.hearth.cli.chaos.plan;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/**
 * A schedule of acts with one kind of fault, from a seed. The same seed gives the same acts.
 *
 * <p>Unlike a {@link ChaosPlan}, it names hosts by their own numbers, not by ranks. It strikes every host once before it strikes one again, because a host waits longer after each removal until it is admitted.
 */
public final class ChaosDrill {
    private static final long MILLI = 1_000_000L;

    /** All cables come back within one of these times: the ports of the switch come up together, or one after the other. */
    private static final List<Integer> CABLES_MILLIS = List.of(1_000, 3_000);

    private final SplittableRandom random;
    private final int hosts;
    private final List<ChaosKind> kinds;
    private final long awayNanos;
    private final OptionalInt slow;
    private final Deque<Integer> targets = new ArrayDeque<>();

    /**
     * A drill of kinds for which {@link ChaosKind#isMixed} is false.
     *
     * @param kinds each act has one of them, drawn at random
     * @param away how long {@link ChaosKind#AWAY} lasts
     */
    public ChaosDrill(long seed, int hosts, List<ChaosKind> kinds, Duration away) {
        if (hosts < 3) {
            throw new IllegalArgumentException("need 3 hosts or more, got " + hosts);
        }
        if (kinds.isEmpty() || kinds.stream().anyMatch(ChaosKind::isMixed)) {
            throw new IllegalArgumentException("need kinds that a drill repeats, got " + kinds);
        }
        if (away.isNegative() || away.isZero()) {
            throw new IllegalArgumentException("away must be positive, got " + away);
        }
        this.random = new SplittableRandom(seed);
        this.hosts = hosts;
        this.kinds = List.copyOf(kinds);
        this.awayNanos = away.toNanos();
        this.slow = kinds.contains(ChaosKind.DISK) ? OptionalInt.of(random.nextInt(hosts)) : OptionalInt.empty();
    }

    /** The host whose disk is slow in every training of this drill. */
    public OptionalInt slow() {
        return slow;
    }

    /** Whether an act strikes a host that was removed before and so would wait longer until it is admitted. */
    public static boolean needsNewTraining(ChaosPlan.Act act, Set<Integer> removed) {
        return act.moves().stream()
                .flatMap(move -> move.fault().sides().stream())
                .flatMap(List::stream)
                .anyMatch(removed::contains);
    }

    public ChaosPlan.Act next() {
        ChaosKind kind = kinds.get(random.nextInt(kinds.size()));
        long waitNanos = between(200, 1_000);
        return kind == ChaosKind.SWITCH ? restart(waitNanos) : strike(waitNanos, kind);
    }

    private ChaosPlan.Act restart(long waitNanos) {
        var all = new ChaosPlan.Fault(ChaosKind.SWITCH, List.of(everyone()));
        var moves = new ArrayList<>(List.of(new ChaosPlan.Move(0, false, all)));
        long downNanos = between(2_500, 3_500);
        int cablesMillis = CABLES_MILLIS.get(random.nextInt(CABLES_MILLIS.size()));
        for (int host = 0; host < hosts; host++) {
            moves.add(new ChaosPlan.Move(
                    downNanos + between(0, cablesMillis), true, ChaosPlan.Fault.of(ChaosKind.SWITCH, host)));
        }
        moves.sort(Comparator.comparingLong(ChaosPlan.Move::afterNanos));
        return new ChaosPlan.Act(waitNanos, moves, List.of());
    }

    private ChaosPlan.Act strike(long waitNanos, ChaosKind kind) {
        int host = target();
        var fault = ChaosPlan.Fault.of(kind, host);
        List<Integer> onward =
                everyone().stream().filter(other -> other != host).toList();
        return new ChaosPlan.Act(
                waitNanos,
                List.of(new ChaosPlan.Move(0, false, fault), new ChaosPlan.Move(healNanos(kind), true, fault)),
                onward);
    }

    /** Time until the fault heals. The other hosts must have gone on before: they detect a deaf host last, a killed process at once. */
    private long healNanos(ChaosKind kind) {
        return switch (kind) {
            case MUTE -> between(4_000, 4_500);
            case DEAF -> between(5_000, 5_500);
            case AWAY -> awayNanos;
            case DISK -> between(3_000, 3_500);
            case PROCESS -> between(2_500, 3_000);
            case SILENT, KILLED, MASTER, PAUSE, SLEEP, PARTITION, SHATTER, SWITCH ->
                throw new AssertionError(kind + " strikes no single host of a drill");
        };
    }

    private int target() {
        if (targets.isEmpty()) {
            var shuffled = new ArrayList<>(everyone());
            for (int i = shuffled.size() - 1; i > 0; i--) {
                shuffled.set(i, shuffled.set(random.nextInt(i + 1), shuffled.get(i)));
            }
            shuffled.removeIf(host -> slow.isPresent() && slow.getAsInt() == host);
            targets.addAll(shuffled);
        }
        return targets.removeFirst();
    }

    private List<Integer> everyone() {
        return IntStream.range(0, hosts).boxed().toList();
    }

    private long between(int millisLeast, int millisBelow) {
        return random.nextLong(millisLeast * MILLI, millisBelow * MILLI);
    }
}
