package io.hearth.cli.demo;

import io.hearth.cli.node.NodeReport;
import io.hearth.cli.terminal.ShortId;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The state of the demo's nodes, from their reports. It decides nothing and prints nothing. One thread uses it.
 */
public final class DemoBoard {
    /** The last reports of one node. */
    static final class Row {
        private final String name;
        private NodeReport.@org.jspecify.annotations.Nullable Started started;
        private NodeReport.@org.jspecify.annotations.Nullable FirstPeer firstPeer;
        private NodeReport.@org.jspecify.annotations.Nullable InView view;
        private NodeReport.@org.jspecify.annotations.Nullable EpochDone epoch;
        private NodeReport.@org.jspecify.annotations.Nullable Done done;
        private OptionalLong fullViewAt = OptionalLong.empty();
        private String phase = "starting";
        private boolean killed;

        private Row(String name) {
            this.name = name;
        }

        String name() {
            return name;
        }

        /** The line without the values that change with every epoch. */
        String milestone() {
            return name
                    + (started == null ? "" : " " + ShortId.of(started.node()))
                    + ": " + phase
                    + (view == null ? "" : ", " + view.members() + " in view, master " + ShortId.of(view.master()));
        }

        boolean isKilled() {
            return killed;
        }

        boolean isDone() {
            return done != null;
        }

        boolean isAlive() {
            return !killed && done == null;
        }

        Optional<NodeReport.Started> started() {
            return Optional.ofNullable(started);
        }

        Optional<NodeReport.FirstPeer> firstPeer() {
            return Optional.ofNullable(firstPeer);
        }

        Optional<NodeReport.InView> view() {
            return Optional.ofNullable(view);
        }

        Optional<NodeReport.EpochDone> epoch() {
            return Optional.ofNullable(epoch);
        }

        Optional<NodeReport.Done> done() {
            return Optional.ofNullable(done);
        }

        OptionalLong fullViewAt() {
            return fullViewAt;
        }
    }

    private final List<Row> rows = new ArrayList<>();
    private final int nodes;

    public DemoBoard(int nodes) {
        this.nodes = nodes;
        for (int i = 0; i < nodes; i++) {
            rows.add(new Row("node " + (i + 1)));
        }
    }

    List<Row> rows() {
        return rows;
    }

    void note(int node, NodeReport report) {
        Row row = rows.get(node);
        switch (report) {
            case NodeReport.Started started -> {
                row.started = started;
                row.phase = "looking for peers";
            }
            case NodeReport.FirstPeer first -> {
                row.firstPeer = first;
                row.phase = "found a peer";
            }
            case NodeReport.InView view -> {
                row.view = view;
                row.phase = "in view " + view.epoch();
                if (view.members() == nodes && row.fullViewAt.isEmpty()) {
                    row.fullViewAt = OptionalLong.of(view.at());
                }
            }
            case NodeReport.Training training -> row.phase = "training as rank " + training.rank();
            case NodeReport.EpochDone epoch -> row.epoch = epoch;
            case NodeReport.Done done -> {
                row.done = done;
                row.phase = "done";
            }
            case NodeReport.Note _ -> {
                // the caller prints it; it changes nothing here
            }
        }
    }

    void killed(int node) {
        rows.get(node).killed = true;
        rows.get(node).phase = "killed";
    }

    /** The index of the node with this id. */
    Optional<Integer> indexOf(String nodeId) {
        for (int i = 0; i < rows.size(); i++) {
            if (rows.get(i).started().map(NodeReport.Started::node).equals(Optional.of(nodeId))) {
                return Optional.of(i);
            }
        }
        return Optional.empty();
    }

    /** The master, if all living nodes name the same one and their views have one member for each living node. */
    Optional<String> agreedMaster() {
        List<Row> living = rows.stream().filter(row -> !row.killed).toList();
        var masters = living.stream()
                .map(row -> row.view == null || row.view.members() != living.size() ? "" : row.view.master())
                .distinct()
                .toList();
        return masters.size() == 1 && !masters.getFirst().isEmpty()
                ? Optional.of(masters.getFirst())
                : Optional.empty();
    }

    /** The newest epoch that a living node finished. */
    int epochsDone() {
        return rows.stream()
                .filter(row -> !row.killed && row.epoch != null)
                .mapToInt(row -> row.epoch == null ? 0 : row.epoch.epoch())
                .max()
                .orElse(0);
    }

    /** One line for each node, and a progress bar. */
    List<String> lines(int epochs) {
        var lines = new ArrayList<String>();
        for (Row row : rows) {
            lines.add(line(row));
        }
        int width = 40;
        int filled = epochs == 0 ? 0 : Math.min(width, epochsDone() * width / epochs);
        lines.add("[" + "#".repeat(filled) + ".".repeat(width - filled) + "] epoch " + epochsDone() + " of " + epochs);
        return lines;
    }

    private static String line(Row row) {
        var line = new StringBuilder(String.format(Locale.ROOT, "%-8s", row.name));
        line.append(
                row.started == null
                        ? " ".repeat(22)
                        : String.format(Locale.ROOT, "  %-20s", ShortId.of(row.started.node())));
        line.append(String.format(Locale.ROOT, "  %-22s", row.phase));
        if (row.view != null) {
            boolean master = row.started != null && row.view.master().equals(row.started.node());
            line.append(String.format(
                    Locale.ROOT, "  %d in view  %-6s", row.view.members(), master && !row.killed ? "master" : ""));
        }
        if (row.epoch != null) {
            line.append(String.format(Locale.ROOT, "  epoch %3d  loss %.4f", row.epoch.epoch(), row.epoch.loss()));
        }
        return line.toString().stripTrailing();
    }
}
