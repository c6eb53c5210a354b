package io.hearth.cli.terminal;

import io.hearth.core.ChildProcess;
import io.hearth.core.SetupException;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The whole terminal for one command: shows lines in place of the former ones, and reads keys. Closing restores what was there. */
public final class FullScreen implements AutoCloseable {
    private static final String ENTER = "\u001b[?1049h\u001b[?25l";
    private static final String LEAVE = "\u001b[?25h\u001b[?1049l";
    private static final String HOME = "\u001b[H";
    private static final String CLEAR_LINE = "\u001b[K";
    private static final String CLEAR_REST = "\u001b[J";
    private static final int LINES_USUAL = 24;
    private static final int KEYS_MAX = 16;

    private final Terminal terminal;
    private final String settings;
    private final BlockingQueue<Integer> keys = new ArrayBlockingQueue<>(KEYS_MAX);

    private FullScreen(Terminal terminal, String settings) {
        this.terminal = terminal;
        this.settings = settings;
    }

    /**
     * Takes the terminal.
     *
     * @throws SetupException the streams are not a terminal; {@code instead} says what to run then
     */
    public static FullScreen open(Terminal terminal, String instead) throws SetupException {
        if (!terminal.interactive()) {
            throw new SetupException("this needs a terminal; " + instead);
        }
        try {
            String settings = stty("-g");
            stty("-icanon", "-echo", "min", "1");
            var screen = new FullScreen(terminal, settings);
            Thread.ofPlatform().daemon().name("hearth-keys").start(screen::readKeys);
            terminal.out().print(ENTER);
            terminal.out().flush();
            return screen;
        } catch (IOException failed) {
            throw new SetupException(
                    "this needs a terminal that stty can set (" + failed.getMessage() + "); " + instead, failed);
        }
    }

    private void readKeys() {
        try {
            for (int key = terminal.in().read(); key >= 0; key = terminal.in().read()) {
                var _ = keys.offer(key);
            }
        } catch (IOException closed) {
            return; // no more keys; signals still end the command
        }
    }

    /** Waits for a key. */
    public OptionalInt key(Duration longest) throws InterruptedException {
        @Nullable Integer key = keys.poll(longest.toMillis(), TimeUnit.MILLISECONDS);
        return key == null ? OptionalInt.empty() : OptionalInt.of(key);
    }

    /** The present width, in characters. */
    public int columns() {
        return terminal.columns().orElse(80);
    }

    /** Shows lines in place of all others; those that do not fit are left out. */
    public void show(List<String> lines) {
        int columns = columns();
        int rows = terminal.rows().orElse(LINES_USUAL);
        var screen = new StringBuilder(HOME);
        for (int row = 0; row < Math.min(rows, lines.size()); row++) {
            String line = lines.get(row);
            int shown = Math.min(columns, line.codePointCount(0, line.length()));
            screen.append(line, 0, line.offsetByCodePoints(0, shown)).append(CLEAR_LINE);
            screen.append(row + 1 < Math.min(rows, lines.size()) ? "\r\n" : "");
        }
        terminal.out().print(screen + CLEAR_REST);
        terminal.out().flush();
    }

    private static String stty(String... arguments) throws IOException {
        var command = new ArrayList<>(List.of("stty"));
        command.addAll(List.of(arguments));
        Process stty = ChildProcess.of(command)
                .redirectInput(new File("/dev/tty"))
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        return new String(stty.getInputStream().readAllBytes(), StandardCharsets.US_ASCII).strip();
    }

    @Override
    public void close() {
        terminal.out().print(LEAVE);
        terminal.out().flush();
        try {
            stty(settings);
        } catch (IOException failed) {
            terminal.error("the terminal's settings are not restored: type 'stty sane'");
        }
    }
}
