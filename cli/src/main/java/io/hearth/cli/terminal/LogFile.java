package io.hearth.cli.terminal;

import io.hearth.core.SetupException;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;

/**
 * A log that takes at most three times {@value #BYTES_MAX} bytes: a full file FILE becomes FILE.1, and FILE.1 becomes FILE.2. For systems
 * whose supervisor does not rotate logs, such as launchd. What cannot be written, for example on a full disk, is lost.
 */
public final class LogFile extends OutputStream {
    static final int BYTES_MAX = 5_000_000;

    private final Path file;
    private OutputStream out; // guarded by the PrintStream that owns this
    private long bytes; // likewise

    private LogFile(Path file) throws IOException {
        this.file = file;
        this.out = append(file);
        this.bytes = Files.size(file);
    }

    /**
     * Opens a log, after what it holds.
     *
     * @throws SetupException if it cannot be written
     */
    public static PrintStream open(Path file) throws SetupException {
        try {
            return new PrintStream(new LogFile(file.toAbsolutePath()), true, StandardCharsets.UTF_8);
        } catch (IOException failed) {
            throw new SetupException(
                    "cannot write the log " + file + ": " + failed + "; name another with --log-file", failed);
        }
    }

    private static OutputStream append(Path file) throws IOException {
        return new BufferedOutputStream(
                Files.newOutputStream(file, StandardOpenOption.CREATE, StandardOpenOption.APPEND));
    }

    @Override
    public void write(int one) throws IOException {
        write(new byte[] {(byte) one}, 0, 1);
    }

    @Override
    public void write(byte[] raw, int from, int length) throws IOException {
        if (bytes + length > BYTES_MAX && bytes > 0) {
            rotate();
        }
        out.write(raw, from, length);
        bytes += length;
    }

    private void rotate() throws IOException {
        out.close();
        Path first = file.resolveSibling(file.getFileName() + ".1");
        if (Files.exists(first)) {
            Files.move(first, file.resolveSibling(file.getFileName() + ".2"), StandardCopyOption.REPLACE_EXISTING);
        }
        Files.move(file, first, StandardCopyOption.REPLACE_EXISTING);
        out = append(file);
        bytes = 0;
    }

    @Override
    public void flush() throws IOException {
        out.flush();
    }

    @Override
    public void close() throws IOException {
        out.close();
    }
}
