package io.hearth.cli.chaos;

import io.hearth.cli.chaos.plan.ChaosEvent;
import io.hearth.cli.process.LabNetwork;
import io.hearth.cli.process.SelfProcess;
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

/** The worker processes of a chaos run: starts them, reads their events, stops them, signals them and kills them. */
final class ChaosWorkers implements AutoCloseable {
    /** An event of a worker, or its end, unless this class ended it. */
    sealed interface Said {
        int host();

        record Told(int host, ChaosEvent event) implements Said {}

        record Ended(int host, int exitCode, String lastWords) implements Said {}
    }

    private static final int LAST_WORDS_MAX = 500;
    private static final long DEATH_SECONDS_MAX = 10;

    /** A worker process. */
    private static final class Worker {
        private final Process process;
        private final Thread reader;
        private volatile boolean
                isUnwanted; // true before this class kills it; written by the driver, read by the reader

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
                    said.put(new Said.Ended(host, code, SelfProcess.lastLine(log, LAST_WORDS_MAX)));
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
                return; // the process ends: its exit code follows
            }
        }
    }

    private final LabNetwork lab;
    private final List<String> command;
    private final Path logs;
    private final BlockingQueue<Said> said;
    private final Map<Integer, Worker> workers = new TreeMap<>();

    /**
     * Starts no worker yet.
     *
     * @param command of every worker; each start adds the number of its host and the number of workers to wait for
     * @param logs folder for their output
     * @param said receives their events; the caller must take them faster than they come
     */
    ChaosWorkers(LabNetwork lab, List<String> command, Path logs, BlockingQueue<Said> said) {
        this.lab = lab;
        this.command = List.copyOf(command);
        this.logs = logs;
        this.said = said;
    }

    /**
     * Starts a worker that is not running.
     *
     * @param host its number; its sums contain it
     * @param machine the host of the lab on which it runs
     * @param peers number of other workers that it waits for
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

    /** Sends SIGKILL and waits until the process is gone. */
    void kill(int host) throws InterruptedException {
        Worker worker = workers.remove(host);
        if (worker != null) {
            worker.isUnwanted = true;
            worker.process.destroyForcibly();
            if (!worker.process.waitFor(DEATH_SECONDS_MAX, TimeUnit.SECONDS)) {
                throw new IllegalStateException("process " + worker.process.pid() + " outlived SIGKILL for "
                        + DEATH_SECONDS_MAX + " s: see the log of the kernel");
            }
            worker.reader.interrupt(); // it may wait for room in the queue, which this thread does not make
            worker.reader.join();
        }
    }

    /** Sends a signal by name, such as STOP. If the worker is gone, it does nothing. */
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

    /** Asks all workers to stop. They end after the same step. */
    void tellToStop() {
        for (Worker worker : workers.values()) {
            try {
                worker.process.getOutputStream().write("stop\n".getBytes(StandardCharsets.UTF_8));
                worker.process.getOutputStream().flush();
            } catch (IOException _) {
                // the worker is gone: its reader reports it
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

    /** Kills all workers, even if this thread is interrupted. */
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
