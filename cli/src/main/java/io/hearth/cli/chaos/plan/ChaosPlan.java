package io.hearth.cli.chaos.plan;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.stream.IntStream;

/**
 * A schedule of faults, act by act, from a seed. The same seed gives the same acts.
 *
 * <p>The plan names hosts by their rank at the begin of an act, when all are members. Rank 0 is the master, so the plan knows which side of a fault is a quorum. In each act one side may go on. The exception is a shattered switch: no side may go on before it heals. Every fault of an act is healed in the same act.
 */
public final class ChaosPlan {
    private static final long MILLI = 1_000_000L;
    private static final int SECOND_FAULT_PERCENT = 25;

    /** Percentage of acts that begin with each kind; the rest begin with {@link ChaosKind#SHATTER}. */
    private enum Share {
        SILENT(ChaosKind.SILENT, 22),
        KILLED(ChaosKind.KILLED, 22),
        MASTER(ChaosKind.MASTER, 14),
        PAUSE(ChaosKind.PAUSE, 14),
        SLEEP(ChaosKind.SLEEP, 8),
        PARTITION(ChaosKind.PARTITION, 14);

        private final ChaosKind kind;
        private final int percent;

        Share(ChaosKind kind, int percent) {
            this.kind = kind;
            this.percent = percent;
        }
    }

    private static final List<ChaosKind> SECONDS =
            List.of(ChaosKind.SILENT, ChaosKind.KILLED, ChaosKind.PAUSE, ChaosKind.SLEEP);

    /**
     * Faults and their healing, between two moments at which the cluster is whole.
     *
     * @param waitNanos from the first such moment to the begin of the act
     * @param moves in order of time
     * @param onward ranks that must go on during the faults; empty if none may
     */
    public record Act(long waitNanos, List<Move> moves, List<Integer> onward) {
        public Act {
            moves = List.copyOf(moves);
            onward = List.copyOf(onward);
        }

        /** Whether the time to the next step measures one kind of fault. */
        public boolean isMeasured() {
            return moves.size() == 2 && !onward.isEmpty();
        }
    }

    /**
     * The begin or the end of a fault.
     *
     * @param afterNanos time since the begin of the act
     * @param heals true if the fault ends, false if it begins
     */
    public record Move(long afterNanos, boolean heals, Fault fault) {}

    /**
     * One fault.
     *
     * @param sides for a split, the ranks that reach each other; for a fault of one host, one list with its rank
     */
    public record Fault(ChaosKind kind, List<List<Integer>> sides) {
        public Fault {
            sides = sides.stream().map(List::copyOf).toList();
        }

        static Fault of(ChaosKind kind, int rank) {
            return new Fault(kind, List.of(List.of(rank)));
        }

        /** The rank that a fault of one host strikes. */
        int rank() {
            return sides.getFirst().getFirst();
        }

        /** Its name in reports, with the sizes of the sides of a split. */
        public String text() {
            return kind.isSplit()
                    ? "split_"
                            + String.join(
                                    "_",
                                    sides.stream().map(side -> "" + side.size()).toList())
                    : kind.text();
        }
    }

    private final SplittableRandom random;
    private final int hosts;

    /** @param hosts at least 3 */
    public ChaosPlan(long seed, int hosts) {
        if (hosts < 3) {
            throw new IllegalArgumentException("need 3 hosts or more, got " + hosts);
        }
        this.random = new SplittableRandom(seed);
        this.hosts = hosts;
    }

    /** Whether members with these ranks may go on without the rest of {@code hosts}. */
    static boolean isQuorum(List<Integer> ranks, int hosts) {
        return 2 * ranks.size() > hosts || (2 * ranks.size() == hosts && ranks.contains(0));
    }

    public Act next() {
        ChaosKind kind = kind();
        long waitNanos = between(200, 3_000);
        return kind.isSplit() ? split(waitNanos, kind) : strikes(waitNanos, kind);
    }

    private ChaosKind kind() {
        int drawn = random.nextInt(100);
        for (Share share : Share.values()) {
            drawn -= share.percent;
            if (drawn < 0) {
                return share.kind;
            }
        }
        return ChaosKind.SHATTER;
    }

    private Act split(long waitNanos, ChaosKind kind) {
        int largest = kind == ChaosKind.PARTITION ? hosts / 2 + 1 : (hosts - 1) / 2;
        List<Integer> shuffled = shuffled();
        var sides = new ArrayList<List<Integer>>();
        for (int from = 0; from < hosts; from += largest) {
            sides.add(shuffled.subList(from, Math.min(hosts, from + largest)));
        }
        var fault = new Fault(kind, sides);
        List<Integer> onward =
                sides.stream().filter(side -> isQuorum(side, hosts)).findFirst().orElse(List.of());
        return new Act(waitNanos, List.of(new Move(0, false, fault), new Move(healNanos(kind), true, fault)), onward);
    }

    private Act strikes(long waitNanos, ChaosKind kind) {
        var struck = new TreeSet<Integer>();
        var moves = new ArrayList<Move>();
        strike(kind, 0, struck, moves);
        if (hosts - 2 > hosts / 2 && random.nextInt(100) < SECOND_FAULT_PERCENT) {
            strike(SECONDS.get(random.nextInt(SECONDS.size())), between(0, 2_500), struck, moves);
        }
        moves.sort(Comparator.comparingLong(Move::afterNanos));
        List<Integer> onward =
                ranks().stream().filter(rank -> !struck.contains(rank)).toList();
        return new Act(waitNanos, moves, onward);
    }

    private void strike(ChaosKind kind, long afterNanos, Set<Integer> struck, List<Move> moves) {
        List<Integer> candidates = ranks().stream()
                .filter(rank -> !struck.contains(rank))
                .filter(rank -> switch (kind) {
                    case MASTER -> rank == 0;
                    case KILLED -> rank != 0;
                    case SILENT, PAUSE, SLEEP, PARTITION, SHATTER -> true;
                    case SWITCH, MUTE, DEAF, AWAY, DISK, PROCESS -> throw new AssertionError(kind + " is not mixed");
                })
                .toList();
        int rank = candidates.get(random.nextInt(candidates.size()));
        struck.add(rank);
        var fault = Fault.of(kind, rank);
        moves.add(new Move(afterNanos, false, fault));
        moves.add(new Move(afterNanos + healNanos(kind), true, fault));
    }

    /** Time until the fault heals. A cut lasts longer than the timeout for a silent member, because the other hosts must have gone on before. */
    private long healNanos(ChaosKind kind) {
        return switch (kind) {
            case SILENT, PARTITION, SHATTER -> between(4_000, 8_000);
            case KILLED, MASTER -> between(200, 3_000);
            case PAUSE -> 1_000 * MILLI;
            case SLEEP -> 10_000 * MILLI;
            case SWITCH, MUTE, DEAF, AWAY, DISK, PROCESS -> throw new AssertionError(kind + " is not mixed");
        };
    }

    private List<Integer> ranks() {
        return IntStream.range(0, hosts).boxed().toList();
    }

    private List<Integer> shuffled() {
        var ranks = new ArrayList<>(ranks());
        for (int i = ranks.size() - 1; i > 0; i--) {
            ranks.set(i, ranks.set(random.nextInt(i + 1), ranks.get(i)));
        }
        return ranks;
    }

    private long between(int millisLeast, int millisBelow) {
        return random.nextLong(millisLeast * MILLI, millisBelow * MILLI);
    }
}
