package io.hearth.simulation;

import static io.hearth.simulation.Timeline.SECOND;

import io.hearth.discovery.table.PeerTableLimits;
import io.hearth.election.ElectionConfig;
import io.hearth.election.health.HealthConfig;
import java.util.List;
import java.util.SplittableRandom;

/**
 * The spans of one world, drawn together: a preset as the product has them, or all long ones scaled down, so that an absence of
 * some seconds is longer than each of them, as a night is in a home.
 *
 * @param name of the preset, for reports
 * @param areScaled whether the spans of minutes and hours last some seconds here
 * @param dials of the peer table: the back-off of re-dials
 * @param keepRecordNanos after which an unused record is deleted
 * @param absenceNanos longer than every span of this world, if they are scaled
 */
record Spans(
        String name,
        boolean areScaled,
        HealthConfig health,
        ElectionConfig election,
        PeerTableLimits dials,
        long keepRecordNanos,
        long absenceNanos) {
    private static final int SCALED_ONE_IN = 6;
    private static final int PRESET_ONE_IN = 6;
    private static final long ONE_VIEW_NANOS = 20 * SECOND;
    private static final long AT_WORK_NANOS = 10 * SECOND; // a step that was held in vain is not held again for 5 s

    static Spans draw(SplittableRandom extremes) {
        if (extremes.nextInt(SCALED_ONE_IN) == 0) {
            return scaled(extremes);
        }
        boolean isUsual = extremes.nextInt(PRESET_ONE_IN) > 0;
        return isUsual
                ? preset("lan", HealthConfig.lan())
                : extremes.nextBoolean() ? preset("wifi", HealthConfig.wifi()) : preset("wan", HealthConfig.wan());
    }

    private static Spans preset(String name, HealthConfig health) {
        return new Spans(
                name,
                false,
                health,
                ElectionConfig.DEFAULTS.silence(health.silenceNanos()),
                PeerTableLimits.DEFAULT,
                600 * SECOND,
                8 * SECOND);
    }

    private static Spans scaled(SplittableRandom extremes) {
        HealthConfig lan = HealthConfig.lan();
        ElectionConfig usual = ElectionConfig.DEFAULTS;
        PeerTableLimits dials = PeerTableLimits.DEFAULT;
        long forget = span(extremes, 4, 8); // after a silent link is made anew
        long keepRecord = span(extremes, 2, 8);
        long mostHeld = span(extremes, 1, 6);
        long healthy = span(extremes, 1, 6);
        long pauseMax = span(extremes, 1, 5);
        long forgetDial = span(extremes, 8, 14);
        long longest = List.of(forget, keepRecord, mostHeld, healthy, pauseMax, forgetDial).stream()
                .max(Long::compare)
                .orElseThrow();
        return new Spans(
                "scaled",
                true,
                new HealthConfig(
                        lan.heartbeatNanos(),
                        lan.silenceNanos(),
                        lan.redialNanos(),
                        lan.gapNanos(),
                        forget,
                        lan.peersMax()),
                new ElectionConfig(
                        usual.ballots(),
                        usual.joining(),
                        usual.leaving(),
                        usual.stalling(),
                        usual.returning(),
                        new ElectionConfig.HoldDowns(SECOND, mostHeld, healthy),
                        usual.silenceNanos(),
                        usual.brokenPairNanos(),
                        usual.settleNanos(),
                        usual.gapNanos(),
                        usual.restNanos(),
                        SECOND),
                new PeerTableLimits(
                        dials.recordsMax(),
                        dials.dialsPerSecondMax(),
                        dials.pauseMinNanos(),
                        pauseMax,
                        Math.min(pauseMax, dials.pauseMissedMaxNanos()),
                        forget,
                        dials.giveWayNanos(),
                        dials.attemptDelayNanos(),
                        dials.dialTimeoutNanos(),
                        forgetDial),
                keepRecord,
                longest + 2 * SECOND);
    }

    private static long span(SplittableRandom extremes, int fromSeconds, int toSeconds) {
        return extremes.nextLong(fromSeconds * SECOND, toSeconds * SECOND);
    }

    /** How much longer this world's detector listens than the usual one; all that waits for it is later by as much. */
    private long patienceNanos() {
        return Math.max(0, health.silenceNanos() - HealthConfig.lan().silenceNanos());
    }

    /** Most that a laptop sleeps. */
    long sleepNanosMax() {
        return areScaled ? absenceNanos : 7 * SECOND;
    }

    /** A link that was up for so long before a ballot makes its ends heard there. */
    long heardNanos() {
        return 5 * SECOND / 2 + patienceNanos();
    }

    /** Longest that opinions about a pair that does not reach each other matter. */
    long brokenPairNanos() {
        return 2 * (health.silenceNanos() + election.brokenPairNanos()) + 3 * SECOND;
    }

    /** L1: one view this long after everything healed, if nobody waits for a hold-down. */
    long oneViewNanosMax() {
        return ONE_VIEW_NANOS + 4 * patienceNanos();
    }

    /** As long after that all are at work together. */
    long atWorkNanosMax() {
        return AT_WORK_NANOS;
    }

    /** The longest that a node which was removed that often may have to wait outside. */
    long heldNanosMax(long removals) {
        ElectionConfig.HoldDowns holds = election.holdDowns();
        return removals > 16 ? holds.mostNanos() : Math.min(holds.mostNanos(), holds.firstNanos() << removals);
    }
}
