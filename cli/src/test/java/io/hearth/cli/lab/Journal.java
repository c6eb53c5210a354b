package io.hearth.cli.lab;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * What a client of the services saw, one line for each thing: the nanosecond, and words. The clock is that of the machine, so lines of
 * several processes can be compared. A line that was written survives a kill of the process.
 */
final class Journal implements AutoCloseable {
    private final OutputStream out;

    private Journal(OutputStream out) {
        this.out = out;
    }

    static Journal create(Path file) throws IOException {
        return new Journal(Files.newOutputStream(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE));
    }

    synchronized void write(Object... words) throws IOException {
        var line = new StringBuilder().append(System.nanoTime());
        for (Object word : words) {
            line.append(' ').append(String.valueOf(word).replaceAll("\\s+", "_"));
        }
        out.write(line.append('\n').toString().getBytes(StandardCharsets.US_ASCII)); // not buffered
    }

    @Override
    public void close() throws IOException {
        out.close();
    }
}
