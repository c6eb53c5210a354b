package io.hearth.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.accel.EngineName;
import io.hearth.compression.CompressionStrategy;
import io.hearth.election.health.HealthConfig;
import io.hearth.election.health.Preset;
import io.hearth.transport.DataTransport;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HearthConfigTextTest {
    @Test
    void everyKeySetsItsSetting() {
        HearthConfig config = HearthConfig.parse("""
                home=/srv/hearth
                namespace=lab
                open=true
                label=Mac Studio
                group=digits
                port=52500
                interfaces=lo, en0
                exclude_interfaces=utun3
                peers=10.0.0.2:52416,k8s:trainer

                compression=topk:0.01
                engine=portable
                transport=tcp
                health=wifi
                on_partition=continue
                on_loss=fail-fast
                ranks=2:4
                deadline=90s
                state_budget=2m
                """);
        assertEquals(Optional.of(Path.of("/srv/hearth")), config.home());
        assertEquals(Optional.of("lab"), config.namespace());
        assertTrue(config.open());
        assertEquals(Optional.of("Mac Studio"), config.label());
        assertEquals("digits", config.group());
        assertEquals(OptionalInt.of(52_500), config.port());
        assertEquals(List.of("lo", "en0"), config.interfaces());
        assertEquals(List.of("utun3"), config.excludedInterfaces());
        assertEquals(List.of("10.0.0.2:52416", "k8s:trainer"), config.peers());
        assertEquals(CompressionStrategy.parse("topk:0.01"), config.compression());
        assertEquals(EngineName.PORTABLE, config.engine());
        assertEquals(DataTransport.TCP, config.transport());
        assertEquals(Optional.of(HealthConfig.of(Preset.WIFI)), config.health());
        assertTrue(config.continueOnPartition());
        assertTrue(config.failFast());
        assertEquals(2, config.minimumRanks());
        assertEquals(4, config.maximumRanks());
        assertEquals(Duration.ofSeconds(90), config.deadline());
        assertEquals(Duration.ofMinutes(2), config.stateBudget());
    }

    @Test
    void anEmptyTextIsTheDefault() {
        HearthConfig config = HearthConfig.parse("");
        assertEquals(HearthConfig.DEFAULT_GROUP, config.group());
        assertEquals(Optional.empty(), config.home());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "grup=x | no setting is named 'grup'; did you mean 'group'?",
                "group | a setting must be key=value, got 'group'",
                "group=A B | group: group must be 1 to 63 characters of a-z, 0-9 and '-', got 'A B'",
                "port=70000 | port: must be 1 to 65535, got '70000'",
                "open=yes | open: must be true or false, got 'yes'",
                "health=slow | health: must be auto, lan, wifi or wan, got 'slow'",
                "on_loss=ignore | on_loss: must be retry or fail-fast, got 'ignore'",
                "ranks=4:2 | ranks: ranks must be MIN to MAX",
                "deadline=soon | deadline: must be a time such as 500ms, 60s, 10m or 1h, got 'soon'",
                "deadline=0s | deadline: deadline must be positive",
                "compression=zip | compression: ",
                "transport=carrier | transport: transport must be auto, shm or tcp, got 'carrier'",
            })
    void aMistakeIsNamedWithItsKey(String line, String text) {
        var wrong = assertThrows(IllegalArgumentException.class, () -> HearthConfig.parse(line));
        assertTrue(String.valueOf(wrong.getMessage()).startsWith(text), wrong.getMessage());
    }

    @Test
    void aKeyMayStandOnce() {
        var wrong = assertThrows(IllegalArgumentException.class, () -> HearthConfig.parse("group=a\ngroup=b"));
        assertEquals("group is set twice", wrong.getMessage());
    }
}
