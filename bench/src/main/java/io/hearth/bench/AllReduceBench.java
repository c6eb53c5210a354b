package io.hearth.bench;

import io.hearth.core.HearthException;
import io.hearth.transport.DataTransport;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
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
 * Times all-reduce among several processes of this machine and joins what they measured.
 *
 * <p>Each rank is a process of its own that speaks the ranks' protocol of {@code lab/peers}, so the figures stand beside those
 * of other programs. Every sum is verified by every rank.
 */
public final class AllReduceBench {
    /** Most ranks on one machine. */
    public static final int RANKS_MAX = 16;

    private static final int LINES_MAX = 10_000;

    /** How a rank's process is started. */
    public interface RankLauncher {
        /**
         * Starts this program again.
         *
         * @param arguments of its command line
         * @return the process, its standard output a pipe
         */
        Process launch(List<String> arguments) throws IOException;
    }

    private final RankLauncher launcher;

    public AllReduceBench(RankLauncher launcher) {
        this.launcher = launcher;
    }

    /**
     * Runs all sizes on loopback.
     *
     * @param ranks 2 to {@link #RANKS_MAX}
     * @param transport how data travels between the ranks
     * @param patience for the whole run
     * @param each is given a line as soon as all figures are there, in order of size
     * @throws HearthException a rank failed or was late; all ranks are ended
     */
    public void run(
            int ranks, List<SizeSpec> sizes, DataTransport transport, Duration patience, Consumer<BenchLine> each)
            throws HearthException, InterruptedException {
        if (ranks < 2 || ranks > RANKS_MAX) {
            throw new IllegalArgumentException("ranks must be 2 to " + RANKS_MAX + ", got " + ranks);
        }
        long deadlineNanos = System.nanoTime() + patience.toNanos();
        var running = new ArrayList<Process>();
        try {
            var lines = new ConcurrentLinkedQueue<String>();
            var readers = new ArrayList<Thread>();
            for (List<String> arguments : commandLines(ranks, sizes, transport)) {
                Process rank = launcher.launch(arguments);
                running.add(rank);
                readers.add(Thread.ofVirtual().start(() -> readLines(rank, lines)));
            }
            awaitAll(running, deadlineNanos);
            for (Thread reader : readers) {
                reader.join();
            }
            join(ranks, sizes, lines.stream().map(RankTimes::parse).toList()).forEach(each);
        } catch (IOException failed) {
            throw new HearthException("cannot start a rank: " + failed.getMessage(), failed);
        } finally {
            running.forEach(Process::destroyForcibly);
        }
    }

    private static List<List<String>> commandLines(int ranks, List<SizeSpec> sizes, DataTransport transport)
            throws IOException {
        String peers =
                freePorts(ranks).stream().map(port -> "127.0.0.1:" + port).collect(Collectors.joining(","));
        String sizeList = sizes.stream()
                .map(size -> size.bytes() + ":" + size.iterations())
                .collect(Collectors.joining(","));
        var all = new ArrayList<List<String>>();
        for (int rank = 0; rank < ranks; rank++) {
            all.add(List.of(
                    "bench",
                    "rank",
                    "--rank",
                    "" + rank,
                    "--peers",
                    peers,
                    "--sizes",
                    sizeList,
                    "--iface",
                    "lo",
                    "--transport",
                    transport.text()));
        }
        return all;
    }

    /** Ports that were free a moment ago; the ranks' list of addresses must be known before the first one starts. */
    private static List<Integer> freePorts(int count) throws IOException {
        var held = new ArrayList<ServerSocket>();
        try {
            for (int i = 0; i < count; i++) {
                held.add(new ServerSocket(0, 1, InetAddress.getLoopbackAddress()));
            }
            return held.stream().map(ServerSocket::getLocalPort).toList();
        } finally {
            for (ServerSocket socket : held) {
                socket.close();
            }
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
            // the process was ended; its exit code tells the story
            return;
        }
    }

    private static void awaitAll(List<Process> running, long deadlineNanos)
            throws HearthException, InterruptedException {
        for (int rank = 0; rank < running.size(); rank++) {
            Process process = running.get(rank);
            if (!process.waitFor(Math.max(0, deadlineNanos - System.nanoTime()), TimeUnit.NANOSECONDS)) {
                throw new HearthException("rank " + rank + " was not done in time; give fewer sizes or more --timeout");
            }
            if (process.exitValue() != 0) {
                throw new HearthException(
                        "rank " + rank + " ended with exit code " + process.exitValue() + "; its message stands above");
            }
        }
    }

    private static List<BenchLine> join(int ranks, List<SizeSpec> sizes, List<RankTimes> all) throws HearthException {
        SortedMap<Long, List<RankTimes>> bySize =
                new TreeMap<>(all.stream().collect(Collectors.groupingBy(RankTimes::bytes)));
        var lines = new ArrayList<BenchLine>();
        Map<Long, Integer> wanted = sizes.stream().collect(Collectors.toMap(SizeSpec::bytes, SizeSpec::iterations));
        for (Map.Entry<Long, Integer> size : new TreeMap<>(wanted).entrySet()) {
            List<RankTimes> times = bySize.getOrDefault(size.getKey(), List.of());
            long complete = times.stream()
                    .filter(rank -> rank.seconds().size() == size.getValue())
                    .map(RankTimes::rank)
                    .distinct()
                    .count();
            if (complete != ranks || times.size() != ranks) {
                throw new HearthException(size.getKey() + " bytes: " + complete + " of " + ranks
                        + " ranks told all their times; run it again");
            }
            lines.add(BenchLine.of("loopback", times));
        }
        return lines;
    }
}
