package io.hearth.discovery;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.identity.HearthHome;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class HomePeersTest {
    private static final long OWN_PID = ProcessHandle.current().pid();

    @TempDir
    @SuppressWarnings("NullAway.Init") // set by JUnit
    private Path folder;

    @SuppressWarnings("NullAway.Init")
    private HearthHome home;

    @BeforeEach
    void setUp() throws Exception {
        home = HearthHome.open(folder.resolve("home"));
    }

    @Test
    void ofNodesThatStartInAnyOrderTheLaterOnesKnowTheEarlierOnes() {
        var told = new ArrayList<Sighting>();
        try (var first = node("trainer-0", 4_001);
                var second = node("trainer-1", 4_002);
                var third = node("agent", 4_003)) {
            first.start(told::add);
            assertEquals(List.of(), told);
            second.start(told::add);
            assertEquals(List.of("home:trainer-0 127.0.0.1:4001"), texts(told));
            told.clear();
            third.start(told::add);
            assertEquals(List.of("home:trainer-0 127.0.0.1:4001", "home:trainer-1 127.0.0.1:4002"), texts(told));
            assertEquals(SourceKind.HOME, told.getFirst().source());
        }
    }

    /** None waits for another one, so one of each two must find the other's file. */
    @RepeatedTest(20)
    void ofEachTwoNodesThatStartAtOnceOneKnowsTheOther() throws Exception {
        int count = 8;
        var start = new CyclicBarrier(count);
        try (ExecutorService threads = Executors.newFixedThreadPool(count)) {
            var told = new ArrayList<Future<List<String>>>();
            for (int i = 0; i < count; i++) {
                HomePeers starting = node("trainer-" + i, 4_000 + i);
                told.add(threads.submit(() -> {
                    var seen = new ArrayList<Sighting>();
                    start.await();
                    starting.start(seen::add);
                    return seen.stream().map(Sighting::name).toList();
                }));
            }
            for (int i = 0; i < count; i++) {
                for (int j = 0; j < i; j++) {
                    assertTrue(
                            told.get(i).get().contains("home:trainer-" + j)
                                    || told.get(j).get().contains("home:trainer-" + i),
                            i + " and " + j + " do not know each other");
                }
            }
        }
    }

    @Test
    void aNodeThatEndedIsNotReported() throws IOException {
        var told = new ArrayList<Sighting>();
        var first = node("trainer-0", 4_001);
        first.start(told::add);
        assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(file("trainer-0"))));
        first.close();
        assertFalse(Files.exists(file("trainer-0")));
        try (var second = node("trainer-1", 4_002)) {
            second.start(told::add);
        }
        assertEquals(List.of(), told);
    }

    @Test
    void theFileOfAProcessThatWasKilledIsNotReported() throws Exception {
        Process killed = new ProcessBuilder("sleep", "600").start();
        write("trainer-0", "hearth listens 1 home 00ff " + killed.pid() + " 4001\n");
        assertEquals(List.of("home:trainer-0 127.0.0.1:4001"), texts(seen()));
        killed.destroyForcibly().waitFor();
        assertEquals(List.of(), seen());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "hearth listens 1 home 00ff PID 4001",
                "hearth listens 1 home 00ff PID 0\n",
                "hearth listens 1 home 00ff PID 65536\n",
                "hearth listens 1 home 00ff PID 4001 4002\n",
                "hearth listens 1 home 00ff 99999999999999999999 4001\n",
                "hearth listens 1 home 00fe PID 4001\n",
                "hearth listens 1 work 00ff PID 4001\n",
                "hearth listens 2 home 00ff PID 4001\n"
            })
    void filesOfOtherNamespacesAndSecretsAndDamagedOnesAreIgnored(String content) throws Exception {
        write("trainer-0", content.replace("PID", OWN_PID + ""));
        assertEquals(List.of(), seen());
    }

    @Test
    void aFileThatIsTooLargeHidesNoOtherNode() throws Exception {
        write("trainer-0", "hearth listens 1 home 00ff " + OWN_PID + " 4001\n" + " ".repeat(1_000));
        write("trainer-1", "hearth listens 1 home 00ff " + OWN_PID + " 4002\n");
        assertEquals(List.of("home:trainer-1 127.0.0.1:4002"), texts(seen()));
        assertTrue(Files.exists(file("trainer-0")), "the file stays until a node takes its slot");
    }

    @Test
    void aHomeThatCannotBeWrittenIsNoError() throws Exception {
        Files.writeString(folder.resolve("home").resolve("slots"), "not a folder");
        assertEquals(List.of(), seen());
    }

    private HomePeers node(String slot, int port) {
        return new HomePeers(home, slot, "home", "00ff", port);
    }

    /** The sightings of another node that starts now. */
    private List<Sighting> seen() {
        var told = new ArrayList<Sighting>();
        try (var other = node("trainer-9", 4_009)) {
            other.start(told::add);
        }
        return told;
    }

    private static List<String> texts(List<Sighting> told) {
        return told.stream()
                .map(sighting ->
                        sighting.name() + " " + sighting.candidates().getFirst().address())
                .toList();
    }

    private Path file(String slot) {
        return home.file("slots/" + slot + ".listens");
    }

    private void write(String slot, String content) throws Exception {
        Path file = home.subfolder("slots").resolve(slot + ".listens");
        Files.writeString(file, content);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
    }
}
