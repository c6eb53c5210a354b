package io.hearth.bench;

import io.hearth.agent.ChromeTrace;
import io.hearth.core.HearthException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * Times all-reduce among several processes, on loopback or in a lab, and joins their measurements.
 *
 * <p>Each rank is a process of its own that uses the protocol of {@code lab/peers}, so the results can be compared with those of other programs. Every rank verifies every sum.
 */
public final class AllReduceBench {
    /** Largest number of ranks. */
    public static final int RANKS_MAX = 16;

    private static final int LINES_MAX = 10_000;

    /** Starts the process of a rank. */
    public interface RankLauncher {
        /**
         * Starts this program again, on the host of that rank.
         *
         * @param arguments of the command line
         * @return the process, with its standard output as a pipe
         */
        Process launch(int rank, List<String> arguments) throws IOException;
    }

    private final RankLauncher launcher;

    public AllReduceBench(RankLauncher launcher) {
        this.launcher = launcher;
    }

    /**
     * Runs all sizes.
     *
     * @param each receives the lines in order of size, when all ranks have ended
     * @throws HearthException a rank failed or was late, and all ranks were ended; or the trace could not be written
     */
    public void run(BenchPlan plan, Consumer<BenchLine> each) throws HearthException, InterruptedException {
        long deadlineNanos = System.nanoTime() + plan.timeout().toNanos();
        var running = new ArrayList<Process>();
        try {
            var lines = new ConcurrentLinkedQueue<String>();
            var readers = new ArrayList<Thread>();
            for (int rank = 0; rank < plan.place().ranks(); rank++) {
                Process process = start(plan, rank);
                running.add(process);
                readers.add(Thread.ofVirtual().start(() -> readLines(process, lines)));
            }
            awaitAll(running, deadlineNanos);
            for (Thread reader : readers) {
                reader.join();
            }
            join(plan, lines.stream().map(RankTimes::parse).toList()).forEach(each);
            if (plan.trace().isPresent()) {
                writeTrace(plan, plan.trace().get());
            }
        } finally {
            running.forEach(Process::destroyForcibly);
        }
    }

    private Process start(BenchPlan plan, int rank) throws HearthException {
        try {
            return launcher.launch(rank, plan.arguments(rank));
        } catch (IOException failed) {
            throw new HearthException("cannot start rank " + rank + ": " + failed.getMessage(), failed);
        }
    }

    private static void writeTrace(BenchPlan plan, Path whole) throws HearthException {
        try {
            ChromeTrace.merge(plan.traceParts(), whole);
            for (Path part : plan.traceParts()) {
                Files.delete(part);
            }
        } catch (IOException failed) {
            throw new HearthException(
                    "cannot write the trace to " + whole + ": " + failed + "; name a file in a folder of yours",
                    failed);
        }
    }

    private static void readLines(Process rank, ConcurrentLinkedQueue<String> lines) {
        try (var output = new BufferedReader(new InputStreamReader(rank.getInputStream(), StandardCharsets.UTF_8))) {
            for (String line = output.readLine(); line != null; line = output.readLine()) {
                if (line.startsWith("{") && lines.size() < LINES_MAX) {
                    lines.add(line);
                }
            }
        } catch (IOException ended) {
            // the process ended; its exit code says why
            return;
        }
    }

    private static void awaitAll(List<Process> running, long deadlineNanos)
            throws HearthException, InterruptedException {
        for (int rank = 0; rank < running.size(); rank++) {
            Process process = running.get(rank);
            if (!process.waitFor(Math.max(0, deadlineNanos - System.nanoTime()), TimeUnit.NANOSECONDS)) {
                throw new HearthException(
                        "rank " + rank + " did not end in time; set fewer sizes or a longer --timeout");
            }
            if (process.exitValue() != 0) {
                throw new HearthException(
                        "rank " + rank + " ended with exit code " + process.exitValue() + "; its message is above");
            }
        }
    }

    /** The lines of all sizes, from the measurements of all ranks. */
    static List<BenchLine> join(BenchPlan plan, List<RankTimes> all) throws HearthException {
        int ranks = plan.place().ranks();
        SortedMap<Long, List<RankTimes>> bySize =
                new TreeMap<>(all.stream().collect(Collectors.groupingBy(RankTimes::bytes)));
        var lines = new ArrayList<BenchLine>();
        Map<Long, Integer> wanted =
                plan.sizes().stream().collect(Collectors.toMap(SizeSpec::bytes, SizeSpec::iterations));
        for (Map.Entry<Long, Integer> size : new TreeMap<>(wanted).entrySet()) {
            List<RankTimes> times = bySize.getOrDefault(size.getKey(), List.of());
            long complete = times.stream()
                    .filter(rank -> rank.seconds().size() == size.getValue())
                    .map(RankTimes::rank)
                    .distinct()
                    .count();
            if (complete != ranks || times.size() != ranks) {
                throw new HearthException(size.getKey() + " bytes: " + complete + " of " + ranks
                        + " ranks reported all their times; run it again");
            }
            lines.add(BenchLine.of(plan, times));
        }
        return lines;
    }
}
