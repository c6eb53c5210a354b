package io.hearth.cli.chaos;

import io.hearth.cli.chaos.plan.ChaosEvent;
import io.hearth.core.ChildProcess;
import io.hearth.core.SetupException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;

/** The workers of a chaos run, one process on each host: started, listened to, told to stop, stopped, killed. */
final class ChaosWorkers implements AutoCloseable {
    /** What a worker said, or that it ended by itself. */
    sealed interface Said {
        int host();

        record Told(int host, ChaosEvent event) implements Said {}

        record Ended(int host, int exitCode, String lastWords) implements Said {}
    }

    private static final int LAST_WORDS_MAX = 500;
    private static final long DEATH_SECONDS_MAX = 10;

    /** A process and whether it was ended on purpose. */
    private static final class Worker {
        private final Process process;
        private final Thread reader;
        private volatile boolean isUnwanted; // written by the driver, read by the reader

        Worker(Process process, BlockingQueue<Said> said, int host, Path log, Writer transcript) {
            this.process = process;
            this.reader =
                    Thread.ofVirtual().name("chaos-reader-" + host).start(() -> listen(said, host, log, transcript));
        }

        private void listen(BlockingQueue<Said> said, int host, Path log, Writer transcript) {
            try {
                readLines(said, host, transcript);
                int code = process.waitFor();
                if (!isUnwanted) {
                    said.put(new Said.Ended(host, code, lastWords(log)));
                }
            } catch (InterruptedException stop) {
                Thread.currentThread().interrupt();
            }
        }

        private void readLines(BlockingQueue<Said> said, int host, Writer transcript) throws InterruptedException {
            try (transcript;
                    var lines = new BufferedReader(
                            new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
                for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                    transcript.append(line).append('\n');
                    Optional<ChaosEvent> event = ChaosEvent.parse(line);
                    if (event.isPresent() && !isUnwanted) {
                        said.put(new Said.Told(host, event.get()));
                    }
                }
            } catch (IOException closed) {
                return; // as good as its end: the exit code follows
            }
        }

        private static String lastWords(Path log) {
            try {
                List<String> lines = Files.readAllLines(log, StandardCharsets.UTF_8);
                String last = lines.isEmpty() ? "" : lines.getLast();
                return last.substring(0, Math.min(last.length(), LAST_WORDS_MAX));
            } catch (IOException none) {
                return "";
            }
        }
    }

    private final ChaosLab lab;
    private final List<String> command;
    private final Path logs;
    private final BlockingQueue<Said> said;
    private final Map<Integer, Worker> workers = new TreeMap<>();

    /**
     * Starts nobody yet.
     *
     * @param command of every worker, to which the number of its host and of those to wait for is added
     * @param logs folder for what they write
     * @param said receives what they tell; must take it faster than it comes
     */
    ChaosWorkers(ChaosLab lab, List<String> command, Path logs, BlockingQueue<Said> said) {
        this.lab = lab;
        this.command = List.copyOf(command);
        this.logs = logs;
        this.said = said;
    }

    /**
     * Starts a worker that is not running.
     *
     * @param host its number, which it tells with its sums
     * @param machine the lab's host on which it runs
     * @param peers others that it waits for
     * @param flags of Java for this worker alone
     */
    void start(int host, int machine, Path home, int peers, List<String> flags) throws SetupException {
        var whole = new ArrayList<>(command);
        whole.addAll(1, flags);
        whole.addAll(List.of("--host", "" + host, "--peers", "" + peers));
        var builder = ChildProcess.of(lab.on(machine, whole));
        builder.environment().put("HEARTH_HOME", home.toString());
        builder.environment().remove("HEARTH_SECRET");
        builder.environment().remove("HEARTH_SECRET_FILE");
        Path log = logs.resolve("host-" + host + ".log");
        try {
            builder.redirectError(ProcessBuilder.Redirect.appendTo(log.toFile()));
            Writer transcript = Files.newBufferedWriter(
                    logs.resolve("host-" + host + ".out"), StandardOpenOption.CREATE, StandardOpenOption.APPEND);
            workers.put(host, new Worker(builder.start(), said, host, log, transcript));
        } catch (IOException failed) {
            throw new SetupException("cannot start the worker of host " + host + ": " + failed.getMessage(), failed);
        }
    }

    boolean isRunning(int host) {
        return workers.containsKey(host);
    }

    /** SIGKILL, and waits until it is gone. */
    void kill(int host) throws InterruptedException {
        Worker worker = workers.remove(host);
        if (worker != null) {
            worker.isUnwanted = true;
            worker.process.destroyForcibly();
            if (!worker.process.waitFor(DEATH_SECONDS_MAX, TimeUnit.SECONDS)) {
                throw new IllegalStateException("process " + worker.process.pid() + " outlived SIGKILL for "
                        + DEATH_SECONDS_MAX + " s: see what the kernel says of it");
            }
            worker.reader.interrupt(); // it may wait for room that nobody makes
            worker.reader.join();
        }
    }

    /** Sends a signal by name, such as STOP; a worker that is gone gets none. */
    void signal(int host, String name) throws SetupException, InterruptedException {
        Worker worker = workers.get(host);
        if (worker == null) {
            return;
        }
        try {
            ChildProcess.of("kill", "-s", name, "" + worker.process.pid())
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start()
                    .waitFor();
        } catch (IOException failed) {
            throw new SetupException("cannot run kill: " + failed.getMessage() + "; install procps", failed);
        }
    }

    /** Tells all to end after a step that all end after. */
    void tellToStop() {
        for (Worker worker : workers.values()) {
            try {
                worker.process.getOutputStream().write("stop\n".getBytes(StandardCharsets.UTF_8));
                worker.process.getOutputStream().flush();
            } catch (IOException _) {
                // it is gone: its reader tells
            }
        }
    }

    /** Forgets a worker that ended by itself. */
    void forget(int host) {
        workers.remove(host);
    }

    void killAll() throws InterruptedException {
        for (Worker worker : workers.values()) {
            worker.isUnwanted = true;
            worker.process.destroyForcibly();
        }
        for (int host : List.copyOf(workers.keySet())) {
            kill(host);
        }
    }

    /** Also for a thread that is interrupted. */
    @Override
    public void close() {
        boolean interrupted = Thread.interrupted();
        try {
            killAll();
        } catch (InterruptedException again) {
            interrupted = true;
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
