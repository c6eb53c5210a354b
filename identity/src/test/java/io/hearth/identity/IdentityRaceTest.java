package io.hearth.identity;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hearth.core.SetupException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** First starts at the same moment, watched by another thread, killed half-way and on a full disk. */
final class IdentityRaceTest {
    private static final int ROUNDS = 100;

    @TempDir
    @SuppressWarnings("NullAway.Init") // JUnit sets it
    private Path folder;

    @Test
    void ofManyThreadsThatStartAtOnceAllUseOneKey() throws Exception {
        int threads = 4;
        var barrier = new CyclicBarrier(threads);
        try (ExecutorService executor = Executors.newFixedThreadPool(threads)) {
            List<Callable<List<PeerId>>> starters = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                starters.add(() -> {
                    var seen = new ArrayList<PeerId>();
                    for (int round = 0; round < ROUNDS; round++) {
                        barrier.await();
                        seen.add(start(folder.resolve("home-" + round)));
                    }
                    return seen;
                });
            }
            assertAllAgree(results(executor.invokeAll(starters)));
        }
    }

    @Test
    void ofTwoProcessesThatStartAtOnceBothUseOneKey() throws Exception {
        try (var one = new Starter();
                var two = new Starter()) {
            List<List<PeerId>> seen = List.of(new ArrayList<>(), new ArrayList<>());
            for (int round = 0; round < ROUNDS; round++) {
                String home = folder.resolve("home-" + round).toString();
                one.send(home);
                two.send(home);
                seen.get(0).add(PeerId.parse(one.answer()));
                seen.get(1).add(PeerId.parse(two.answer()));
            }
            assertAllAgree(seen);
        }
    }

    @Test
    void theKeyIsNeverReadableByOthersAtAnyMoment() throws Exception {
        var done = new AtomicBoolean(); // set by this thread, read by the watcher
        try (ExecutorService executor = Executors.newSingleThreadExecutor()) {
            Future<Set<String>> watcher = executor.submit(() -> modesSeen(done));
            try {
                for (int round = 0; round < ROUNDS; round++) {
                    HearthHome home = HearthHome.open(folder.resolve("home"));
                    IdentityFile file = IdentityFile.in(home);
                    file.loadOrCreate();
                    Files.delete(file.path());
                }
            } finally {
                done.set(true);
            }
            Set<String> modes = watcher.get();
            modes.remove("rwx------ home");
            modes.remove("rw------- key");
            assertEquals(Set.of(), modes);
        }
    }

    @Test
    void aStartThatIsKilledLeavesAWholeKeyOrNone() throws Exception {
        for (int kill = 0; kill < 3; kill++) {
            Path homes = Files.createDirectory(folder.resolve("kill-" + kill));
            try (var starter = new Starter()) {
                for (int round = 0; round < 50; round++) {
                    starter.send(homes.resolve("home-" + round).toString());
                }
                for (int round = 0; round < 5 + 7 * kill; round++) {
                    starter.answer();
                }
            } // closing kills it, at some moment of the rest
            for (int round = 0; round < 50; round++) {
                Path home = homes.resolve("home-" + round);
                assertEquals(start(home), start(home));
            }
        }
    }

    /** The progress of a first start when it was killed; each step runs the product's own code. */
    enum Killed {
        AT_AN_EMPTY_DRAFT,
        AT_HALF_A_DRAFT,
        BEFORE_THE_LINK,
        BEFORE_THE_FOLDERS_SYNC,
        BEFORE_THE_DRAFTS_END;

        /** Leaves the files that such a start leaves. */
        void leave(Path key, byte[] content) throws IOException {
            int written = switch (this) {
                case AT_AN_EMPTY_DRAFT -> 0;
                case AT_HALF_A_DRAFT -> content.length / 2;
                case BEFORE_THE_LINK, BEFORE_THE_FOLDERS_SYNC, BEFORE_THE_DRAFTS_END -> content.length;
            };
            Path draft = DurableFile.draft(key, Arrays.copyOf(content, written));
            if (isPublished()) {
                Files.createLink(key, draft);
            }
            if (this == BEFORE_THE_DRAFTS_END) {
                DurableFile.syncFolder(key);
            }
        }

        boolean isPublished() {
            return compareTo(BEFORE_THE_LINK) > 0;
        }
    }

    @ParameterizedTest
    @EnumSource(Killed.class)
    void whereverAStartIsKilledTheNextOnesUseOneKeyThatIsNeverReplaced(Killed killed) throws Exception {
        Path elsewhere = folder.resolve("elsewhere");
        PeerId itsKey = start(elsewhere);
        byte[] content =
                Files.readAllBytes(IdentityFile.in(HearthHome.open(elsewhere)).path());
        HearthHome home = HearthHome.open(folder.resolve("home"));
        Path key = IdentityFile.in(home).path();
        killed.leave(key, content);

        PeerId first = start(home.folder());
        assertEquals(killed.isPublished(), first.equals(itsKey), "a key that another process may use, and no other");
        byte[] stored = Files.readAllBytes(key);
        for (Killed again : List.of(Killed.AT_HALF_A_DRAFT, Killed.BEFORE_THE_LINK)) {
            again.leave(key, content);
            assertEquals(first, start(home.folder()));
        }
        assertArrayEquals(stored, Files.readAllBytes(key));
        try (var files = Files.list(home.folder())) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                assertEquals("rw-------", mode(file), file::toString);
            }
        }
    }

    @Test
    void onAFullDiskNothingIsLeftBehindAndTheNextStartIsFine() throws Exception {
        Path disk = Files.createDirectory(folder.resolve("disk"));
        String said = MountNamespace.run(
                "mount -t tmpfs -o size=8k tmpfs '%s' && chmod 700 '%s'".formatted(disk, disk), FullDisk.class, disk);
        assertEquals("refused: No space left on device, left [filler, slots]; then made a key\n", said);
    }

    /** Runs as a process of its own, on a disk of two pages. */
    static final class FullDisk {
        private FullDisk() {}

        public static void main(String[] arguments) throws SetupException, IOException {
            HearthHome home = HearthHome.open(Path.of(arguments[0]));
            home.subfolder("slots");
            Path filler = Files.write(home.file("filler"), new byte[8192]);
            String line = "";
            try {
                IdentityFile.in(home).loadOrCreate();
            } catch (SetupException refused) {
                line = String.valueOf(refused.getMessage());
            }
            try (var files = Files.list(home.folder())) {
                System.out.print("refused: "
                        + (line.contains("No space left on device") ? "No space left on device" : line) + ", left "
                        + files.map(path -> String.valueOf(path.getFileName()))
                                .sorted()
                                .toList());
            }
            Files.delete(filler);
            IdentityFile.in(home).loadOrCreate();
            System.out.println("; then made a key");
        }
    }

    static PeerId start(Path home) throws SetupException {
        return IdentityFile.in(HearthHome.open(home)).loadOrCreate().peer();
    }

    /** Each mode seen in the home, with the kind of file. */
    private Set<String> modesSeen(AtomicBoolean done) throws IOException {
        Path home = folder.resolve("home");
        var modes = new HashSet<String>();
        while (!done.get()) {
            try (var files = Files.newDirectoryStream(home)) {
                modes.add(mode(home) + " home");
                for (Path file : files) {
                    modes.add(mode(file) + " key");
                }
            } catch (NoSuchFileException _) {
                // not there yet, or no longer there
            }
        }
        return modes;
    }

    private static String mode(Path path) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(path, LinkOption.NOFOLLOW_LINKS));
    }

    private static void assertAllAgree(List<List<PeerId>> seen) {
        for (int round = 0; round < ROUNDS; round++) {
            var distinct = new HashSet<PeerId>();
            for (List<PeerId> starter : seen) {
                distinct.add(starter.get(round));
            }
            assertEquals(1, distinct.size(), "identities used in round " + round);
        }
        assertEquals(ROUNDS, new HashSet<>(seen.getFirst()).size());
    }

    private static List<List<PeerId>> results(List<Future<List<PeerId>>> futures)
            throws InterruptedException, ExecutionException {
        List<List<PeerId>> results = new ArrayList<>();
        for (Future<List<PeerId>> future : futures) {
            results.add(future.get());
        }
        return results;
    }
}
