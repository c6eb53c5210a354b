package io.hearth.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.identity.HearthHome;
import io.hearth.identity.NamespaceFile;
import io.hearth.identity.NetworkNamespace;
import io.hearth.identity.NodeIdentity;
import io.hearth.identity.roster.How;
import io.hearth.identity.roster.RosterBook;
import io.hearth.identity.roster.RosterDesk;
import io.hearth.identity.roster.RosterFile;
import io.hearth.identity.roster.SeenFile;
import io.hearth.identity.roster.machine.RosterMachine.Effect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class RosterKeeperTest {
    private static final long PATIENCE_SECONDS = 60;

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
            keeper.submit(new Effect.Store(List.of(), Optional.empty(), Optional.empty()), 5);
            assertEquals(
                    paired.keyId(),
                    next(NodeEvent.RosterStored.class, stored -> true).book().keyId());
        }
    }

    @Test
    void aFileThatWasMendedIsNoProblemAnyMore() throws Exception {
        Path blocked = folder.resolve("home").resolve("blocked");
        Files.writeString(blocked, "nonsense\n");
        Files.setPosixFilePermissions(blocked, java.nio.file.attribute.PosixFilePermissions.fromString("rw-------"));
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
        try (var keeper = new RosterKeeper(home, first, self, event -> {
            if (event instanceof NodeEvent.RosterStored) {
                throw new IllegalStateException("planted");
            }
            events.add(event);
        })) {
            keeper.start();
            assertEquals(
                    "planted",
                    next(NodeEvent.Failed.class, failed -> true).why().getMessage());
        }
    }

    @Test
    void whoWasSeenIsWrittenOnceAndNotAgain() throws Exception {
        try (var keeper = new RosterKeeper(home, first, self, events::add)) {
            keeper.start();
            keeper.saw(NodeIdentity.generate().peer(), "kitchen", 1);
        }
        assertEquals(1, SeenFile.in(home, "home").read().size());
        assertFalse(RosterFile.in(home, "home").stored().isEmpty());
        assertEquals(
                How.FOUNDED,
                desk.book().roster().grant(self.peer()).orElseThrow().how());
    }
}
