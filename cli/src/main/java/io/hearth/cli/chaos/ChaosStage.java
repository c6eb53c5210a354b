package io.hearth.cli.chaos;

import io.hearth.accel.EngineName;
import io.hearth.cli.chaos.plan.ChaosEvent;
import io.hearth.cli.chaos.plan.ChaosKind;
import io.hearth.cli.process.DemoHomes;
import io.hearth.cli.process.LabNetwork;
import io.hearth.cli.process.RunFolder;
import io.hearth.cli.process.SelfProcess;
import io.hearth.cli.terminal.Exit;
import io.hearth.core.HearthException;
import io.hearth.core.SetupException;
import io.hearth.identity.NetworkNamespace;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * The stage of a chaos run: a lab, its workers with their homes, and the faults. Closing it removes all of them. Opening one removes what killed runs left behind.
 */
final class ChaosStage implements AutoCloseable {
    /** Receives the events of the workers. */
    @FunctionalInterface
    interface Listener {
        void note(int host, ChaosEvent event);
    }

    /**
     * The machines of the workers, and their permanent faults.
     *
     * @param isOneMachine whether all workers share one machine and one home
     * @param slow the host with a slow disk; none if empty
     */
    record Setting(boolean isOneMachine, OptionalInt slow) {
        /** A machine for each worker, without permanent faults. */
        static final Setting USUAL = new Setting(false, OptionalInt.empty());
    }

    private static final String SLOW_DISK = "-Dhearth.fault.fsyncMillis=700"; // as an SD card or a busy disk has
    private static final int TOLD_MAX = 100_000;
    private static final String KIND = "chaos";
    private static final List<String> FLAGS_OF_SUMS = List.of(
            "--enable-native-access=ALL-UNNAMED",
            "-XX:+UseCompactObjectHeaders",
            "-XX:+UseSerialGC",
            "--add-modules=jdk.incubator.vector",
            "-Xmx1g");

    private final int hosts;
    private final Setting setting;
    private final RunFolder folder;
    private final LabNetwork lab;
    private final ChaosWorkers workers;
    private final BlockingQueue<ChaosWorkers.Said> said = new ArrayBlockingQueue<>(TOLD_MAX);
    private final NetworkNamespace namespace = NetworkNamespace.create(ChaosWorkerCommand.NAMESPACE);
    private int homesMade;

    private ChaosStage(int hosts, Setting setting, RunFolder folder, LabNetwork lab, Path logs, List<String> command) {
        this.hosts = hosts;
        this.setting = setting;
        this.folder = folder;
        this.lab = lab;
        this.workers = new ChaosWorkers(lab, command, logs, said);
    }

    /**
     * Makes a lab without running workers.
     *
     * @param logs folder for the output of the workers; a temporary folder if empty
     */
    static ChaosStage open(
            int hosts, Setting setting, ChaosWorkerCommand.Work work, EngineName engine, Optional<Path> logs)
            throws SetupException, InterruptedException {
        Path script = LabNetwork.script("hearth chaos");
        Path temporary = Path.of(System.getProperty("java.io.tmpdir"));
        for (RunFolder left : RunFolder.left(temporary, KIND)) {
            try (left) {
                LabNetwork.down(script, left.id());
            }
        }
        RunFolder folder = RunFolder.create(temporary, KIND);
        try {
            Path kept = Files.createDirectories(logs.orElse(folder.path().resolve("logs")));
            LabNetwork lab = LabNetwork.up(script, folder.id(), setting.isOneMachine() ? 1 : hosts);
            return new ChaosStage(hosts, setting, folder, lab, kept, command(work, engine));
        } catch (IOException failed) {
            folder.close();
            throw new SetupException("cannot make the folder for logs: " + failed.getMessage(), failed);
        } catch (SetupException | InterruptedException failed) {
            folder.close();
            throw failed;
        }
    }

    /** The command line of a worker. The digits run with the flags of this program, as in the demo. Large sums need the optimizing compiler and vectors. */
    private static List<String> command(ChaosWorkerCommand.Work work, EngineName engine) {
        var flags = new ArrayList<String>();
        switch (work) {
            case DIGITS -> {
                flags.addAll(ManagementFactory.getRuntimeMXBean().getInputArguments());
                flags.add("-Xmx192m");
            }
            case SUMS -> flags.addAll(FLAGS_OF_SUMS);
        }
        return SelfProcess.command(flags, List.of("chaos-worker", "--work", work.name(), "--engine", engine.text()));
    }

    /** The id of the lab, for {@code lab/lan --lab ID list}. */
    String labId() {
        return folder.id();
    }

    /** Makes new homes, with new identities and without state, for the workers that start after this call. No worker may be running. */
    void freshHomes() throws SetupException {
        if (homesMade > 0) {
            RunFolder.remove(homes());
        }
        homesMade++;
        try {
            Files.createDirectory(homes());
            for (int host = 0; host < hosts; host++) {
                if (machine(host) == host) {
                    DemoHomes.prepare(home(host), namespace);
                }
            }
        } catch (IOException failed) {
            throw new SetupException("cannot make homes in " + homes() + ": " + failed.getMessage(), failed);
        }
    }

    /**
     * Ends the worker of a host, if it runs, and starts one with a new identity. A new identity has no readmission delay. Each host must be a machine of its own.
     */
    void startAsNew(int host) throws SetupException, InterruptedException {
        workers.kill(host);
        said.removeIf(told -> told.host() == host);
        RunFolder.remove(home(host));
        DemoHomes.prepare(home(host), namespace);
        startAgain(host);
    }

    /** As {@link #startAsNew}, after it has healed the fault of the host. */
    void mend(ChaosKind kind, int host) throws SetupException, InterruptedException {
        if (kind == ChaosKind.SILENT) {
            lab.plug(host);
        }
        startAsNew(host);
    }

    private Path homes() {
        return folder.path().resolve("homes-" + homesMade);
    }

    private Path home(int host) {
        return homes().resolve("" + machine(host));
    }

    private int machine(int host) {
        return setting.isOneMachine() ? 0 : host;
    }

    /** Starts a worker that begins when all workers are there. */
    void start(int host) throws SetupException {
        start(host, hosts - 1);
    }

    /** Starts a worker again. It waits for as many others as make a majority with it; with fewer, removed workers could train alone. */
    private void startAgain(int host) throws SetupException {
        start(host, hosts / 2);
    }

    private void start(int host, int peers) throws SetupException {
        boolean isSlow = setting.slow().isPresent() && setting.slow().getAsInt() == host;
        workers.start(host, machine(host), home(host), peers, isSlow ? List.of(SLOW_DISK) : List.of());
    }

    /**
     * Passes the events of the workers on until {@code isReached} holds or the time is up.
     *
     * @param untilNanos by {@link System#nanoTime()}
     * @return whether it was reached
     * @throws HearthException a worker ended with an error, and not by a fault of this run
     */
    boolean listen(Listener listener, long untilNanos, BooleanSupplier isReached)
            throws HearthException, InterruptedException {
        while (!isReached.getAsBoolean()) {
            long left = untilNanos - System.nanoTime();
            if (left <= 0) {
                return false;
            }
            switch (said.poll(left, TimeUnit.NANOSECONDS)) {
                case ChaosWorkers.Said.Told(int host, ChaosEvent event) -> listener.note(host, event);
                case ChaosWorkers.Said.Ended(int host, int code, String lastWords) -> ended(host, code, lastWords);
                case null -> {}
            }
        }
        return true;
    }

    private void ended(int host, int code, String lastWords) throws HearthException {
        workers.forget(host);
        if (code != Exit.OK) {
            throw new HearthException("the worker of host " + host + " ended with exit code " + code
                    + (lastWords.isEmpty() ? "" : ": " + lastWords) + "; --logs FOLDER keeps its output");
        }
    }

    /** Whether the worker of a host has ended by itself, or was killed. */
    boolean isGone(int host) {
        return !workers.isRunning(host);
    }

    /** Begins a fault. */
    void strike(ChaosKind kind, List<List<Integer>> sides) throws SetupException, InterruptedException {
        int host = sides.getFirst().getFirst();
        switch (kind) {
            case SILENT, SWITCH, AWAY -> lab.cut(sides.getFirst());
            case MUTE -> lab.mute(host);
            case DEAF -> lab.deafen(host);
            case KILLED, MASTER, DISK, PROCESS -> workers.kill(host);
            case PAUSE, SLEEP -> workers.signal(host, "STOP");
            case PARTITION, SHATTER -> lab.split(sides);
        }
    }

    /** Ends a fault. Its effects may last longer. */
    void heal(ChaosKind kind, List<List<Integer>> sides) throws SetupException, InterruptedException {
        int host = sides.getFirst().getFirst();
        switch (kind) {
            case SILENT, SWITCH, AWAY, MUTE, DEAF -> lab.plug(host);
            case KILLED, MASTER, PROCESS -> startAgain(host);
            case DISK -> startAsNew(host);
            case PAUSE, SLEEP -> workers.signal(host, "CONT");
            case PARTITION, SHATTER -> lab.heal();
        }
    }

    void tellToStop() {
        workers.tellToStop();
    }

    /** Makes each worker write the stacks of its threads to its output. */
    void dumpThreads() throws SetupException, InterruptedException {
        for (int host = 0; host < hosts; host++) {
            workers.signal(host, "CONT");
            workers.signal(host, "QUIT");
        }
    }

    /** Kills all workers, drops their pending events, and heals the network. */
    void endAll() throws SetupException, InterruptedException {
        workers.killAll();
        said.clear();
        lab.heal();
    }

    @Override
    public void close() throws SetupException {
        try (folder;
                lab;
                workers) {
            said.clear();
        }
    }
}
