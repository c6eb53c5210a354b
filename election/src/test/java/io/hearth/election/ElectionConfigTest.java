package io.hearth.election;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.election.health.HealthConfig;
import io.hearth.election.health.Preset;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The spans depend on each other; the relations that the protocol needs hold for every preset of the failure detector. */
final class ElectionConfigTest {
    private static final long MILLI = 1_000_000L;

    static Stream<HealthConfig> presets() {
        return Stream.of(HealthConfig.of(Preset.LAN), HealthConfig.of(Preset.WIFI), HealthConfig.of(Preset.WAN));
    }

    @ParameterizedTest
    @MethodSource("presets")
    void eachSpanOutlastsTheOneBeforeIt(HealthConfig health) {
        ElectionConfig config = ElectionConfig.DEFAULTS.silence(health.silenceNanos());
        var spans = List.of(
                2 * health.heartbeatNanos(),
                config.silenceNanos(),
                config.ballots().answerNanos(),
                config.ballots().lifeNanos(),
                config.ballots().orphanNanos(),
                config.returning().quietNanos() + 1, // may equal the one before it
                config.stalling().afterNanos(),
                config.returning().mostNanos(),
                config.leaving().lifeNanos(),
                600_000 * MILLI);
        for (int i = 1; i < spans.size(); i++) {
            assertTrue(spans.get(i - 1) < spans.get(i), i + " of " + spans);
        }
        assertTrue(config.gapNanos() + config.restNanos() < config.silenceNanos());
        assertEquals(health.silenceNanos(), config.silenceNanos());
    }

    /** A heartbeat is believed until the next one is due, and a pause is longer than two intervals. */
    @ParameterizedTest
    @MethodSource("presets")
    void aHeartbeatIsBelievedUntilTheNextOneIsDue(HealthConfig health) {
        ElectionConfig config = ElectionConfig.DEFAULTS.silence(health.silenceNanos());
        assertTrue(config.joining().freshNanos() >= 2 * health.heartbeatNanos());
        assertTrue(config.joining().targetNanos() > config.joining().freshNanos());
        assertTrue(config.peerGapNanos() >= 2 * health.heartbeatNanos());
        assertTrue(config.peerGapNanos() < config.silenceNanos());
    }

    @Test
    void laterSpansMoveByAsMuchAsTheSilenceIsLonger() {
        ElectionConfig before = ElectionConfig.DEFAULTS;
        ElectionConfig after = before.silence(before.silenceNanos() + 500 * MILLI);
        assertEquals(
                500 * MILLI, after.ballots().answerNanos() - before.ballots().answerNanos());
        assertEquals(500 * MILLI, after.ballots().lifeNanos() - before.ballots().lifeNanos());
        assertEquals(
                500 * MILLI, after.ballots().orphanNanos() - before.ballots().orphanNanos());
        assertEquals(
                500 * MILLI, after.returning().quietNanos() - before.returning().quietNanos());
        assertEquals(
                500 * MILLI, after.returning().mostNanos() - before.returning().mostNanos());
        assertEquals(
                500 * MILLI, after.stalling().afterNanos() - before.stalling().afterNanos());
        assertEquals(500 * MILLI, after.leaving().lifeNanos() - before.leaving().lifeNanos());
        assertEquals(before, before.silence(before.silenceNanos()));
    }

    @Test
    void aSilenceThatAPauseAndItsRestCanFillIsRejected() {
        ElectionConfig config = ElectionConfig.DEFAULTS;
        long least = config.gapNanos() + config.restNanos();
        assertThrows(IllegalArgumentException.class, () -> config.silence(least));
        assertEquals(least + 1, config.silence(least + 1).silenceNanos());
    }

    @Test
    void onPartitionChangesThePolicyOnly() {
        ElectionConfig alone = ElectionConfig.DEFAULTS.onPartition(ElectionConfig.OnPartition.CONTINUE);
        assertEquals(ElectionConfig.OnPartition.CONTINUE, alone.stalling().onPartition());
        assertEquals(ElectionConfig.DEFAULTS, alone.onPartition(ElectionConfig.OnPartition.STALL));
    }
}
