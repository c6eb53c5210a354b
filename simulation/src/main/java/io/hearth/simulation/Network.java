package io.hearth.simulation;

import static io.hearth.simulation.Timeline.MICRO;
import static io.hearth.simulation.Timeline.MILLI;

import java.util.Arrays;
import java.util.SplittableRandom;

/** Who hears whom, and how late. Hosts are numbers here. */
final class Network {
    private final boolean[][] cut;
    private final long[][] slowNanos;
    private final SplittableRandom random;
    private final Tally tally;
    private double loss;
    private double duplication;
    private long delayNanos;
    private long dataDelayNanos;

    Network(int hosts, Weather weather, SplittableRandom random, Tally tally) {
        this.cut = new boolean[hosts][hosts];
        this.slowNanos = new long[hosts][hosts];
        this.random = random;
        this.tally = tally;
        this.loss = weather.loss();
        this.duplication = weather.duplication();
        this.delayNanos = weather.delayNanos();
        this.dataDelayNanos = weather.dataDelayNanos();
    }

    boolean isCut(int from, int to) {
        return cut[from][to];
    }

    boolean isCutEitherWay(int one, int other) {
        return cut[one][other] || cut[other][one];
    }

    void cut(int from, int to) {
        if (from != to) {
            cut[from][to] = true;
        }
    }

    void cutBoth(int one, int other) {
        cut(one, other);
        cut(other, one);
    }

    void isolate(int host) {
        for (int other = 0; other < cut.length; other++) {
            cutBoth(host, other);
        }
    }

    void reconnect() {
        for (boolean[] row : cut) {
            Arrays.fill(row, false);
        }
    }

    void slow(int one, int other, long nanos) {
        slowNanos[one][other] = nanos;
        slowNanos[other][one] = nanos;
    }

    /** From now on a network as it should be. */
    void heal() {
        reconnect();
        for (long[] row : slowNanos) {
            Arrays.fill(row, 0);
        }
        loss = 0;
        duplication = 0;
        delayNanos = 2 * MILLI;
        dataDelayNanos = Math.min(dataDelayNanos, 20 * MILLI);
    }

    /** How often a message arrives. */
    int copies(int from, int to) {
        if (cut[from][to]) {
            return 0;
        }
        if (loss > 0 && random.nextDouble() < loss) {
            tally.fault(FaultKind.LOSS);
            return 0;
        }
        if (duplication > 0 && random.nextDouble() < duplication) {
            tally.fault(FaultKind.DUPLICATION);
            return 2;
        }
        return 1;
    }

    long delay(int from, int to) {
        return 100 * MICRO + random.nextLong(delayNanos) + slowNanos[from][to];
    }

    /** A stream loses nothing: what is lost comes again, later. */
    long dataDelay(int from, int to) {
        long again = loss > 0 && random.nextDouble() < loss ? 200 * MILLI : 0;
        return 50 * MICRO + random.nextLong(dataDelayNanos) + slowNanos[from][to] + again;
    }
}
