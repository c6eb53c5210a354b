package io.hearth.agent.votes;

import io.hearth.core.Clock;
import io.hearth.core.SetupException;
import io.hearth.election.Ballot;
import io.hearth.election.Lineage;
import io.hearth.election.Member;
import io.hearth.election.Role;
import io.hearth.election.View;
import io.hearth.election.vote.VoterTask;
import io.hearth.identity.NodeId;
import io.hearth.identity.PeerId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;

/** Lineages, views and ballots of two machines, for tests. */
final class VoteWorld {
    static final NodeId SELF = node(1);
    static final NodeId OTHER = node(2);
    static final PeerId MACHINE = SELF.peer();
    static final long SEAT = 7_000_000_000_000_000_001L;
    static final Optional<String> COMPUTER = Optional.of("0123456789abcdef".repeat(4));
    static final Duration PATIENCE = Duration.ofSeconds(30);
    static final Duration IMPATIENCE = Duration.ofMillis(150);

    private VoteWorld() {}

    /** A clock that a test sets, including its monotonic time. */
    static final class SetClock implements Clock {
        private final AtomicLong millis = new AtomicLong(1_763_000_000_000L); // any thread reads

        void add(Duration time) {
            millis.addAndGet(time.toMillis());
        }

        @Override
        public long nanoTime() {
            return millis.get() * 1_000_000;
        }

        @Override
        public long epochMillis() {
            return millis.get();
        }
    }

    static NodeId node(int number) {
        byte[] key = new byte[32];
        key[0] = (byte) number;
        return new NodeId(PeerId.of(key), NodeId.AGENT);
    }

    static Lineage lineage(int counter) {
        return new Lineage(false, 1_763_000_000_000L, SELF, 5, counter);
    }

    /** A view of both machines. */
    static View view(int counter, long epoch) {
        return view(counter, epoch, 9);
    }

    /** A view of both machines, with the given incarnation of the other one. */
    static View view(int counter, long epoch, long incarnation) {
        return new View(
                lineage(counter),
                epoch,
                List.of(
                        new Member(SELF, 5, 1, Role.AGENT, "", SEAT),
                        new Member(OTHER, incarnation, 1, Role.AGENT, "", 3)),
                List.of());
    }

    /** A view of this machine alone. */
    static View lone(int counter) {
        return new View(lineage(counter), 1, List.of(new Member(SELF, 5, 1, Role.AGENT, "", SEAT)), List.of());
    }

    static VoterTask found(int counter) {
        return new VoterTask.Found(view(counter, 1));
    }

    static Ballot ballot(long round) {
        return new Ballot(round, OTHER);
    }

    static VoterTask promise(int counter, long round) {
        return new VoterTask.Promise(view(counter, 1), ballot(round));
    }

    static VoterTask accept(int counter, long round) {
        return new VoterTask.Accept(view(counter, 1), ballot(round), view(counter, 2));
    }

    static VoteFolder open(Path folder) throws SetupException {
        return open(folder, RecordWriter.DURABLE);
    }

    static VoteFolder open(Path folder, RecordWriter writer) throws SetupException {
        return VoteFolder.open(folder, MACHINE, COMPUTER, Clock.system(), PATIENCE, writer);
    }

    static VoteFolder open(Path folder, Clock clock) throws SetupException {
        return VoteFolder.open(folder, MACHINE, COMPUTER, clock, PATIENCE, RecordWriter.DURABLE);
    }

    /** All files and folders in a folder, by name. */
    static List<Path> files(Path folder) throws IOException {
        try (var entries = Files.list(folder)) {
            return entries.sorted().toList();
        }
    }

    static List<Path> records(Path folder) throws IOException {
        return files(folder).stream()
                .filter(file -> file.toString().endsWith(".record"))
                .toList();
    }

    /** Runs a program of the system; its exit code. */
    static int run(String... command) throws IOException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        process.getInputStream().readAllBytes();
        return process.onExit().join().exitValue();
    }

    /** The command for a Java process with the tests' class path. */
    static List<String> java(Class<?> main, String... arguments) {
        var command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Xmx128m",
                "-cp",
                System.getProperty("java.class.path"),
                main.getName()));
        command.addAll(List.of(arguments));
        return command;
    }
}
