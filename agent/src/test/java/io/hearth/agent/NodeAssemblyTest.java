package io.hearth.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.hearth.election.ElectionConfig;
import io.hearth.election.health.HealthConfig;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class NodeAssemblyTest {
    private static final long MILLI = 1_000_000L;

    @TempDir
    @SuppressWarnings("NullAway.Init") // JUnit sets it
    private Path folder;

    private static HearthConfig silence(long millis) {
        return HearthConfig.defaults().health(HealthConfig.of(250 * MILLI, millis * MILLI));
    }

    @Test
    void eachPresetHasSpansInOrder() {
        for (HealthConfig preset : List.of(HealthConfig.lan(), HealthConfig.wifi(), HealthConfig.wan())) {
            ElectionConfig spans = NodeAssembly.spans(HearthConfig.defaults().health(preset));
            assertEquals(preset.silenceNanos(), spans.silenceNanos());
        }
    }

    @Test
    void whoAsksToLeaveIsDoneBeforeItsVoteRecordMayGo() {
        assertEquals(
                599_999 * MILLI, NodeAssembly.spans(silence(591_499)).leaving().lifeNanos());
        var wrong = assertThrows(IllegalArgumentException.class, () -> NodeAssembly.spans(silence(591_500)));
        assertEquals(
                "need leave < keeping of unused vote records, got 600000 ms and 600000 ms; leave grows with the silence,"
                        + " which is 591500 ms: choose a shorter one",
                wrong.getMessage());
    }

    @Test
    void aWrongSpanIsSaidBeforeAnythingIsOpened() {
        Path home = folder.resolve("home");
        HearthConfig config = silence(591_500).home(home);
        assertThrows(IllegalArgumentException.class, () -> NodeAssembly.start(config, Map.of()));
        assertFalse(Files.exists(home));
    }
}
