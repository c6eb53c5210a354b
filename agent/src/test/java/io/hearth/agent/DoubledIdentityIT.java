package io.hearth.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.agent.api.StatusJson;
import io.hearth.agent.peers.Sources;
import io.hearth.agent.status.ClusterStatus;
import io.hearth.collective.DistributedContext;
import io.hearth.core.HearthException;
import io.hearth.core.ReduceOp;
import io.hearth.core.ReenterableException;
import io.hearth.core.RemovedFromClusterException;
import io.hearth.core.SetupException;
import io.hearth.identity.HearthHome;
import io.hearth.identity.IdentityFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A snapshot of a whole disk runs on a second computer: nothing in the home distinguishes it from the original. */
final class DoubledIdentityIT {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final String BOOT = "hearth.fault.systemBoot";

    @TempDir
    @SuppressWarnings("NullAway.Init") // JUnit sets it
    private Path folder;

    @AfterEach
    void thisComputerIsItselfAgain() {
        System.clearProperty(BOOT);
        System.clearProperty(Sources.DEAF);
    }

    /** The home and its copy, from before either has voted. */
    private List<Path> twins(TestNodes nodes) throws Exception {
        Path original = nodes.home();
        var _ = IdentityFile.in(HearthHome.open(original)).loadOrCreate();
        Path copy = folder.resolve("copy");
        try (var files = Files.walk(original)) {
            for (Path file : files.toList()) {
                Path target = copy.resolve(original.relativize(file).toString());
                Files.copy(file, target, StandardCopyOption.COPY_ATTRIBUTES);
            }
        }
        return List.of(original, copy);
    }

    /** Starts a trainer as if on the computer with that number. */
    private static AutoDiscoveryBackend start(TestNodes nodes, HearthConfig config, Path home, int computer)
            throws Exception {
        System.setProperty(BOOT, String.format("%032x", computer));
        return nodes.keep(AutoDiscoveryBackend.start(config.home(home)));
    }

    /** Steps until the test ends it, or until an error that no step repairs. */
    private static final class Training {
        final AtomicBoolean enough = new AtomicBoolean();
        final AtomicBoolean paused = new AtomicBoolean(); // then the others' calls stay open
        final AtomicInteger world = new AtomicInteger();
        final AtomicLong steps = new AtomicLong();
        final List<HearthException> errors = new ArrayList<>(); // of the training's thread, read after its end

        void run(AutoDiscoveryBackend trainer, int peers) throws Exception {
            trainer.waitForPeers(peers, PATIENCE);
            DistributedContext cluster = trainer.context();
            float[] weights = new float[1_000];
            cluster.share("weights", weights);
            while (true) {
                long pausedNanos = System.nanoTime();
                while (paused.get() && System.nanoTime() - pausedNanos < PATIENCE.toNanos()) {
                    Thread.onSpinWait();
                }
                try {
                    cluster.beginStep();
                    float[] sum = {enough.get() ? 1 : 0};
                    cluster.allReduce(sum, ReduceOp.SUM);
                    world.set(cluster.worldSize());
                    steps.incrementAndGet();
                    if (sum[0] > 0) {
                        return;
                    }
                } catch (ReenterableException again) {
                    errors.add(again);
                }
            }
        }
    }

    @Tag("full")
    @Test
    void bothComputersWalkOutWithTheReasonAndTheOthersTrainOn() throws Exception {
        var steady = new Training();
        try (ExecutorService threads = Executors.newCachedThreadPool();
                var nodes = new TestNodes(folder)) { // closed before the threads: that ends their calls
            List<Path> homes = twins(nodes);
            AutoDiscoveryBackend first = start(nodes, TestNodes.loopback(), nodes.home(), 1);
            AutoDiscoveryBackend second = start(nodes, TestNodes.loopback(), nodes.home(), 2);
            AutoDiscoveryBackend original = start(nodes, TestNodes.loopback(), homes.get(0), 3);
            second.addPeer(TestNodes.address(first));
            original.addPeer(TestNodes.address(first));
            original.addPeer(TestNodes.address(second));
            var doubled = new Training();
            Future<?> one = threads.submit(() -> run(steady, first));
            Future<?> two = threads.submit(() -> run(steady, second));
            Future<?> lost = threads.submit(() -> run(doubled, original));
            until("all three train", () -> doubled.world.get() == 3);

            steady.paused.set(true);
            AutoDiscoveryBackend copy = start(nodes, TestNodes.loopback(), homes.get(1), 4);
            copy.addPeer(TestNodes.address(original));
            copy.addPeer(TestNodes.address(first));
            assertEquals(original.id(), copy.id());
            var ended = assertThrows(Exception.class, () -> lost.get(60, TimeUnit.SECONDS));
            var last = assertInstanceOf(HearthException.class, ended.getCause());
            assertFalse(last instanceof ReenterableException, "no step mends it");
            assertSaysWhatToDo(last.getMessage());
            assertEquals(1, doubled.errors.size(), doubled.errors.toString());
            assertInstanceOf(RemovedFromClusterException.class, doubled.errors.getFirst());
            assertSaysWhatToDo(doubled.errors.getFirst().getMessage());

            until(
                    "both are told",
                    () -> isTold(original) && isTold(copy)); // a status may be a moment older than an error
            assertSaysWhatToDo(assertThrows(SetupException.class, () -> copy.waitForPeers(1, PATIENCE))
                    .getMessage());
            assertSaysWhatToDo(assertThrows(SetupException.class, copy::context).getMessage());
            assertSaysWhatToDo(
                    assertThrows(SetupException.class, original::context).getMessage());
            for (AutoDiscoveryBackend twin : List.of(original, copy)) {
                ClusterStatus status = twin.status();
                assertSaysWhatToDo(status.waiting().orElseThrow());
                assertTrue(status.doubled().getFirst().isSelf());
                assertEquals(1, status.view().members());
                assertSaysWhatToDo(StatusJson.of(status)
                        .getAsJsonArray("doubled")
                        .get(0)
                        .getAsJsonObject()
                        .get("why")
                        .getAsString());
            }
            assertTrue(Files.isDirectory(homes.get(0).resolve("votes/aside-1")), "its records do not vote any more");

            steady.paused.set(false);
            long before = steady.steps.get();
            until("the others train on", () -> steady.world.get() == 2 && steady.steps.get() > before + 10);
            steady.enough.set(true);
            one.get();
            two.get();
            assertEquals(List.of(), steady.errors, "nobody else lost anything");
        }
    }

    /** The two do not see each other; a node that both are linked with reports to them. */
    @Test
    void aPeerThatSeesBothTellsThem() throws Exception {
        try (var nodes = new TestNodes(folder)) {
            List<Path> homes = twins(nodes);
            AutoDiscoveryBackend peer = start(nodes, TestNodes.loopback(), nodes.home(), 1);
            System.setProperty(Sources.DEAF, "true");
            HearthConfig blind =
                    TestNodes.loopback().peers(List.of(TestNodes.address(peer).toString()));
            AutoDiscoveryBackend original = start(nodes, blind, homes.get(0), 2);
            original.waitForPeers(1, PATIENCE);
            AutoDiscoveryBackend copy = start(nodes, blind, homes.get(1), 3);
            until("both are told", () -> isTold(original) && isTold(copy));
            for (AutoDiscoveryBackend twin : List.of(original, copy)) {
                String text = twin.status().ownDoubled().orElseThrow();
                assertSaysWhatToDo(text);
                assertTrue(text.contains("said by " + peer.id().shortText()), text);
            }
            until("the peer says so", () -> !peer.status().doubled().isEmpty());
            ClusterStatus.Doubled seen = peer.status().doubled().getFirst();
            assertFalse(seen.isSelf());
            assertEquals(original.id().peer().shortText(), seen.who());
            assertEquals(List.of("127.0.0.1", "127.0.0.1"), seen.addresses());
            assertSaysWhatToDo(seen.text());
            until("the peer is alone", () -> peer.status().view().members() == 1);
            assertTrue(
                    peer.status().nodes().stream()
                            .filter(node -> !node.isSelf())
                            .allMatch(node -> node.apart().equals(Optional.of(seen.text()))),
                    peer.status().toString());
        }
    }

    private static boolean isTold(AutoDiscoveryBackend twin) {
        return twin.status().ownDoubled().isPresent();
    }

    private static Void run(Training training, AutoDiscoveryBackend trainer) throws Exception {
        training.run(trainer, 2);
        return null;
    }

    private static void assertSaysWhatToDo(@Nullable String message) {
        String text = String.valueOf(message);
        assertTrue(text.contains("hearth identity reset") && text.contains("computer"), text);
    }

    private interface Check {
        boolean holds() throws Exception;
    }

    private static void until(String what, Check check) throws Exception {
        long startNanos = System.nanoTime();
        while (!check.holds()) {
            assertTrue(System.nanoTime() - startNanos < PATIENCE.toNanos(), what);
            Thread.onSpinWait();
        }
    }
}
