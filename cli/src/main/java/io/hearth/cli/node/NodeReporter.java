package io.hearth.cli.node;

import io.hearth.agent.AutoDiscoveryBackend;
import io.hearth.agent.status.ClusterStatus;
import io.hearth.cli.terminal.ShortId;
import io.hearth.cli.terminal.Terminal;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;

/** Prints the progress of a training node: lines of JSON on standard output, or text on standard error. */
public final class NodeReporter implements AutoCloseable {
    private static final int EPOCHS_PER_LINE = 5;
    private static final Pattern SPAN = Pattern.compile("( for)? \\d+ s\\b");

    private final AutoDiscoveryBackend hearth;
    private final Terminal terminal;
    private final boolean json;
    private final Thread watcher;
    private Optional<ClusterStatus.ViewSummary> reported = Optional.empty(); // used by the watcher only
    private String waiting = ""; // used by the watcher only
    private boolean reportedFirstPeer; // used by the watcher only

    public NodeReporter(AutoDiscoveryBackend hearth, Terminal terminal, boolean json) {
        this.hearth = hearth;
        this.terminal = terminal;
        this.json = json;
        this.watcher = Thread.ofVirtual().name("hearth-report").unstarted(this::watch);
    }

    void started(long jvmMillis) {
        tell(new NodeReport.Started(
                System.currentTimeMillis(), hearth.id().text(), hearth.node().port(), jvmMillis));
        watcher.start();
    }

    void tell(NodeReport report) {
        if (json) {
            terminal.out().println(report.toJson());
            terminal.out().flush();
        } else {
            text(report).ifPresent(line -> terminal.err().println(line));
        }
    }

    private static Optional<String> text(NodeReport report) {
        return switch (report) {
            case NodeReport.Started started ->
                Optional.of("node " + ShortId.of(started.node()) + " listens on port " + started.port());
            case NodeReport.FirstPeer first -> Optional.of("first peer after " + first.afterMillis() + " ms");
            case NodeReport.InView view ->
                Optional.of("view " + view.epoch() + ": " + view.members() + " members, master "
                        + ShortId.of(view.master()));
            case NodeReport.Training training ->
                Optional.of("training as rank " + training.rank() + " of " + training.world());
            case NodeReport.EpochDone done ->
                done.epoch() % EPOCHS_PER_LINE == 0
                        ? Optional.of(String.format(
                                Locale.ROOT,
                                "epoch %d of %d, %d steps, loss %.4f, %d nodes",
                                done.epoch(),
                                done.epochs(),
                                done.steps(),
                                done.loss(),
                                done.world()))
                        : Optional.empty();
            case NodeReport.Done _ -> Optional.empty();
            case NodeReport.Note note -> Optional.of(note.text());
        };
    }

    private void watch() {
        try {
            long seen = 0;
            while (true) {
                seen = hearth.node().awaitStatusAfter(seen, this::tellChanges);
            }
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
        }
    }

    private void tellChanges(ClusterStatus status) {
        long now = System.currentTimeMillis();
        if (!reportedFirstPeer && status.firstPeerMillis().isPresent()) {
            reportedFirstPeer = true;
            tell(new NodeReport.FirstPeer(now, status.firstPeerMillis().getAsLong()));
        }
        if (!reported.equals(Optional.of(status.view()))) {
            reported = Optional.of(status.view());
            tell(new NodeReport.InView(
                    now,
                    status.view().epoch(),
                    status.view().members(),
                    status.view().master().text()));
        }
        String why = status.waiting().or(status::discovery).orElse("");
        if (isNews(waiting, why)) {
            tell(new NodeReport.Note(now, why));
        }
        waiting = why;
    }

    /** Whether {@code why} differs from {@code before} in more than its times. */
    static boolean isNews(String before, String why) {
        return !why.isEmpty()
                && !SPAN.matcher(why).replaceAll("").equals(SPAN.matcher(before).replaceAll(""))
                && !(before.startsWith("0 peers") && why.startsWith("0 peers"));
    }

    @Override
    public void close() {
        watcher.interrupt();
        try {
            watcher.join();
        } catch (InterruptedException impatient) {
            Thread.currentThread().interrupt();
        }
    }
}
