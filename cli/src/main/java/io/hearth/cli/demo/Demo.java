package io.hearth.cli.demo;

import io.hearth.accel.EngineName;
import io.hearth.cli.node.NodeReport;
import io.hearth.cli.option.Loopback;
import io.hearth.cli.process.DemoHomes;
import io.hearth.cli.process.RunFolder;
import io.hearth.core.HearthException;
import io.hearth.core.SetupException;
import io.hearth.transport.DataTransport;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * Trains the digits on several nodes of this machine and, when asked, kills their masters one after the other.
 *
 * <p>Each node is a process with a home of its own that finds the others by mDNS on the loopback interface. The demo reads the reports of the nodes; it is not part of the cluster.
 */
public final class Demo {
    /**
     * Settings of a demo.
     * @param nodes 2 to 16
     * @param epochs of training, at least 1
     * @param compression as {@code hearth train --compression}
     * @param transport as {@code hearth train --transport}
     * @param engine as {@code hearth train --engine}
     * @param kills how many masters to kill, 0 to {@code nodes - 2}
     * @param archive to write from the first node's classes; none if empty
     */
    record Options(
            int nodes,
            int epochs,
            String compression,
            DataTransport transport,
            EngineName engine,
            int kills,
            Optional<ClassArchive> archive) {
        static final int NODES_MAX = 16;
        static final int EPOCHS_MAX = 100_000;

        Options {
            if (nodes < 2 || nodes > NODES_MAX) {
                throw new IllegalArgumentException("--nodes must be 2 to " + NODES_MAX + ", got " + nodes);
            }
            if (epochs < 1 || epochs > EPOCHS_MAX) {
                throw new IllegalArgumentException("--epochs must be 1 to " + EPOCHS_MAX + ", got " + epochs);
            }
            if (kills < 0 || kills > nodes - 2) {
                throw new IllegalArgumentException(
                        "--kill must be 0 to " + (nodes - 2) + " with " + nodes + " nodes, got " + kills
                                + ": at least two members must remain, because one of two is no quorum without the master");
            }
        }
    }

    private static final String KIND = "demo-";
    private static final Duration TIMEOUT = Duration.ofMinutes(2);
    private static final Duration ARCHIVE_TIMEOUT = Duration.ofSeconds(30); // a user waits for another command
    private static final Duration SILENCE = Duration.ofSeconds(5);
    private static final int SIGNAL_BASE = 128; // exit codes above it name a signal
    private static final int REPORTS_MAX = 10_000;

    private final Options options;
    private final DemoScreen screen;
    private final DemoBoard board;
    private final BlockingQueue<DemoNodes.Said> said = new ArrayBlockingQueue<>(REPORTS_MAX);
    private final long startNanos = System.nanoTime();
    private Optional<String> masterInitial = Optional.empty();
    private boolean toldPeers;
    private int killed;
    private int waitingForEnd; // number of killed nodes whose end was not reported yet

    public Demo(Options options, DemoScreen screen) {
        this.options = options;
        this.screen = screen;
        this.board = new DemoBoard(options.nodes());
    }

    DemoSummary run() throws HearthException, InterruptedException {
        List<String> firstFlags = options.archive().map(ClassArchive::flags).orElse(List.of());
        Path temporary = Path.of(System.getProperty("java.io.tmpdir"));
        RunFolder.left(temporary, KIND).forEach(RunFolder::close);
        try (RunFolder folder = RunFolder.create(temporary, KIND)) {
            List<Path> homes = DemoHomes.create(folder.path(), options.nodes());
            DemoSummary summary = train(folder.path(), homes, firstFlags);
            if (options.archive().isPresent()) {
                ShortStart.record(options.archive().get().ofShortCommands(), folder.path(), homes.getFirst());
            }
            return summary;
        }
    }

    private DemoSummary train(Path folder, List<Path> homes, List<String> firstFlags)
            throws HearthException, InterruptedException {
        try (DemoNodes nodes = DemoNodes.start(folder, homes, firstFlags, nodeArguments(), said)) {
            while (board.rows().stream().anyMatch(DemoBoard.Row::isAlive)) {
                step(nodes);
            }
            if (options.archive().isPresent()) {
                nodes.awaitEnd(0, ARCHIVE_TIMEOUT);
                options.archive().get().complete();
            }
            screen.showFinal(board, options.epochs());
            return summary();
        } catch (IOException failed) {
            throw new SetupException("cannot start the demo's nodes: " + failed.getMessage(), failed);
        }
    }

    private List<String> nodeArguments() throws SetupException {
        var arguments = new ArrayList<>(List.of("train", "--json", "--from-stdin", "--namespace", DemoHomes.NAMESPACE));
        arguments.addAll(List.of("--interface", Loopback.name(), "--peers", "" + (options.nodes() - 1)));
        arguments.addAll(List.of("--epochs", "" + options.epochs(), "--compression", options.compression()));
        arguments.addAll(List.of(
                "--transport",
                options.transport().text(),
                "--engine",
                options.engine().text()));
        return arguments;
    }

    private void step(DemoNodes nodes) throws HearthException, InterruptedException {
        DemoNodes.Said next = said.poll(200, TimeUnit.MILLISECONDS);
        switch (next) {
            case DemoNodes.Said.Report(int node, NodeReport report) -> {
                board.note(node, report);
                if (report instanceof NodeReport.Note note) {
                    screen.note(board.rows().get(node), note.text());
                }
            }
            case DemoNodes.Said.Ended ended -> ended(ended);
            case null -> overdue();
        }
        if (masterInitial.isEmpty()) {
            masterInitial = board.agreedMaster();
        }
        helpWhereMulticastIsSilent(nodes);
        killWhenItIsTime(nodes);
        screen.show(board, options.epochs());
    }

    private void ended(DemoNodes.Said.Ended ended) throws HearthException {
        DemoBoard.Row row = board.rows().get(ended.node());
        if (row.isKilled()) {
            waitingForEnd--;
        } else if (!row.isDone() || ended.exitCode() != 0) {
            throw new HearthException("node " + (ended.node() + 1) + " " + why(ended));
        }
    }

    private static String why(DemoNodes.Said.Ended ended) {
        if (ended.exitCode() > SIGNAL_BASE) {
            return "was ended by signal " + (ended.exitCode() - SIGNAL_BASE)
                    + "; if you did not end it, check whether this machine ran out of memory";
        }
        return "ended with exit code " + ended.exitCode()
                + (ended.lastWords().isEmpty() ? "" : ": " + ended.lastWords());
    }

    private void overdue() throws HearthException {
        Duration timeout = options.archive().isPresent() ? ARCHIVE_TIMEOUT : TIMEOUT;
        if (System.nanoTime() - startNanos > timeout.toNanos()) {
            throw new HearthException(
                    "the demo has not ended after " + timeout.toSeconds() + " s; is this machine very busy?");
        }
    }

    /** Some systems have no multicast on loopback. If no node finds another, this sends each node the addresses of the others. */
    private void helpWhereMulticastIsSilent(DemoNodes nodes) {
        var started =
                board.rows().stream().flatMap(row -> row.started().stream()).toList();
        if (toldPeers
                || started.size() < options.nodes()
                || board.rows().stream().anyMatch(row -> row.firstPeer().isPresent())) {
            return;
        }
        long last = started.stream().mapToLong(NodeReport.Started::at).max().orElseThrow();
        if (System.currentTimeMillis() - last < SILENCE.toMillis()) {
            return;
        }
        toldPeers = true;
        screen.say("no node heard another by multicast on the loopback interface within " + SILENCE.toSeconds()
                + " s (this system has no multicast there, or a firewall drops UDP port 5353);"
                + " the demo goes on with addresses, as --peer does");
        for (int node = 0; node < options.nodes(); node++) {
            for (NodeReport.Started other : started) {
                nodes.tellPeer(node, "127.0.0.1:" + other.port());
            }
        }
    }

    /** Kills the master when its turn has come. The kills are spread evenly over the epochs: one at the half, two at the thirds. */
    private void killWhenItIsTime(DemoNodes nodes) {
        int dueEpoch = (killed + 1) * options.epochs() / (options.kills() + 1);
        if (killed == options.kills() || waitingForEnd > 0 || board.epochsDone() < Math.max(1, dueEpoch)) {
            return;
        }
        Optional<Integer> master = board.agreedMaster().flatMap(board::indexOf);
        if (master.isEmpty() || !board.rows().get(master.get()).isAlive()) {
            return; // some node has not yet seen the view without the last master
        }
        screen.say("killing node " + (master.get() + 1) + ", the master, without warning (kill -9 "
                + nodes.pid(master.get()) + ")");
        nodes.kill(master.get());
        board.killed(master.get());
        killed++;
        waitingForEnd++;
    }

    private DemoSummary summary() throws HearthException {
        var rows = board.rows();
        var survivors = rows.stream().flatMap(row -> row.done().stream()).toList();
        if (killed < options.kills()) {
            throw new HearthException("training ended before " + options.kills()
                    + " masters were killed; set --epochs to more" + " than " + options.epochs());
        }
        NodeReport.Done first = survivors.getFirst();
        long lastStart = rows.stream()
                .flatMap(row -> row.started().stream())
                .mapToLong(NodeReport.Started::at)
                .max()
                .orElse(0);
        long fullView = rows.stream()
                .mapToLong(row -> row.fullViewAt().orElse(lastStart))
                .max()
                .orElse(0);
        return new DemoSummary(
                options.nodes(),
                first.world(),
                masterInitial.orElse(first.master()),
                first.master(),
                toldPeers ? "static" : "mdns",
                rows.stream()
                        .flatMap(row -> row.firstPeer().stream())
                        .mapToLong(NodeReport.FirstPeer::afterMillis)
                        .max()
                        .orElse(0),
                fullView - lastStart,
                rows.stream()
                        .flatMap(row -> row.started().stream())
                        .mapToLong(NodeReport.Started::jvmMillis)
                        .max()
                        .orElse(0),
                first.steps(),
                first.rightImages(),
                first.testImages(),
                rows.stream().mapToLong(Demo::wireBytes).sum(),
                rows.stream().mapToLong(Demo::denseBytes).sum(),
                survivors.stream().map(NodeReport.Done::weightsSha256).toList(),
                killed,
                (System.nanoTime() - startNanos) / 1e9);
    }

    private static long wireBytes(DemoBoard.Row row) {
        return row.done()
                .map(NodeReport.Done::wireBytes)
                .or(() -> row.epoch().map(NodeReport.EpochDone::wireBytes))
                .orElse(0L);
    }

    private static long denseBytes(DemoBoard.Row row) {
        return row.done()
                .map(NodeReport.Done::denseBytes)
                .or(() -> row.epoch().map(NodeReport.EpochDone::denseBytes))
                .orElse(0L);
    }
}
