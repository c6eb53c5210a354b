package io.hearth.cli.demo;

import io.hearth.cli.node.NodeReport;
import io.hearth.cli.process.RunFolder;
import io.hearth.cli.process.SelfProcess;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;

/** The processes of the demo's nodes: starts them, reads their reports, sends them addresses, kills them and removes their files. */
public final class DemoNodes implements AutoCloseable {
    /** A report of a node, or the end of its process. */
    sealed interface Said {
        record Report(int node, NodeReport report) implements Said {}

        record Ended(int node, int exitCode, String lastWords) implements Said {}
    }

    private static final int LAST_WORDS_MAX = 2_000;

    private final Path folder;
    private final List<Process> processes = new ArrayList<>();
    private final List<Thread> readers = new ArrayList<>();
    private final Thread onExit = new Thread(this::cleanUp, "demo-cleanup");

    private DemoNodes(Path folder) {
        this.folder = folder;
    }

    /**
     * Starts one process for each home.
     *
     * @param homes one prepared home folder for each node, inside {@code folder}, which is removed at the end
     * @param firstFlags more flags of Java for the first node
     * @param arguments of every node
     * @param said receives all reports; the caller must take them faster than they come
     */
    static DemoNodes start(
            Path folder, List<Path> homes, List<String> firstFlags, List<String> arguments, BlockingQueue<Said> said)
            throws IOException {
        var nodes = new DemoNodes(folder);
        Runtime.getRuntime().addShutdownHook(nodes.onExit);
        try {
            for (Path home : homes) {
                nodes.start(home, nodes.processes.isEmpty() ? firstFlags : List.of(), arguments, said);
            }
        } catch (IOException failed) {
            nodes.close();
            throw failed;
        }
        return nodes;
    }

    private void start(Path home, List<String> flags, List<String> arguments, BlockingQueue<Said> said)
            throws IOException {
        int node = processes.size();
        ProcessBuilder builder = SelfProcess.of(flags, arguments);
        builder.environment().put("HEARTH_HOME", home.toString());
        builder.environment().remove("HEARTH_SECRET");
        builder.environment().remove("HEARTH_SECRET_FILE");
        Path log = home.resolve("log.txt");
        builder.redirectError(log.toFile());
        Process process = builder.start();
        processes.add(process);
        readers.add(Thread.ofVirtual().name("demo-reader-" + node).start(() -> listen(node, process, log, said)));
    }

    private static void listen(int node, Process process, Path log, BlockingQueue<Said> said) {
        try {
            try (var output =
                    new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
                for (String line = output.readLine(); line != null; line = output.readLine()) {
                    var report = NodeReport.parse(line);
                    if (report.isPresent()) {
                        said.put(new Said.Report(node, report.get()));
                    }
                }
            } catch (IOException streamClosed) {
                // the process ends: its exit code follows
            }
            said.put(new Said.Ended(node, process.waitFor(), SelfProcess.lastLine(log, LAST_WORDS_MAX)));
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
        }
    }

    /** Sends a node an address to try besides mDNS. */
    void tellPeer(int node, String address) {
        try {
            OutputStream input = processes.get(node).getOutputStream();
            input.write(("peer " + address + "\n").getBytes(StandardCharsets.UTF_8));
            input.flush();
        } catch (IOException gone) {
            return; // its reader reports its end
        }
    }

    /** Sends SIGKILL: the node cannot leave the cluster or close its sockets. */
    void kill(int node) {
        processes.get(node).destroyForcibly();
    }

    /** Waits until the process of a node has ended by itself. {@link #close} kills it instead. */
    void awaitEnd(int node, Duration timeout) throws InterruptedException {
        var _ = processes.get(node).waitFor(timeout.toMillis(), TimeUnit.MILLISECONDS);
    }

    long pid(int node) {
        return processes.get(node).pid();
    }

    @Override
    public void close() {
        endAll();
        try {
            for (Thread reader : readers) {
                reader.interrupt();
                reader.join();
            }
        } catch (InterruptedException impatient) {
            Thread.currentThread().interrupt();
        }
        try {
            Runtime.getRuntime().removeShutdownHook(onExit);
        } catch (IllegalStateException alreadyExiting) {
            return; // the hook itself is cleaning up
        }
    }

    /** Runs also when the demo is interrupted, so that no node and no secret stays behind. */
    private void cleanUp() {
        endAll();
        RunFolder.remove(folder);
    }

    private void endAll() {
        processes.forEach(Process::destroyForcibly);
        try {
            for (Process process : processes) {
                if (!process.waitFor(5, TimeUnit.SECONDS)) {
                    process.destroyForcibly();
                }
            }
        } catch (InterruptedException impatient) {
            Thread.currentThread().interrupt();
        }
    }
}
