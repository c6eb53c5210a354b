package io.hearth.agent.votes;

import io.hearth.core.Clock;
import io.hearth.core.SetupException;
import io.hearth.election.Ballot;
import io.hearth.election.Proposal;
import io.hearth.election.vote.VoterAnswer;
import io.hearth.election.vote.VoterTask;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Another process of the same home. It reads commands in lines: {@code hold} and {@code release} the lock, {@code try} it, or {@code vote
 * SEED}: cast many votes of several threads at once, and print each.
 */
final class VoteProcess implements AutoCloseable {
    private static final int THREADS = 3;
    private static final int VOTES = 60;

    /** Number of ballots that are open at the same time, so that equal and lower ones meet. */
    private static final int ROUNDS = 5;

    private final Process process;
    private final BufferedWriter in;
    private final BufferedReader out;

    VoteProcess(Path folder) throws IOException {
        process = new ProcessBuilder(VoteWorld.java(VoteProcess.class, folder.toString()))
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        in = process.outputWriter(StandardCharsets.UTF_8);
        out = process.inputReader(StandardCharsets.UTF_8);
    }

    /** A vote, positive or not, and when it was cast. */
    record Cast(long startNanos, long endNanos, long round, String kind, long acceptedRound, long view) {
        static Cast parse(String line) {
            String[] parts = line.split(" ", -1);
            return new Cast(
                    Long.parseLong(parts[0]),
                    Long.parseLong(parts[1]),
                    Long.parseLong(parts[2]),
                    parts[3],
                    Long.parseLong(parts[4]),
                    Long.parseLong(parts[5]));
        }

        String line() {
            return startNanos + " " + endNanos + " " + round + " " + kind + " " + acceptedRound + " " + view;
        }
    }

    /** Sends it a line and waits for its answer. */
    String ask(String what) throws IOException {
        tell(what);
        return String.valueOf(out.readLine());
    }

    void tell(String what) throws IOException {
        in.write(what + "\n");
        in.flush();
    }

    /** The votes that {@code vote} cast. */
    List<Cast> votes() throws IOException {
        var casts = new ArrayList<Cast>();
        for (String line = String.valueOf(out.readLine());
                !line.equals("done");
                line = String.valueOf(out.readLine())) {
            casts.add(Cast.parse(line));
        }
        return casts;
    }

    /** Sends it a signal. */
    void signal(String name) throws IOException {
        if (VoteWorld.run("kill", "-" + name, Long.toString(process.pid())) != 0) {
            throw new IOException("kill -" + name + " failed");
        }
    }

    /** As {@code kill -9} does. */
    void kill() {
        process.destroyForcibly().onExit().join();
    }

    @Override
    public void close() {
        kill();
    }

    public static void main(String[] arguments) throws Exception {
        Path folder = Path.of(arguments[0]);
        FolderLock lock = FolderLock.of(folder);
        FolderLock.@Nullable Held held = null;
        var orders = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String order = orders.readLine(); order != null; order = orders.readLine()) {
            String[] words = order.split(" ", -1);
            switch (words[0]) {
                case "hold" -> {
                    held = lock.acquire(VoteWorld.PATIENCE).orElseThrow();
                    System.out.println("held");
                }
                case "release" -> {
                    if (held != null) {
                        held.close();
                    }
                    System.out.println("released");
                }
                case "try" -> {
                    Optional<FolderLock.Held> now = lock.acquire(Duration.ZERO);
                    now.ifPresent(FolderLock.Held::close);
                    System.out.println(now.isPresent() ? "free" : "taken");
                }
                default -> {
                    vote(folder, Long.parseLong(words[1])).forEach(cast -> System.out.println(cast.line()));
                    System.out.println("done");
                }
            }
        }
    }

    /** Casts votes about one view with rising rounds, on threads with one folder each. */
    static List<Cast> vote(Path folder, long seed) throws InterruptedException, ExecutionException {
        var voters = Stream.iterate(0, number -> number + 1)
                .limit(THREADS)
                .<Callable<List<Cast>>>map(number -> () -> vote(folder, new Random(seed * THREADS + number)))
                .toList();
        var casts = new ArrayList<Cast>();
        try (var threads = Executors.newFixedThreadPool(THREADS)) {
            for (Future<List<Cast>> voter : threads.invokeAll(voters)) {
                casts.addAll(voter.get());
            }
        }
        return casts;
    }

    private static List<Cast> vote(Path folder, Random random) throws SetupException {
        var casts = new ArrayList<Cast>();
        try (VoteFolder votes = VoteFolder.open(
                folder,
                VoteWorld.MACHINE,
                VoteWorld.COMPUTER,
                Clock.system(),
                VoteWorld.PATIENCE,
                RecordWriter.DURABLE)) {
            for (int vote = 0; vote < VOTES; vote++) {
                long round = 1L + vote + random.nextInt(ROUNDS);
                long incarnation = 1L + random.nextInt(1_000_000);
                boolean accepts = random.nextBoolean();
                VoterTask task = accepts
                        ? new VoterTask.Accept(
                                VoteWorld.view(0, 1), VoteWorld.ballot(round), VoteWorld.view(0, 2, incarnation))
                        : VoteWorld.promise(0, round);
                long start = System.nanoTime();
                VoterAnswer answer = votes.carryOut(task);
                casts.add(cast(start, System.nanoTime(), round, incarnation, answer));
            }
        }
        return casts;
    }

    private static Cast cast(long start, long end, long round, long incarnation, VoterAnswer answer) {
        return switch (answer) {
            case VoterAnswer.Promised(Optional<Proposal> accepted) ->
                new Cast(
                        start,
                        end,
                        round,
                        "promised",
                        accepted.map(Proposal::ballot).map(Ballot::round).orElse(0L),
                        accepted.map(proposal ->
                                        proposal.view().members().getLast().incarnation())
                                .orElse(0L));
            case VoterAnswer.Accepted() -> new Cast(start, end, round, "accepted", round, incarnation);
            default -> new Cast(start, end, round, answer.getClass().getSimpleName(), 0, 0);
        };
    }
}
