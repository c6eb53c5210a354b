package io.hearth.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.agent.status.ClusterStatus;
import io.hearth.identity.HearthHome;
import io.hearth.identity.IdentityFile;
import io.hearth.identity.NamespaceFile;
import io.hearth.identity.NamespaceLookup;
import io.hearth.identity.NetworkNamespace;
import io.hearth.identity.NodeIdentity;
import io.hearth.identity.PeerId;
import io.hearth.identity.roster.BlockFile;
import io.hearth.identity.roster.GrantKind;
import io.hearth.identity.roster.RosterDesk;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Removals, new secrets and machines that were away, over real links on this machine. */
final class RosterIT {
    private static final Duration PATIENCE = Duration.ofSeconds(45); // less than the pause after a refusal

    @TempDir
    @SuppressWarnings("NullAway.Init") // JUnit sets it
    private Path folder;

    private final NetworkNamespace namespace = NetworkNamespace.create("test");
    private final List<Machine> machines = new ArrayList<>();
    private final List<String> addresses = new ArrayList<>();

    /** A home, and perhaps a node that runs on it. */
    private final class Machine {
        final HearthHome home;
        final NodeIdentity identity;
        Optional<HearthNode> node = Optional.empty();

        Machine(String name) throws Exception {
            home = HearthHome.open(folder.resolve(name));
            NamespaceFile.in(home).add(namespace);
            identity = IdentityFile.in(home).loadOrCreate();
            machines.add(this);
        }

        PeerId peer() {
            return identity.peer();
        }

        RosterDesk desk() throws Exception {
            return new RosterDesk(home, new NamespaceLookup(home, Map.of()).named("test"), identity, "m");
        }

        HearthNode start() throws Exception {
            HearthNode started = HearthNode.start(
                    TestNodes.loopback().agent("agent").peers(addresses).home(home.folder()), Map.of());
            addresses.add("127.0.0.1:" + started.port());
            node = Optional.of(started);
            return started;
        }

        void stop() {
            node.ifPresent(HearthNode::close);
            node = Optional.empty();
        }

        HearthNode running() {
            return node.orElseThrow();
        }

        /** The machines of its view. */
        SortedSet<PeerId> view() {
            var members = new TreeSet<PeerId>();
            for (ClusterStatus.Node member : running().status().nodes()) {
                if (member.rank().isPresent()) {
                    members.add(member.id().peer());
                }
            }
            return members;
        }

        void await(String what, Predicate<ClusterStatus> seen) throws InterruptedException {
            long until = System.nanoTime() + PATIENCE.toNanos();
            var last = new AtomicReference<ClusterStatus>(running().status());
            for (long number = 0; !seen.test(last.get()); ) {
                assertTrue(System.nanoTime() - until < 0, () -> what + " did not happen: " + last.get());
                number = running().awaitStatusAfter(number, last::set);
            }
        }

        void awaitView(Machine... expected) throws InterruptedException {
            var all = new TreeSet<PeerId>();
            for (Machine machine : expected) {
                all.add(machine.peer());
            }
            await("view of " + expected.length, _ -> view().equals(all));
        }

        int generation() throws Exception {
            return desk().book().current().generation();
        }
    }

    @BeforeEach
    void noOtherHomes() {
        machines.clear();
    }

    @AfterEach
    void stopAll() {
        machines.forEach(Machine::stop);
    }

    private Machine paired(Machine sponsor, String name) throws Exception {
        var machine = new Machine(name);
        if (sponsor.desk().book().roster().root().isEmpty()) {
            var _ = sponsor.desk().found(1);
        }
        var _ = sponsor.desk().grant(machine.peer(), name, GrantKind.PAIRED, 1);
        return machine;
    }

    /** Attack 18. */
    @Tag("full")
    @Test
    void aStolenMachineIsOutAndASleeperIsReKeyed() throws Exception {
        var a = new Machine("a");
        Machine b = paired(a, "b");
        Machine c = paired(a, "c");
        Machine stolen = paired(a, "stolen");
        for (Machine machine : List.of(a, b, c, stolen)) {
            var _ = machine.start();
        }
        a.awaitView(a, b, c, stolen);
        stolen.await("the roster came", _ -> isMember(stolen, c));
        var sybil = new Machine("sybil");
        var _ = stolen.desk().grant(sybil.peer(), "sybil", GrantKind.PAIRED, 1);
        a.await("the sybil is known", _ -> isMember(a, sybil));
        c.stop();
        a.awaitView(a, b, stolen);

        long started = System.nanoTime();
        var _ = a.desk().remove(List.of(stolen.peer(), sybil.peer()), Map.of(), 2);
        a.awaitView(a, b);
        b.awaitView(a, b);
        long millis = (System.nanoTime() - started) / 1_000_000;
        assertTrue(millis < 5_000, "out after " + millis + " ms");
        b.await("the new secret came", _ -> generationOf(b) == 2);
        stolen.await(
                "it is told",
                status -> status.refused().stream().anyMatch(each -> each.why().contains("was removed")));
        assertEquals(1, stolen.generation());

        stolen.stop();
        var _ = stolen.start(); // with its identity
        var again = new Machine("again"); // a new identity and the old secret
        var _ = again.start();
        var _ = sybil.start();
        for (Machine refused : List.of(stolen, again, sybil)) {
            refused.await("it is refused", status -> !status.refused().isEmpty());
        }
        var _ = c.start(); // the sleeper
        a.awaitView(a, b, c);
        assertEquals(2, c.generation());
        for (Machine refused : List.of(stolen, again, sybil)) {
            assertEquals(1, refused.generation());
            assertFalse(a.view().contains(refused.peer()));
        }
    }

    /** A machine that was away meets the stolen secret before its own: it links with it, is re-keyed, and leaves it. */
    @Tag("full")
    @Test
    void aSleeperThatMetTheOldSecretFirstComesBackToItsOwn() throws Exception {
        var a = new Machine("a");
        Machine b = paired(a, "b");
        Machine sleeper = paired(a, "sleeper");
        for (Machine machine : List.of(a, b, sleeper)) {
            var _ = machine.start();
        }
        a.awaitView(a, b, sleeper);
        sleeper.await("the roster came", _ -> isMember(sleeper, b));
        sleeper.stop();
        a.awaitView(a, b);
        var _ = a.desk().rotate(Map.of(), 2);
        b.await("the new secret came", _ -> generationOf(b) == 2);
        List<String> own = List.copyOf(addresses);
        addresses.clear();
        var thief = new Machine("thief");
        var _ = thief.start();
        var _ = sleeper.start();
        addresses.addAll(own);
        a.awaitView(a, b, sleeper);
        sleeper.awaitView(a, b, sleeper);
        assertEquals(2, sleeper.generation());
        assertEquals(1, thief.generation());
    }

    /** Attack 21. */
    @Tag("full")
    @Test
    void aMachineThatRemovesTheFirstOfTwoGoesOnAlone() throws Exception {
        var a = new Machine("a");
        Machine b = paired(a, "b");
        var _ = a.start();
        var _ = b.start();
        a.awaitView(a, b);
        b.await("the roster came", _ -> isMember(b, a));
        Machine first = a.running().status().view().master().peer().equals(a.peer()) ? a : b;
        Machine second = first == a ? b : a;
        ClusterStatus.ViewSummary shared = second.running().status().view();
        var _ = second.desk().remove(List.of(first.peer()), Map.of(), 2);
        second.awaitView(second);
        ClusterStatus.ViewSummary alone = second.running().status().view();
        assertNotEquals(shared.lineage(), alone.lineage(), "a lineage in which the first has no vote");
        assertEquals(second.peer(), alone.master().peer());
        assertEquals(1, alone.members());
    }

    @Test
    void aBlockIsOfThisMachineAloneAndReversible() throws Exception {
        var a = new Machine("a");
        Machine b = paired(a, "b");
        var _ = a.start();
        var _ = b.start();
        a.awaitView(a, b);
        var _ = BlockFile.in(a.home).set(b.peer(), true);
        a.awaitView(a);
        for (Machine each : List.of(a, b)) { // both may pause for a minute before they dial again
            each.await(
                    "it is told",
                    status -> status.refused().stream()
                            .anyMatch(refused -> refused.why().contains("blocked")));
        }
        var _ = BlockFile.in(a.home).set(b.peer(), false);
        a.awaitView(a, b);
    }

    @Test
    void aClosedNamespaceAdmitsOnlyWhoIsOnTheRoster() throws Exception {
        var a = new Machine("a");
        Machine b = paired(a, "b");
        Files.writeString(NamespaceFile.in(a.home).path(), "closed = true\n", StandardOpenOption.APPEND);
        var bySecret = new Machine("secret");
        for (Machine machine : List.of(a, b, bySecret)) {
            var _ = machine.start();
        }
        bySecret.await(
                "it is told",
                status -> status.refused().stream().anyMatch(each -> each.why().contains("closed")));
        b.await("b is linked", status -> status.nodes().size() >= 2);
    }

    @Test
    void aNewSecretReachesAllMembersWhileTheyRunAndLinksStay() throws Exception {
        var a = new Machine("a");
        Machine b = paired(a, "b");
        var bySecret = new Machine("secret");
        for (Machine machine : List.of(a, b, bySecret)) {
            var _ = machine.start();
        }
        a.awaitView(a, b, bySecret);
        long epoch = a.running().status().view().epoch();
        b.await("the roster came", _ -> isMember(b, a));
        var _ = a.desk().rotate(Map.of(bySecret.peer(), "kept"), 2);
        for (Machine machine : List.of(b, bySecret)) {
            machine.await("the new secret came", _ -> generationOf(machine) == 2);
        }
        assertEquals(epoch, a.running().status().view().epoch(), "nobody left");
        Machine late = paired(a, "late");
        NamespaceFile.in(late.home).put(new NamespaceLookup(a.home, Map.of()).named("test"));
        var _ = late.start();
        a.awaitView(a, b, bySecret, late);
    }

    /** Both got the secret by hand, and each founded a roster before they met. */
    @Tag("full")
    @Test
    void twoFoundersAreToldUntilOneIsPairedAgain() throws Exception {
        var a = new Machine("a");
        var b = new Machine("b");
        for (Machine machine : List.of(a, b)) {
            var _ = machine.desk().found(1);
            var _ = machine.start();
        }
        for (Machine machine : List.of(a, b)) {
            machine.await("it is told", RosterIT::tellsOfTwo);
        }
        byte[] welcome = a.desk().welcome(b.running().id(), "b", 2);
        assertEquals(
                Optional.of(a.peer()),
                RosterDesk.accept(b.home, b.peer(), welcome).roster().root());
        for (Machine machine : List.of(a, b)) {
            machine.await("nothing is left to say", status -> !tellsOfTwo(status));
        }
        var _ = b.desk().remove(List.of(a.peer()), Map.of(), 3);
        a.await(
                "what b signs counts",
                status -> status.refused().stream().anyMatch(each -> each.why().contains("was removed")));
    }

    private static boolean tellsOfTwo(ClusterStatus status) {
        return status.waiting().orElse("").contains("two machines founded");
    }

    private static boolean isMember(Machine at, Machine other) {
        try {
            return at.desk().book().roster().isMember(other.peer());
        } catch (Exception broken) {
            throw new AssertionError(broken);
        }
    }

    private static int generationOf(Machine machine) {
        try {
            return machine.generation();
        } catch (Exception broken) {
            throw new AssertionError(broken);
        }
    }
}
