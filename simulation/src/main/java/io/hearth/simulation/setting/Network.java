package io.hearth.simulation.setting;

import static io.hearth.simulation.time.Timeline.MICRO;
import static io.hearth.simulation.time.Timeline.MILLI;

import io.hearth.simulation.report.FaultKind;
import io.hearth.simulation.report.WorldStatistics;
import io.hearth.simulation.time.Timeline;
import java.util.Arrays;
import java.util.SplittableRandom;

/** Reachability and delay between each two hosts, which are numbers here. */
public final class Network {
    private static final long LATE_NANOS_MIN = 2_800 * MILLI;
    private static final long LATE_NANOS_SPREAD = 7_000 * MILLI;
    private static final long SLOW_NANOS =
            400 * MILLI; // on a slower pair an answer may take longer than a ballot waits

    private final boolean[][] cut;
    private final boolean[][] out;
    private final long[][] cutUntil; // last instant at which a message was lost, late or cut
    private final long[][] outUntil;
    private final long[][] slowNanos;
    private final long[][] farNanos; // no disturbance, and not healed
    private final SplittableRandom random;
    private final WorldStatistics statistics;
    private final Timeline timeline;
    private double lateness;
    private double loss;
    private double duplication;
    private long delayNanos;
    private long dataDelayNanos;

    Network(int hosts, FaultProfile profile, SplittableRandom random, WorldStatistics statistics, Timeline timeline) {
        this.cut = new boolean[hosts][hosts];
        this.out = new boolean[hosts][hosts];
        this.cutUntil = new long[hosts][hosts];
        this.outUntil = new long[hosts][hosts];
        this.timeline = timeline;
        this.lateness = profile.lateness();
        this.slowNanos = new long[hosts][hosts];
        this.farNanos = new long[hosts][hosts];
        this.random = random;
        this.statistics = statistics;
        this.loss = profile.loss();
        this.duplication = profile.duplication();
        this.delayNanos = profile.delayNanos();
        this.dataDelayNanos = profile.dataDelayNanos();
    }

    boolean isCut(int from, int to) {
        return cut[from][to] || out[from][to];
    }

    public boolean isCutEitherWay(int one, int other) {
        return isCut(one, other) || isCut(other, one);
    }

    public boolean isAnyCut() {
        for (int from = 0; from < cut.length; from++) {
            for (int to = 0; to < cut.length; to++) {
                if (isCut(from, to)) {
                    return true;
                }
            }
        }
        return false;
    }

    /** The instant since which every message between the two arrived in time; {@link Long#MAX_VALUE} if they do not arrive now. */
    public long undisturbedSince(int one, int other) {
        boolean isOut = out[one][other] || out[other][one];
        return isOut
                ? Long.MAX_VALUE
                : Math.max(Math.max(outUntil[one][other], outUntil[other][one]), undisturbedButForOutages(one, other));
    }

    /** Like {@link #undisturbedSince}, without regard to outages. */
    public long undisturbedButForOutages(int one, int other) {
        boolean isDisturbed = cut[one][other] || cut[other][one] || slowNanos[one][other] > SLOW_NANOS;
        return isDisturbed ? Long.MAX_VALUE : Math.max(cutUntil[one][other], cutUntil[other][one]);
    }

    /** Takes a pair out until it is brought back, independently of cuts. */
    public void takeOut(int one, int other) {
        out[one][other] = true;
        out[other][one] = true;
    }

    public void bringBack(int one, int other) {
        out[one][other] = false;
        out[other][one] = false;
        outUntil[one][other] = timeline.now();
        outUntil[other][one] = timeline.now();
    }

    public void cut(int from, int to) {
        if (from != to) {
            cut[from][to] = true;
        }
    }

    public void cutBoth(int one, int other) {
        cut(one, other);
        cut(other, one);
    }

    public void isolate(int host) {
        for (int other = 0; other < cut.length; other++) {
            cutBoth(host, other);
        }
    }

    public void reconnect() {
        for (int from = 0; from < cut.length; from++) {
            for (int to = 0; to < cut.length; to++) {
                disturbed(from, to, cut[from][to] ? timeline.now() : 0);
            }
            Arrays.fill(cut[from], false);
        }
    }

    /** A connection of the pair broke, so no message arrives until it has a new one. */
    public void connectionBroke(int one, int other) {
        disturbed(one, other, timeline.now());
        disturbed(other, one, timeline.now());
    }

    private void disturbed(int from, int to, long until) {
        cutUntil[from][to] = Math.max(cutUntil[from][to], until);
    }

    public void slow(int one, int other, long nanos) {
        slowNanos[one][other] = nanos;
        slowNanos[other][one] = nanos;
    }

    /** Sets the time that a message of the pair takes in addition, in each direction. */
    public void far(int one, int other, long nanos) {
        farNanos[one][other] = nanos;
        farNanos[other][one] = nanos;
    }

    /** Ends all disturbances. */
    public void heal() {
        reconnect();
        for (int one = 0; one < out.length; one++) {
            for (int other = 0; other < one; other++) {
                if (out[one][other]) {
                    bringBack(one, other);
                }
            }
        }
        for (long[] row : slowNanos) {
            Arrays.fill(row, 0);
        }
        loss = 0;
        lateness = 0;
        duplication = 0;
        delayNanos = 2 * MILLI;
        dataDelayNanos = Math.min(dataDelayNanos, 20 * MILLI);
    }

    /** The number of copies of a message that arrive. */
    public int copies(int from, int to) {
        if (isCut(from, to)) {
            return 0;
        }
        if (loss > 0 && random.nextDouble() < loss) {
            disturbed(from, to, timeline.now());
            statistics.fault(FaultKind.LOSS);
            return 0;
        }
        if (duplication > 0 && random.nextDouble() < duplication) {
            statistics.fault(FaultKind.DUPLICATION);
            return 2;
        }
        return 1;
    }

    public long delay(int from, int to) {
        long late = 0;
        if (lateness > 0 && random.nextDouble() < lateness) {
            statistics.fault(FaultKind.LATE_MESSAGE);
            late = LATE_NANOS_MIN + random.nextLong(LATE_NANOS_SPREAD);
            disturbed(from, to, timeline.now() + late);
        }
        return 100 * MICRO + random.nextLong(delayNanos) + slowNanos[from][to] + farNanos[from][to] + late;
    }

    /** The delay on a stream, which loses nothing: a lost packet is sent again later. */
    public long dataDelay(int from, int to) {
        long again = loss > 0 && random.nextDouble() < loss ? 200 * MILLI : 0;
        return 50 * MICRO + random.nextLong(dataDelayNanos) + slowNanos[from][to] + farNanos[from][to] + again;
    }
}
