package io.hearth.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.hearth.agent.guest.NodeGuest;
import io.hearth.core.SetupException;
import io.hearth.discovery.PeerName;
import io.hearth.election.ElectionConfig;
import io.hearth.election.health.HealthConfig;
import io.hearth.election.health.Preset;
import io.hearth.identity.HearthHome;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
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
        for (Preset preset : Preset.values()) {
            ElectionConfig spans = NodeAssembly.spans(HearthConfig.defaults().health(HealthConfig.of(preset)));
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
    void peersAreCheckedAndNotResolvedWhenTheyAreNamed() {
        List<String> peers = List.of("nas:7", "dns:all.invalid", "srv:_hearth._tcp.invalid", "k8s:trainers.ml");
        assertEquals(peers, HearthConfig.defaults().peers(peers).peers());
        var wrong = assertThrows(
                IllegalArgumentException.class, () -> HearthConfig.defaults().peers(List.of("nas:7", "dns:a..b")));
        assertEquals(
                "peer must be HOST[:PORT], [IPv6]:PORT, dns:NAME[:PORT], srv:NAME or k8s:SERVICE[.NAMESPACE][:PORT] with a"
                        + " port of 1 to 65535, got 'dns:a..b': a DNS name has labels of 1 to 63 characters a-z, 0-9, '-'"
                        + " and '_' (other scripts as xn--)",
                wrong.getMessage());
    }

    @Test
    void peersOfTheFileAreCheckedToo() throws Exception {
        HearthHome home = HearthHome.open(folder.resolve("home"));
        Path file = home.file("config.toml");
        Files.writeString(file, "peers = ['nas:port']");
        HearthConfig config = HearthConfig.defaults().home(home.folder());
        var wrong =
                assertThrows(SetupException.class, () -> NodeAssembly.start(config, Map.of(), NodeGuest.Maker.NONE));
        assertEquals(
                "cannot use " + file + ": peers: peer must be " + PeerName.FORMS
                        + " with a port of 1 to 65535, got 'nas:port': it names no peer; correct it in an editor",
                wrong.getMessage());
        Files.writeString(
                file,
                IntStream.range(0, 60)
                        .mapToObj(i -> "'10.0.0." + i + "'")
                        .collect(Collectors.joining(", ", "peers = [", "]")));
        List<String> five = List.of("10.0.0.1", "a", "b", "c", "d", "e"); // one of them is in the file too
        var tooMany = assertThrows(
                SetupException.class, () -> NodeAssembly.start(config.peers(five), Map.of(), NodeGuest.Maker.NONE));
        assertEquals(
                "at most 64 peers may be named, got 65; name fewer in config.toml, HEARTH_PEERS and with --peer: one"
                        + " known member is enough",
                tooMany.getMessage());
    }

    @Test
    void theFileNamesOneOfThePresets() throws Exception {
        HearthHome home = HearthHome.open(folder.resolve("home"));
        Path file = home.file("config.toml");
        Files.writeString(file, "health = 'lte'");
        HearthConfig config = HearthConfig.defaults().home(home.folder());
        var wrong =
                assertThrows(SetupException.class, () -> NodeAssembly.start(config, Map.of(), NodeGuest.Maker.NONE));
        assertEquals(
                "cannot use " + file + ": health: must be auto, lan, wifi or wan, got 'lte'; correct it in an editor",
                wrong.getMessage());
    }

    @Test
    void aWrongSpanIsSaidBeforeAnythingIsOpened() {
        Path home = folder.resolve("home");
        HearthConfig config = silence(591_500).home(home);
        assertThrows(IllegalArgumentException.class, () -> NodeAssembly.start(config, Map.of(), NodeGuest.Maker.NONE));
        assertFalse(Files.exists(home));
    }
}
