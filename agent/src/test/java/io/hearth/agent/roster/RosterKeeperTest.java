package io.hearth.agent.roster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.agent.loop.NodeEvent;
import io.hearth.identity.HearthHome;
import io.hearth.identity.NamespaceFile;
import io.hearth.identity.NetworkNamespace;
import io.hearth.identity.NodeIdentity;
import io.hearth.identity.PeerId;
import io.hearth.identity.roster.BlockFile;
import io.hearth.identity.roster.Ed25519;
import io.hearth.identity.roster.GrantKind;
import io.hearth.identity.roster.RosterBook;
import io.hearth.identity.roster.RosterDesk;
import io.hearth.identity.roster.RosterEntry;
import io.hearth.identity.roster.RosterFile;
import io.hearth.identity.roster.SeenFile;
import io.hearth.identity.roster.machine.RosterMachine.Effect;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class RosterKeeperTest {
    private static final long PATIENCE_SECONDS = 60;
    private static final Effect NOTHING = new Effect.Store(List.of(), Optional.empty(), Optional.empty());

    @TempDir
    @SuppressWarnings("NullAway.Init") // JUnit sets it
    private Path folder;

    private final NetworkNamespace first = NetworkNamespace.create("home");
    private final NodeIdentity self = NodeIdentity.generate();
    private final LinkedBlockingQueue<NodeEvent> events = new LinkedBlockingQueue<>();

    @SuppressWarnings("NullAway.Init") // set before each test
    private HearthHome home;

    @SuppressWarnings("NullAway.Init") // set before each test
    private RosterDesk desk;

    @BeforeEach
    void open() throws Exception {
        home = HearthHome.open(folder.resolve("home"));
        NamespaceFile.in(home).add(first);
        desk = new RosterDesk(home, first, self, "own");
        var _ = desk.found(1);
    }

    private <E extends NodeEvent> E next(Class<E> kind, Predicate<E> meant) throws InterruptedException {
        while (true) {
            NodeEvent event = events.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
            assertTrue(event != null, "no " + kind.getSimpleName());
            if (kind.isInstance(event) && meant.test(kind.cast(event))) {
                return kind.cast(event);
            }
        }
    }

    /** All events up to the given one. */
    private <E extends NodeEvent> List<NodeEvent> upTo(Class<E> kind, Predicate<E> meant) throws InterruptedException {
        var heard = new ArrayList<NodeEvent>();
        while (true) {
            NodeEvent event = events.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
            assertTrue(event != null, () -> "no " + kind.getSimpleName() + " after " + heard);
            heard.add(event);
            if (kind.isInstance(event) && meant.test(kind.cast(event))) {
                return heard;
            }
        }
    }

    private static <E extends NodeEvent> List<E> of(Class<E> kind, List<NodeEvent> heard) {
        return heard.stream().filter(kind::isInstance).map(kind::cast).toList();
    }

    private static void mode(Path file, String mode) throws IOException {
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(mode));
    }

    /** The machine with that number; its key does not exist. */
    private static PeerId machine(int number) {
        byte[] key = new byte[PeerId.KEY_BYTES];
        key[0] = (byte) (number >>> 8);
        key[1] = (byte) number;
        key[31] = 1;
        return PeerId.of(key);
    }

    private Path seenFile() {
        return folder.resolve("home").resolve("seen-home");
    }

    /** A file that this process can neither read nor replace. */
    private void refusedSeenFile() throws IOException {
        Files.writeString(seenFile(), "");
        mode(seenFile(), "rw-r--r--");
    }

    /** A person paired the machine again while a node of it runs: with a secret of the same generation as its own. */
    @Test
    void aRunningNodeTakesTheSecretOfANewPairing() throws Exception {
        try (var keeper = new RosterKeeper(home, first, self, events::add)) {
            keeper.start();
            var _ = next(NodeEvent.RosterStored.class, stored -> true);
            NodeIdentity sponsor = NodeIdentity.generate();
            var elsewhere = HearthHome.open(folder.resolve("sponsor"));
            NamespaceFile.in(elsewhere).add(first);
            var sponsors = new RosterDesk(elsewhere, first, sponsor, "study");
            byte[] known = desk.welcome(new io.hearth.identity.NodeId(sponsor.peer(), "x"), "study", 2);
            var _ = RosterDesk.accept(elsewhere, sponsor.peer(), known);
            var _ = sponsors.rotate(Map.of(), 3);
            var _ = desk.rotate(Map.of(), 3); // two secrets of generation 2, apart
            byte[] welcome = sponsors.welcome(new io.hearth.identity.NodeId(self.peer(), "x"), "own", 4);
            RosterBook paired = RosterDesk.accept(home, self.peer(), welcome);
            RosterBook used = next(
                            NodeEvent.RosterStored.class,
                            stored -> stored.book().keyId().equals(paired.keyId()))
                    .book();
            assertEquals(2, used.current().generation());
            events.clear();
            keeper.submit(NOTHING, 5);
            assertEquals(
                    paired.keyId(),
                    next(NodeEvent.RosterStored.class, stored -> true).book().keyId());
        }
    }

    @Test
    void aFileThatWasMendedIsNoProblemAnyMore() throws Exception {
        Path blocked = folder.resolve("home").resolve("blocked");
        Files.writeString(blocked, "nonsense\n");
        Files.setPosixFilePermissions(blocked, PosixFilePermissions.fromString("rw-------"));
        try (var keeper = new RosterKeeper(home, first, self, events::add)) {
            keeper.start();
            var _ = next(
                    NodeEvent.RosterProblem.class, problem -> problem.line().contains("blocked"));
            Files.writeString(blocked, "# nobody\n");
            var _ = next(
                    NodeEvent.RosterProblem.class, problem -> problem.line().isEmpty());
        }
    }

    @Test
    void aMistakeOfTheThreadIsSaidAndNotSilent() throws Exception {
        for (Throwable planted : List.of(new IllegalStateException("planted"), new StackOverflowError("planted"))) {
            try (var keeper = new RosterKeeper(home, first, self, event -> {
                if (event instanceof NodeEvent.RosterStored) {
                    switch (planted) {
                        case RuntimeException bug -> throw bug;
                        case Error error -> throw error;
                        default -> throw new AssertionError(planted);
                    }
                }
                events.add(event);
            })) {
                keeper.start();
                assertSame(planted, next(NodeEvent.Failed.class, failed -> true).why());
            }
        }
    }

    /** If the version were stored before the file is read, its content would never be read. */
    @Test
    void aRosterThatCouldNotBeReadIsReadOnceItCan() throws Exception {
        Path file = RosterFile.in(home, "home").path();
        mode(file, "rw-r--r--");
        try (var keeper = new RosterKeeper(home, first, self, events::add)) {
            keeper.start();
            var _ = next(
                    NodeEvent.RosterProblem.class, problem -> problem.line().contains("roster-home"));
            mode(file, "rw-------"); // the same file, time and size
            List<NodeEvent> heard = upTo(
                    NodeEvent.RosterProblem.class, problem -> problem.line().isEmpty());
            assertEquals(1, of(NodeEvent.RosterStored.class, heard).size(), heard::toString);
        }
    }

    @Test
    void aListOfBlockedMachinesThatCouldNotBeReadIsReadOnceItCan() throws Exception {
        assertTrue(BlockFile.in(home).set(machine(1), true));
        Path file = folder.resolve("home").resolve("blocked");
        mode(file, "rw-r--r--");
        try (var keeper = new RosterKeeper(home, first, self, events::add)) {
            keeper.start();
            var _ = next(
                    NodeEvent.RosterProblem.class, problem -> problem.line().contains("blocked"));
            mode(file, "rw-------");
            List<NodeEvent> heard = upTo(
                    NodeEvent.RosterProblem.class, problem -> problem.line().isEmpty());
            assertEquals(
                    List.of(new NodeEvent.Blocked(new TreeSet<>(Set.of(machine(1))))),
                    of(NodeEvent.Blocked.class, heard));
        }
    }

    /** The version stored with a change of this process is that of this change. */
    @Test
    void aChangeOfAnotherProcessRightBehindAnOwnOneIsNotMissed() throws Exception {
        var isArmed = new AtomicBoolean();
        try (var keeper = new RosterKeeper(home, first, self, event -> {
            if (event instanceof NodeEvent.RosterStored && isArmed.getAndSet(false)) {
                another(() -> desk.grant(machine(1), "guest", GrantKind.PAIRED, 2));
                another(() -> BlockFile.in(home).set(machine(2), true)); // the keeper looks at it after the roster
            }
            events.add(event);
        })) {
            keeper.start();
            var _ = next(NodeEvent.RosterStored.class, stored -> true);
            isArmed.set(true);
            keeper.submit(NOTHING, 2);
            List<NodeEvent> heard = upTo(NodeEvent.Blocked.class, blocked -> true);
            assertEquals(
                    List.of(false, true),
                    of(NodeEvent.RosterStored.class, heard).stream()
                            .map(stored -> stored.book().roster().isMember(machine(1)))
                            .toList());
        }
    }

    private static void another(Callable<?> process) {
        try {
            var _ = process.call();
        } catch (Exception failed) {
            throw new AssertionError(failed);
        }
    }

    /** The roster machine hears of the file again, and stores again the entries that the file does not have. */
    @Test
    void theFileIsReadAgainAfterAChangeThatFoundNoPlace() throws Exception {
        assertTrue(BlockFile.in(home).set(machine(1), true));
        var isReading = new CountDownLatch(1);
        var goOn = new CountDownLatch(1);
        try (var keeper = new RosterKeeper(home, first, self, event -> {
            events.add(event);
            if (event instanceof NodeEvent.Blocked && isReading.getCount() > 0) {
                isReading.countDown();
                another(() -> goOn.await(PATIENCE_SECONDS, TimeUnit.SECONDS));
            }
        })) {
            keeper.start();
            assertTrue(isReading.await(PATIENCE_SECONDS, TimeUnit.SECONDS));
            for (int i = 0; i < RosterKeeper.TASKS_MAX; i++) {
                keeper.saw(machine(i), "m", i);
            }
            keeper.submit(NOTHING, 2);
            events.clear();
            assertTrue(BlockFile.in(home).set(machine(2), true));
            goOn.countDown();
            List<NodeEvent> heard = upTo(NodeEvent.Blocked.class, blocked -> true);
            assertEquals(1, of(NodeEvent.RosterStored.class, heard).size(), heard::toString);
        }
    }

    /** Closed before it starts, so that all that was submitted is still waiting at the end. */
    @Test
    void whatWasSubmittedBeforeTheEndIsStored() throws Exception {
        RosterEntry granted = desk.book()
                .granted(Ed25519.hand(self), machine(1), "guest", GrantKind.PAIRED, 2, Ed25519.INSTANCE)
                .orElseThrow()
                .roster()
                .grant(machine(1))
                .orElseThrow();
        var keeper = new RosterKeeper(home, first, self, events::add);
        keeper.submit(new Effect.Store(List.of(granted), Optional.empty(), Optional.empty()), 2);
        keeper.saw(machine(1), "guest", 2);
        keeper.close();
        keeper.start();
        keeper.close(); // waits for the thread
        assertTrue(desk.book().roster().isMember(machine(1)));
        assertEquals(
                Map.of(machine(1), new SeenFile.Seen(2, "guest")),
                SeenFile.in(home, "home").read());
    }

    @Test
    void whoWasSeenIsWrittenOnceAndNotAgain() throws Exception {
        try (var keeper = new RosterKeeper(home, first, self, events::add)) {
            keeper.start();
            keeper.saw(machine(1), "kitchen", 1);
            until("who was seen is on the disk", () -> Files.exists(seenFile()));
            assertEquals(
                    Map.of(machine(1), new SeenFile.Seen(1, "kitchen")),
                    SeenFile.in(home, "home").read());
            Files.delete(seenFile());
        }
        assertTrue(Files.notExists(seenFile()), "nothing was seen since");
        assertFalse(RosterFile.in(home, "home").stored().isEmpty());
        assertEquals(
                GrantKind.FOUNDED,
                desk.book().roster().grant(self.peer()).orElseThrow().how());
    }

    private static void until(String what, BooleanSupplier reached) {
        long startNanos = System.nanoTime();
        while (!reached.getAsBoolean()) {
            assertTrue(System.nanoTime() - startNanos < TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS), "not so: " + what);
            LockSupport.parkNanos(1_000_000);
        }
    }

    @Test
    void whoWasSeenIsKeptUntilItCouldBeWritten() throws Exception {
        refusedSeenFile();
        try (var keeper = new RosterKeeper(home, first, self, events::add)) {
            keeper.start();
            keeper.saw(machine(1), "kitchen", 1);
            var _ = next(
                    NodeEvent.RosterProblem.class, problem -> problem.line().contains("seen-home"));
            mode(seenFile(), "rw-------");
            keeper.saw(machine(2), "garden", 2);
            var _ = next(
                    NodeEvent.RosterProblem.class, problem -> problem.line().isEmpty());
            assertEquals(
                    Set.of(machine(1), machine(2)),
                    SeenFile.in(home, "home").read().keySet());
        }
    }

    /** Endlessly many machines are linked while the disk is full: at most the number that the file can hold is kept. */
    @Test
    void machinesSeenWithoutEndFillABoundedPlace() throws Exception {
        refusedSeenFile();
        int bound = SeenFile.MACHINES_MAX;
        try (var keeper = new RosterKeeper(home, first, self, events::add)) {
            keeper.start();
            var _ = next(NodeEvent.RosterStored.class, stored -> true);
            for (int number = 0; number < bound + 8; number++) {
                keeper.saw(machine(number), "m", 1_000 + number);
                keeper.saw(machine(0), "first", 10_000 + number);
                if (number % 16 == 0) { // so that each of them finds a place
                    keeper.submit(NOTHING, 2);
                    var _ = next(NodeEvent.RosterStored.class, stored -> true);
                }
            }
            keeper.submit(NOTHING, 2);
            var _ = next(NodeEvent.RosterStored.class, stored -> true);
            mode(seenFile(), "rw-------");
        }
        SortedMap<PeerId, SeenFile.Seen> seen = SeenFile.in(home, "home").read();
        assertEquals(bound, seen.size());
        for (int number = 1; number < bound; number++) {
            assertEquals(new SeenFile.Seen(1_000 + number, "m"), seen.get(machine(number)));
        }
        assertEquals(new SeenFile.Seen(10_000 + bound + 7, "first"), seen.get(machine(0)));
    }
}
