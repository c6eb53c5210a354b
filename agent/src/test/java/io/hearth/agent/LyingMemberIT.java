package io.hearth.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.agent.status.ClusterStatus;
import io.hearth.collective.CollectiveOptions;
import io.hearth.collective.DistributedContext;
import io.hearth.core.ReduceOp;
import io.hearth.core.ReenterableException;
import io.hearth.identity.NamespaceKeys;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class LyingMemberIT {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Duration DEADLINE =
            Duration.ofSeconds(6); // a view change that waits for an answer takes at least 2 s
    private static final long LIES = Long.getLong("hearth.lies", Boolean.getBoolean("hearth.full") ? 40_000 : 20_000);
    private static final long LIES_AT_ONCE = 100;
    private static final double VIEWS_A_SECOND_MAX = 3; // at least 350 ms pass between two views
    private static final String FORCING = "jdk.FileForce";

    /**
     * A machine writes its promise, its acceptance, and the resulting view; each write forces a file and its folder. On a busy machine a
     * ballot may fail before the one that decides the view.
     */
    private static final long FORCINGS_OF_A_CHANGE_MAX = 2 * 3 * 2;

    @TempDir
    @SuppressWarnings("NullAway.Init") // JUnit sets it
    private Path folder;

    /** Sums without steps until the test ends all of them. */
    private static final class Training {
        final AtomicBoolean enough = new AtomicBoolean();
        final AtomicLong sums = new AtomicLong();

        Void run(AutoDiscoveryBackend trainer) throws Exception {
            trainer.waitForPeers(1, PATIENCE);
            DistributedContext cluster = trainer.context();
            while (true) {
                float[] sum = {enough.get() ? 1 : 0};
                cluster.allReduce(sum, ReduceOp.SUM);
                sums.incrementAndGet();
                if (sum[0] > 0) {
                    return null;
                }
            }
        }
    }

    /** Steps until the test ends two ranks; any error that the next step does not repair ends it. */
    private static final class Stepping {
        final AtomicBoolean enough = new AtomicBoolean();
        final AtomicLong steps = new AtomicLong();
        final CountDownLatch begun = new CountDownLatch(1); // counted down with the first step
        final Queue<String> errors = new ConcurrentLinkedQueue<>();

        Void run(AutoDiscoveryBackend trainer) throws Exception {
            trainer.waitForPeers(1, PATIENCE);
            DistributedContext cluster = trainer.context();
            cluster.share("weights", new float[1_000]);
            CollectiveOptions soon = CollectiveOptions.DEFAULTS.within(DEADLINE);
            while (true) {
                try {
                    cluster.beginStep(soon);
                    float[] sum = {enough.get() ? 1 : 0};
                    cluster.allReduce(sum, ReduceOp.SUM, soon);
                    steps.incrementAndGet();
                    begun.countDown();
                    if (sum[0] == 2) {
                        return null;
                    }
                } catch (ReenterableException mended) {
                    errors.add(String.valueOf(mended.getMessage()));
                }
            }
        }
    }

    /** The views of a node, in any lineage. */
    private static final class Views implements AutoCloseable {
        private record Epochs(long first, long last) {}

        private final HearthNode node;
        private final long beganNanos = System.nanoTime();
        private final Map<String, Epochs> byLineage = new ConcurrentSkipListMap<>(); // written by the watcher
        private final Thread watcher;

        Views(AutoDiscoveryBackend trainer) {
            node = trainer.node();
            note(node.status().view());
            watcher = Thread.ofVirtual().start(this::watch);
        }

        private void watch() {
            try {
                for (long seen = 0; ; ) {
                    seen = node.awaitStatusAfter(seen, status -> note(status.view()));
                }
            } catch (InterruptedException _) {
                Thread.currentThread().interrupt();
            }
        }

        private void note(ClusterStatus.ViewSummary view) {
            byLineage.merge(
                    view.lineage(),
                    new Epochs(view.epoch(), view.epoch()),
                    (known, now) -> new Epochs(known.first(), now.last()));
        }

        /** Number of views since the start; the first one does not count, that of each further lineage does. */
        long count() {
            return byLineage.values().stream()
                            .mapToLong(epochs -> epochs.last() - epochs.first() + 1)
                            .sum()
                    - 1;
        }

        double seconds() {
            return (System.nanoTime() - beganNanos) / 1e9;
        }

        void assertBounded() {
            assertTrue(count() <= VIEWS_A_SECOND_MAX * seconds() + 1, count() + " views in " + seconds() + " s");
        }

        @Override
        public void close() {
            watcher.interrupt();
        }
    }

    private static LyingMember liar(NamespaceKeys keys, List<AutoDiscoveryBackend> trainers, LyingMember.Manner manner)
            throws Exception {
        return new LyingMember(keys, trainers.stream().map(TestNodes::address).toList(), manner, 7);
    }

    private static void assertOnlyTheLiarIsBlamed(List<AutoDiscoveryBackend> trainers, String liar) {
        for (AutoDiscoveryBackend trainer : trainers) {
            assertEquals(Optional.empty(), trainer.node().failure());
            assertEquals(
                    List.of(liar),
                    trainer.status().faults().stream()
                            .map(ClusterStatus.Fault::who)
                            .toList(),
                    "its lies have an owner, and nobody else is blamed for their number");
        }
    }

    @Test
    void theOthersTrainOnWhateverAMemberSays() throws Exception {
        try (ExecutorService threads = Executors.newCachedThreadPool();
                var nodes = new TestNodes(folder)) { // closed before the threads: that ends their calls
            List<AutoDiscoveryBackend> trainers = nodes.trainers(2);
            var training = new Training();
            String liarsName;
            long sumsMeanwhile;
            List<Future<Void>> ends = trainers.stream()
                    .map(trainer -> threads.submit(() -> training.run(trainer)))
                    .toList();
            try (var keys = nodes.keys();
                    LyingMember liar = liar(keys, trainers, LyingMember.Manner.AGENT)) {
                trainers.getFirst().waitForPeers(1, PATIENCE);
                liar.enter(PATIENCE.toNanos());
                long sums = training.sums.get();
                try (var views = new Views(trainers.getFirst())) {
                    liar.lie(LIES);
                    sumsMeanwhile = training.sums.get() - sums;
                    System.out.printf(
                            "%d lies in %.1f s: %d sums, %d views, %d links of the liar ended, faults %s%n",
                            LIES,
                            views.seconds(),
                            sumsMeanwhile,
                            views.count(),
                            liar.linksLost(),
                            trainers.getFirst().status().faults());
                    views.assertBounded();
                }
                assertTrue(liar.linksLost() > 0, "a lie that is no message costs the link");
                liarsName = liar.id().shortText();
            }
            training.enough.set(true);
            for (Future<Void> end : ends) {
                end.get();
            }
            assertTrue(sumsMeanwhile > 0, "no sum was made during the lies");
            trainers.forEach(trainer -> assertEquals(1, trainer.peerCount()));
            assertOnlyTheLiarIsBlamed(trainers, liarsName);
        }
    }

    /** A rank that takes part in no call delays the others: each of their calls ends with an error that a step repairs. */
    @Tag("full")
    @Test
    void whatATrainerSaysOfItsCollectivesEndsNobodyAndHoldsNobodyForEver() throws Exception {
        try (ExecutorService threads = Executors.newCachedThreadPool();
                var nodes = new TestNodes(folder)) { // closed before the threads: that ends their calls
            List<AutoDiscoveryBackend> trainers = nodes.trainers(2);
            var training = new Stepping();
            List<Future<Void>> ends = trainers.stream()
                    .map(trainer -> threads.submit(() -> training.run(trainer)))
                    .toList();
            try (var keys = nodes.keys();
                    LyingMember liar = liar(keys, trainers, LyingMember.Manner.TRAINER)) {
                assertTrue(training.begun.await(PATIENCE.toSeconds(), TimeUnit.SECONDS), "no step without it");
                liar.enter(PATIENCE.toNanos());
                long steps = training.steps.get();
                try (var views = new Views(trainers.getFirst())) {
                    long lies = 0;
                    while (lies < LIES / 4 || (training.errors.isEmpty() && views.seconds() < PATIENCE.toSeconds())) {
                        liar.lie(LIES_AT_ONCE);
                        lies += LIES_AT_ONCE;
                    }
                    System.out.printf(
                            "%d lies of a trainer in %.1f s: %d steps, %d views, errors %s%n",
                            lies, views.seconds(), training.steps.get() - steps, views.count(), training.errors);
                    views.assertBounded();
                }
                assertFalse(training.errors.isEmpty(), "a step that waits for it ends at its deadline");
            }
            training.enough.set(true);
            for (Future<Void> end : ends) {
                end.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            }
            for (AutoDiscoveryBackend trainer : trainers) {
                assertEquals(Optional.empty(), trainer.node().failure());
                assertEquals(List.of(), trainer.status().faults(), "well-formed lies cost no link");
            }
        }
    }

    /** Attack 40. */
    @Tag("full")
    @Test
    void leaveAndStayMakesNoStormOfViewsAndOfWrites() throws Exception {
        try (var recording = new Recording();
                ExecutorService threads = Executors.newCachedThreadPool();
                var nodes = new TestNodes(folder)) {
            recording.enable(FORCING).withThreshold(Duration.ZERO).withoutStackTrace();
            List<AutoDiscoveryBackend> trainers = nodes.trainers(2);
            var training = new Training();
            List<Future<Void>> ends = trainers.stream()
                    .map(trainer -> threads.submit(() -> training.run(trainer)))
                    .toList();
            try (var keys = nodes.keys();
                    LyingMember liar = liar(keys, trainers, LyingMember.Manner.LEAVER)) {
                trainers.getFirst().waitForPeers(1, PATIENCE);
                liar.enter(PATIENCE.toNanos());
                long sums = training.sums.get();
                try (var views = new Views(trainers.getFirst())) {
                    recording.start();
                    liar.lie(LIES / 4);
                    recording.stop();
                    long count = views.count();
                    Map<Path, Long> forcings = forcings(recording);
                    System.out.printf(
                            "%d times Leave in %.1f s: %d sums, %d views, forcings of the disk %s%n",
                            LIES / 4, views.seconds(), training.sums.get() - sums, count, forcings.values());
                    assertTrue(count > 0, "it was heard");
                    views.assertBounded();
                    assertEquals(trainers.size(), forcings.size(), forcings.toString());
                    forcings.values()
                            .forEach(of -> assertTrue(
                                    of <= FORCINGS_OF_A_CHANGE_MAX * (count + 1),
                                    of + " forcings for " + count + " views"));
                }
                assertTrue(training.sums.get() > sums, "no sum was made during the lies");
                assertEquals(3, trainers.getFirst().status().view().members(), "who answers that it stays is kept");
            }
            training.enough.set(true);
            for (Future<Void> end : ends) {
                end.get();
            }
        }
    }

    /** Number of forced writes to each home's disk. */
    private Map<Path, Long> forcings(Recording recording) throws Exception {
        Path file = folder.resolve("forcings.jfr");
        recording.dump(file);
        var byHome = new TreeMap<Path, Long>();
        for (RecordedEvent event : RecordingFile.readAllEvents(file)) {
            if (event.getEventType().getName().equals(FORCING)) {
                Path forced = Path.of(event.getString("path"));
                if (forced.startsWith(folder)) {
                    byHome.merge(folder.relativize(forced).getName(0), 1L, Long::sum);
                }
            }
        }
        return byHome;
    }
}
