package io.hearth.simulation.time;

import static io.hearth.simulation.time.Timeline.SECOND;

import io.hearth.discovery.table.PeerTableLimits;
import io.hearth.election.ElectionConfig;
import io.hearth.election.health.HealthConfig;
import io.hearth.election.health.Preset;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;

/**
 * The time spans of one world: a preset of the product, or all long ones scaled down, so that an absence of some seconds exceeds each
 * of them, as a night does in a home.
 *
 * @param name of the preset, for reports; {@code measured} is added where round trips choose it
 * @param areScaled whether the spans of minutes and hours last some seconds here
 * @param dials of the peer table: the back-off of re-dials
 * @param keepRecordNanos after which an unused record is deleted
 * @param absenceNanos longer than every span of this world, if they are scaled
 */
public record Spans(
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
    private static final long AT_WORK_NANOS =
            10 * SECOND; // a step that was delayed in vain is not delayed again for 5 s

    public static Spans draw(SplittableRandom extremes) {
        if (extremes.nextInt(SCALED_ONE_IN) == 0) {
            return scaled(extremes);
        }
        boolean isUsual = extremes.nextInt(PRESET_ONE_IN) > 0;
        return isUsual
                ? preset("lan", HealthConfig.of(Preset.LAN))
                : extremes.nextBoolean()
                        ? preset("wifi", HealthConfig.of(Preset.WIFI))
                        : preset("wan", HealthConfig.of(Preset.WAN));
    }

    /** The same world, in which measured round trips lengthen the silence; only for spans that begin as those of a cable. */
    public Spans measured(SplittableRandom random) {
        if (health.silenceNanos() != Preset.LAN.silenceNanos()) {
            return this;
        }
        var measured = new HealthConfig.Measured(2 + random.nextInt(8), span(random, 2, 15));
        return new Spans(
                name + " measured",
                areScaled,
                health.measured(Optional.of(measured)),
                election,
                dials,
                keepRecordNanos,
                absenceNanos);
    }

    /** The same world, in which heartbeats are rarer while nobody trains; only for spans that begin as those of a cable. */
    public Spans idle() {
        if (health.silenceNanos() != Preset.LAN.silenceNanos() || areScaled) {
            return this;
        }
        return new Spans(
                name + " idle",
                false,
                health.idle(Optional.of(HealthConfig.Idle.DEFAULT)),
                election,
                dials,
                keepRecordNanos,
                absenceNanos);
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
        HealthConfig lan = HealthConfig.of(Preset.LAN);
        ElectionConfig usual = ElectionConfig.DEFAULTS;
        PeerTableLimits dials = PeerTableLimits.DEFAULT;
        long forget = span(extremes, 4, 8); // later than the reconnect of a silent link
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
                        lan.peersMax(),
                        Optional.empty(),
                        Optional.empty()),
                new ElectionConfig(
                        usual.ballots(),
                        usual.joining(),
                        usual.leaving(),
                        usual.stalling(),
                        usual.returning(),
                        new ElectionConfig.ReadmissionDelays(SECOND, mostHeld, healthy),
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

    /** The extra time that this world's detector listens; every wait for it takes that much longer. */
    private long patienceNanos() {
        return silenceNanosMax() - Preset.LAN.silenceNanos();
    }

    /** The longest silence that may be in force. */
    private long silenceNanosMax() {
        boolean isLengthened = health.measured().isPresent() || health.idle().isPresent();
        return isLengthened ? Preset.WAN.silenceNanos() : health.silenceNanos();
    }

    /** Longest sleep of a laptop. */
    public long sleepNanosMax() {
        return areScaled ? absenceNanos : 7 * SECOND;
    }

    /** The age of a link from which its ends count as heard in a ballot. */
    public long heardNanos() {
        return 5 * SECOND / 2 + patienceNanos();
    }

    /** Longest validity of opinions about a broken pair. */
    public long brokenPairNanos() {
        return 2 * (silenceNanosMax() + election.brokenPairNanos()) + 3 * SECOND;
    }

    /** L1: longest time from the end of all faults to one view, if no node waits for its readmission. */
    public long oneViewNanosMax() {
        return ONE_VIEW_NANOS + 4 * patienceNanos();
    }

    /** Longest time from there until all trainers are at work together. */
    public long atWorkNanosMax() {
        return AT_WORK_NANOS;
    }

    /** Longest readmission delay of a node that was removed that often. */
    public long heldNanosMax(long removals) {
        ElectionConfig.ReadmissionDelays holds = election.readmissionDelays();
        return removals > 16 ? holds.mostNanos() : Math.min(holds.mostNanos(), holds.firstNanos() << removals);
    }
}
