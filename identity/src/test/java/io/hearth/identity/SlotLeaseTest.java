package io.hearth.identity;

import static io.hearth.identity.Refusals.assertRefused;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.core.Clock;
import io.hearth.core.SetupException;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class SlotLeaseTest {
    private static final long NOW = 1_800_000_000_000L;

    @TempDir
    @SuppressWarnings("NullAway.Init") // JUnit sets it
    private Path folder;

    @SuppressWarnings("NullAway.Init") // set before each test
    private HearthHome home;

    @BeforeEach
    void openHome() throws SetupException {
        home = HearthHome.open(folder.resolve("home"));
    }

    @Test
    void theFirstIncarnationIsTheClockAndEachNextIsHigher() throws SetupException {
        assertEquals(NOW, startAgent(NOW));
        assertEquals(NOW + 1, startAgent(NOW));
        assertEquals(NOW + 2, startAgent(NOW));
        assertEquals(NOW + 10_000, startAgent(NOW + 10_000));
    }

    @Test
    void aClockSetBackDoesNotLowerTheIncarnation() throws SetupException {
        assertEquals(NOW, startAgent(NOW));
        assertEquals(NOW + 1, startAgent(0));
        assertEquals(NOW + 2, startAgent(-5));
    }

    @Test
    void slotsCountOnTheirOwn() throws SetupException {
        startAgent(NOW);
        try (var trainer = SlotLease.trainer(home, at(NOW - 7))) {
            assertEquals("trainer-0", trainer.slot());
            assertEquals(NOW - 7, trainer.incarnation());
        }
    }

    @Test
    void everyStartHasABootIdOfItsOwn() throws SetupException {
        try (var agent = SlotLease.single(home, NodeId.AGENT, at(NOW));
                var wait = SlotLease.single(home, SlotLease.WAIT, at(NOW))) {
            assertEquals(SlotLease.BOOT_ID_BYTES, agent.bootId().size());
            assertNotEquals(agent.bootId(), wait.bootId());
        }
    }

    @Test
    void aSecondAgentOfOneHomeIsRefusedUntilTheFirstEnds() throws SetupException {
        try (var agent = SlotLease.single(home, NodeId.AGENT, at(NOW))) {
            assertEquals("agent", agent.slot());
            for (int again = 0; again < 3; again++) {
                assertRefused(
                        () -> SlotLease.single(home, NodeId.AGENT, at(NOW)).close(),
                        "cannot start as agent",
                        "HEARTH_HOME");
            }
        }
        assertEquals(NOW + 1, startAgent(NOW));
    }

    @Test
    void theSixtyFifthTrainerIsRefused() throws SetupException {
        Deque<SlotLease> leases = new ArrayDeque<>();
        for (int number = 0; number < SlotLease.TRAINERS_MAX; number++) {
            leases.addLast(SlotLease.trainer(home, at(NOW)));
            assertEquals("trainer-" + number, leases.getLast().slot());
        }
        assertRefused(() -> SlotLease.trainer(home, at(NOW)).close(), "64 trainers run already");
        SlotLease left = leases.removeFirst();
        left.close();
        leases.addLast(SlotLease.trainer(home, at(NOW)));
        assertEquals("trainer-0", leases.getLast().slot());
        assertTrue(leases.getLast().incarnation() > left.incarnation());
        leases.forEach(SlotLease::close);
    }

    @Test
    void manyThreadsOfOneProcessGetDifferentSlots() throws Exception {
        List<Callable<SlotLease>> starters = new ArrayList<>();
        for (int i = 0; i < 16; i++) {
            starters.add(() -> SlotLease.trainer(home, at(NOW)));
        }
        var slots = new HashSet<String>();
        var leases = new ArrayList<SlotLease>();
        try (ExecutorService executor = Executors.newFixedThreadPool(8)) {
            for (var future : executor.invokeAll(starters)) {
                leases.add(future.get());
                slots.add(leases.getLast().slot());
            }
        }
        leases.forEach(SlotLease::close);
        assertEquals(16, slots.size(), slots::toString);
    }

    /** POSIX would release the lock as soon as this process closed any second descriptor of the file. */
    @Test
    void anotherProcessGetsAnotherSlotAlsoAfterThisOneLookedTwice() throws Exception {
        try (var first = SlotLease.trainer(home, at(NOW));
                var second = SlotLease.trainer(home, at(NOW));
                var other = new Holder(home.folder())) {
            assertEquals(Set.of("trainer-0", "trainer-1"), Set.of(first.slot(), second.slot()));
            assertEquals("trainer-2", other.slot());
        }
    }

    /** As in an application server: there are two copies of the classes, and neither knows the locks of the other. */
    @Test
    void aSecondCopyOfTheClassesInThisProcessTakesNoSlotAwayFromTheFirst() throws Exception {
        var urls = new ArrayList<URL>();
        for (String entry : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
            urls.add(Path.of(entry).toUri().toURL());
        }
        try (var first = SlotLease.trainer(home, at(NOW));
                var loader = new URLClassLoader(urls.toArray(URL[]::new), ClassLoader.getPlatformClassLoader())) {
            assertEquals("trainer-0", first.slot());
            Method slot = loader.loadClass(Copy.class.getName()).getDeclaredMethod("slot", String.class);
            slot.setAccessible(true);
            assertEquals("trainer-1", slot.invoke(null, home.toString()));
            try (var other = new Holder(home.folder())) {
                assertEquals("trainer-1", other.slot());
            }
        }
    }

    /** The code that runs in the second copy. */
    static final class Copy {
        private Copy() {}

        static String slot(String home) throws SetupException {
            try (var lease = SlotLease.trainer(HearthHome.open(Path.of(home)), at(NOW))) {
                return lease.slot();
            }
        }
    }

    @Test
    void aProcessThatIsKilledGivesItsSlotBackAndItsSuccessorIsNewer() throws Exception {
        long killed;
        try (var other = new Holder(home.folder())) {
            assertEquals("trainer-0", other.slot());
            killed = other.incarnation();
        }
        try (var next = SlotLease.trainer(home, at(0))) {
            assertEquals("trainer-0", next.slot());
            assertEquals(killed + 1, next.incarnation());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "0\n", "-5\n", "12", "1e9\n", "9999999999999999999\n", "\u0000\u0000\u0000\u0000"})
    void aDamagedNumberIsSetAsideAndTheClockCounts(String content) throws SetupException, IOException {
        startAgent(NOW);
        Path number = home.file("slots/agent.incarnation");
        Files.writeString(number, content);
        try (var agent = SlotLease.single(home, NodeId.AGENT, at(NOW + 9))) {
            assertEquals(NOW + 9, agent.incarnation());
            assertEquals(content, Files.readString(agent.damaged().orElseThrow()));
            assertEquals(NOW + 9 + "\n", Files.readString(number));
        }
        try (var agent = SlotLease.single(home, NodeId.AGENT, at(NOW))) {
            assertTrue(agent.damaged().isEmpty());
        }
    }

    @Test
    void aLeaseThatFailsIsGivenBack() throws SetupException, IOException {
        Path number = home.subfolder("slots").resolve("agent.incarnation");
        Files.createDirectory(number);
        assertRefused(() -> SlotLease.single(home, NodeId.AGENT, at(NOW)).close(), "a folder and not a regular file");
        Files.delete(number);
        assertEquals(NOW, startAgent(NOW));
    }

    private long startAgent(long millis) throws SetupException {
        try (var agent = SlotLease.single(home, NodeId.AGENT, at(millis))) {
            return agent.incarnation();
        }
    }

    private static Clock at(long millis) {
        return new Clock() {
            @Override
            public long nanoTime() {
                return 0;
            }

            @Override
            public long epochMillis() {
                return millis;
            }
        };
    }

    /** Another process that holds a trainer's slot until it is killed. */
    private static final class Holder implements AutoCloseable {
        private final Process process;
        private final String[] answer;

        Holder(Path home) throws IOException {
            List<String> command = Starter.command(HolderMain.class);
            command.add(home.toString());
            process = new ProcessBuilder(command)
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
            answer = String.valueOf(process.inputReader(StandardCharsets.UTF_8).readLine())
                    .split(" ", -1);
        }

        String slot() {
            return answer[0];
        }

        long incarnation() {
            return Long.parseLong(answer[1]);
        }

        @Override
        public void close() {
            process.destroyForcibly().onExit().join();
        }
    }

    /** Runs as a process of its own. */
    static final class HolderMain {
        private HolderMain() {}

        public static void main(String[] arguments) throws SetupException, IOException {
            try (var lease = SlotLease.trainer(HearthHome.open(Path.of(arguments[0])), at(NOW));
                    var in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
                System.out.println(lease.slot() + " " + lease.incarnation());
                in.readLine();
            }
        }
    }
}
