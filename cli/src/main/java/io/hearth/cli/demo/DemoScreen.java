package io.hearth.cli.demo;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;

/** Prints the state of the demo. On a terminal it repaints the lines; elsewhere it prints a line when its state changes. */
public final class DemoScreen {
    private static final long REPAINT_NANOS = 100_000_000;

    private final PrintStream out;
    private final boolean terminal;
    private List<String> painted = List.of();
    private long paintedNanos;

    /**
     * An empty screen.
     *
     * @param out where to paint; standard error when standard output must stay clean
     * @param terminal whether {@code out} understands ANSI sequences
     */
    public DemoScreen(PrintStream out, boolean terminal) {
        this.out = out;
        this.terminal = terminal;
    }

    void show(DemoBoard board, int epochs) {
        if (terminal) {
            if (System.nanoTime() - paintedNanos >= REPAINT_NANOS) {
                paint(board.lines(epochs));
            }
        } else {
            print(board);
        }
    }

    /** Paints the last state, even if the last painting was a moment ago. */
    void showFinal(DemoBoard board, int epochs) {
        if (terminal) {
            paint(board.lines(epochs));
        }
    }

    /** Prints a line that stays, above the lines that are repainted. */
    void say(String line) {
        if (terminal && !painted.isEmpty()) {
            out.print("\u001b[" + painted.size() + "A\u001b[J");
        }
        out.println(line);
        if (terminal) {
            painted.forEach(out::println);
        }
        out.flush();
    }

    /** Prints a note of a node. */
    void note(DemoBoard.Row row, String text) {
        say(row.name() + ": " + text);
    }

    private void paint(List<String> lines) {
        var text = new StringBuilder();
        if (!painted.isEmpty()) {
            text.append("\u001b[").append(painted.size()).append('A');
        }
        for (String line : lines) {
            text.append("\u001b[2K").append(line).append('\n');
        }
        out.print(text);
        out.flush();
        painted = List.copyOf(lines);
        paintedNanos = System.nanoTime();
    }

    /** Prints changes of phase, master and view, where there is no terminal. */
    private void print(DemoBoard board) {
        var now = new ArrayList<String>();
        for (DemoBoard.Row row : board.rows()) {
            now.add(row.milestone());
        }
        for (int i = 0; i < now.size(); i++) {
            if (i >= painted.size() || !painted.get(i).equals(now.get(i))) {
                out.println(now.get(i));
            }
        }
        painted = now;
    }
}
