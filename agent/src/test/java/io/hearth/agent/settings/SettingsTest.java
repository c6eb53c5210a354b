package io.hearth.agent.settings;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.accel.EngineName;
import io.hearth.agent.HearthConfig;
import io.hearth.core.SetupException;
import io.hearth.election.health.HealthConfig;
import io.hearth.election.health.Preset;
import io.hearth.identity.HearthHome;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class SettingsTest {
    @TempDir
    @SuppressWarnings("NullAway.Init") // JUnit sets it
    private Path folder;

    @SuppressWarnings("NullAway.Init") // set before each test
    private HearthHome home;

    @BeforeEach
    void openHome() throws SetupException {
        home = HearthHome.open(folder.resolve("home"));
    }

    private void file(String content) throws IOException {
        Files.writeString(home.file("config.toml"), content);
    }

    @Test
    void theEnvironmentIsOverTheFileWhichIsOverTheDefault() throws Exception {
        file("health = 'wifi'\nlisten_port = 7\n");
        Settings settings = Settings.read(home, Map.of("HEARTH_LISTEN_PORT", "8", "HEARTH_HOME", "/elsewhere"));
        assertEquals(
                Optional.of(new Settings.Chosen(List.of("8"), "HEARTH_LISTEN_PORT")),
                settings.chosen(Setting.LISTEN_PORT));
        assertEquals(
                Optional.of(new Settings.Chosen(
                        List.of("wifi"), home.file("config.toml").toString())),
                settings.chosen(Setting.HEALTH));
        assertEquals(Optional.empty(), settings.chosen(Setting.ENGINE));
    }

    @Test
    void aVariableOfSeveralValuesIsSeparatedByCommas() throws Exception {
        Settings settings =
                Settings.read(home, Map.of("HEARTH_PEERS", "nas, dns:all.example.org:7,", "HEARTH_LABEL", ""));
        assertEquals(List.of("nas", "dns:all.example.org:7"), settings.values(Setting.PEERS));
        assertEquals(Optional.empty(), settings.value(Setting.LABEL));
    }

    @Test
    void aProgramsOwnConfigurationIsOverAllOfThem() throws Exception {
        file("""
                namespace = 'attic'
                label = 'studio'
                interfaces = ['en0']
                exclude_interfaces = ['en5']
                peers = ['nas']
                listen_port = 7000
                health = 'wan'
                on_partition = 'continue'
                engine = 'portable'
                """);
        Settings settings = Settings.read(home, Map.of());
        HearthConfig agent = HearthConfig.defaults().agent("agent").completed(settings);
        assertEquals(Optional.of("attic"), agent.namespace());
        assertEquals(Optional.of("studio"), agent.label());
        assertEquals(List.of("en0"), agent.interfaces());
        assertEquals(List.of("en5"), agent.excludedInterfaces());
        assertEquals(List.of("nas"), agent.peers());
        assertEquals(OptionalInt.of(7000), agent.port());
        assertEquals(Optional.of(HealthConfig.of(Preset.WAN)), agent.health());
        assertTrue(agent.continueOnPartition());
        assertEquals(EngineName.PORTABLE, agent.engine());

        HearthConfig own = HearthConfig.defaults()
                .namespace("cellar")
                .label("laptop")
                .interfaces(List.of("lo"))
                .peers(List.of("mini"))
                .health(HealthConfig.of(Preset.LAN))
                .continueOnPartition(false)
                .engine(EngineName.AUTO)
                .completed(settings);
        assertEquals(Optional.of("cellar"), own.namespace());
        assertEquals(Optional.of("laptop"), own.label());
        assertEquals(List.of("lo"), own.interfaces());
        assertEquals(List.of(), own.excludedInterfaces());
        assertEquals(List.of("nas", "mini"), own.peers());
        assertEquals(OptionalInt.empty(), own.port(), "several trainers share a machine");
        assertEquals(Optional.of(HealthConfig.of(Preset.LAN)), own.health());
        assertEquals(false, own.continueOnPartition());
        assertEquals(EngineName.AUTO, own.engine());

        HearthConfig without =
                HearthConfig.defaults().excludedInterfaces(List.of("tun0")).completed(settings);
        assertEquals(List.of("en0"), without.interfaces());
        assertEquals(List.of("tun0"), without.excludedInterfaces());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
            namespace = 'Home'          | namespace: must be 1 to 63 of a-z, 0-9 and '-', got 'Home'
            listen_port = 0             | listen_port: must be 1 to 65535, got '0'
            page_port = 70000           | page_port: must be 1 to 65535, got '70000'
            health = 'fast'             | health: must be auto, lan, wifi or wan, got 'fast'
            on_partition = 'panic'      | on_partition: must be stall or continue, got 'panic'
            engine = 'warp'             | engine: there is no engine 'warp'
            interfaces = ['']           | interfaces: must be the name of a network interface
            label = ''                  | label: must be 1 to 64 characters
            peers = ['::::']            | peers: peer must be HOST[:PORT]
            """)
    void aWrongValueIsToldWithItsFileAndItsRule(String line, String message) throws Exception {
        file(line);
        String told = String.valueOf(assertThrows(
                        SetupException.class, () -> Settings.read(home, Map.of("HEARTH_HEALTH", "lan")))
                .getMessage());
        assertTrue(told.startsWith("cannot use " + home.file("config.toml") + ": " + message), told);
        assertTrue(told.endsWith("; correct it in an editor"), told);
    }

    @Test
    void aWrongVariableIsToldWithItsName() {
        String told = String.valueOf(assertThrows(
                        SetupException.class, () -> Settings.read(home, Map.of("HEARTH_ENGINE", "warp")))
                .getMessage());
        assertTrue(told.startsWith("HEARTH_ENGINE: there is no engine 'warp'"), told);
        assertTrue(told.endsWith("; correct the environment variable, or unset it"), told);
    }
}
