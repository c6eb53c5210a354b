package io.hearth.simulation.setting;

import static io.hearth.simulation.time.Timeline.MILLI;
import static io.hearth.simulation.time.Timeline.SECOND;

import io.hearth.simulation.report.FaultKind;
import io.hearth.simulation.time.Spans;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;

/**
 * The kinds and rates of the faults of one seed. A few kinds at a time find more defects than all at once, because they do not hide
 * each other (swarm testing: Groce et al., ISSTA 2012).
 *
 * @param kinds that are on
 * @param loss share of messages lost
 * @param duplication share of messages that arrive twice
 * @param delayNanos most that a message takes
 * @param dataDelayNanos most that a frame of a collective takes
 * @param lateness share of messages that arrive after their ballot has ended
 * @param sharpness chance to die at any effect
 * @param pauseBetweenFaultsNanos most between two faults
 * @param faultyNanos how long it lasts
 */
public record FaultProfile(
        Set<FaultKind> kinds,
        double loss,
        double duplication,
        long delayNanos,
        long dataDelayNanos,
        double lateness,
        double sharpness,
        long pauseBetweenFaultsNanos,
        long faultyNanos) {
    private static final Set<FaultKind> RARE = EnumSet.of(FaultKind.WRONG_MEMORY, FaultKind.LYING_SOURCE);
    private static final int RARE_ONE_IN = 4;

    /** Kinds that lose no process and no message. */
    private static final Set<FaultKind> MILD = EnumSet.of(
            FaultKind.LEAVE,
            FaultKind.PAUSE,
            FaultKind.CLOCK_JUMP,
            FaultKind.CLOCK_STEP,
            FaultKind.WRONG_MEMORY,
            FaultKind.LOST_PROCESS);

    /** Rare kinds: one world of this number has each. */
    private static final Map<FaultKind, Integer> EXTREME = new EnumMap<>(Map.of(
            FaultKind.OUTAGE, 8,
            FaultKind.SLOW_DISK, 12,
            FaultKind.DISK_ERROR, 16,
            FaultKind.FULL_DISK, 16,
            FaultKind.LATE_MESSAGE, 10,
            FaultKind.CLOCK_STEP, 6));

    private static final Set<FaultKind> APART = EnumSet.range(FaultKind.OUTAGE, FaultKind.LIES);

    /** Draws a profile; rare kinds come from {@code rarities}. */
    static FaultProfile draw(SplittableRandom random, SplittableRandom rarities) {
        double density = random.nextInt(5) == 0 ? 0.1 : 0.15 + 0.25 * random.nextDouble();
        var kinds = EnumSet.noneOf(FaultKind.class);
        for (FaultKind kind : EnumSet.complementOf(EnumSet.copyOf(APART))) {
            boolean isOn = RARE.contains(kind) ? rarities.nextInt(RARE_ONE_IN) == 0 : random.nextDouble() < density;
            if (isOn) {
                kinds.add(kind);
            }
        }
        if (random.nextInt(12) == 0) {
            kinds.retainAll(MILD);
        }
        return new FaultProfile(
                kinds,
                kinds.contains(FaultKind.LOSS) ? 0.02 + 0.15 * random.nextDouble() : 0,
                kinds.contains(FaultKind.DUPLICATION) ? 0.2 : 0,
                kinds.contains(FaultKind.REORDERING) ? 20 * MILLI + random.nextLong(300 * MILLI) : 2 * MILLI,
                5 * MILLI + random.nextLong(80 * MILLI),
                0,
                kinds.contains(FaultKind.SHARP_CRASH) ? 0.003 : 0,
                SECOND / 2 + random.nextLong(SECOND),
                4 * SECOND + random.nextLong(5 * SECOND));
    }

    /** Adds the kinds that {@code extremes} draws, and time enough for an absence; a mild profile stays mild. */
    FaultProfile widened(SplittableRandom extremes, Spans spans) {
        var more = EnumSet.noneOf(FaultKind.class);
        more.addAll(kinds);
        EXTREME.forEach((kind, oneIn) -> {
            if (extremes.nextInt(oneIn) == 0 && (!isMild() || MILD.contains(kind))) {
                more.add(kind);
            }
        });
        if (spans.areScaled() && extremes.nextInt(3) > 0 && !isMild()) {
            more.add(FaultKind.AWAY);
        }
        boolean isLong = spans.areScaled() || more.contains(FaultKind.OUTAGE);
        return new FaultProfile(
                more,
                loss,
                duplication,
                delayNanos,
                dataDelayNanos,
                more.contains(FaultKind.LATE_MESSAGE) ? 0.005 + 0.03 * extremes.nextDouble() : 0,
                sharpness,
                pauseBetweenFaultsNanos * (spans.areScaled() ? 1 + extremes.nextInt(4) : 1),
                faultyNanos + (isLong ? spans.absenceNanos() + extremes.nextLong(spans.absenceNanos()) : 0));
    }

    /** Adds a lying member; {@code alone} without any other fault than dying processes. */
    FaultProfile withLies(boolean alone) {
        var all = EnumSet.of(FaultKind.LIES, FaultKind.KILL);
        if (!alone) {
            all = EnumSet.of(FaultKind.LIES);
            all.addAll(kinds);
        }
        return new FaultProfile(
                all,
                alone ? 0 : loss,
                alone ? 0 : duplication,
                alone ? 2 * MILLI : delayNanos,
                dataDelayNanos,
                alone ? 0 : lateness,
                alone ? 0 : sharpness,
                alone ? 5 * SECOND : pauseBetweenFaultsNanos,
                alone ? 20 * SECOND : faultyNanos);
    }

    /** Adds one kind and changes nothing else. */
    FaultProfile with(FaultKind kind) {
        var all = EnumSet.of(kind);
        all.addAll(kinds);
        return new FaultProfile(
                all,
                loss,
                duplication,
                delayNanos,
                dataDelayNanos,
                lateness,
                sharpness,
                pauseBetweenFaultsNanos,
                faultyNanos);
    }

    public boolean has(FaultKind kind) {
        return kinds.contains(kind);
    }

    /** Whether no fault can lose a member or a message. */
    public boolean isMild() {
        return MILD.containsAll(kinds);
    }
}
