package io.hearth.cli.lab;

import io.hearth.cli.lab.ClientRun.Line;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** Reads the journal of a {@link ServicesClient} that is being written. */
public final class JournalReader {
    private final Path file;
    private final List<Line> lines = new ArrayList<>();
    private long read; // bytes

    public JournalReader(Path file) {
        this.file = file;
    }

    /** All whole lines so far; none if there is no file yet. It grows at the next call. */
    public List<Line> lines() throws IOException {
        if (Files.exists(file)) {
            byte[] bytes;
            try (InputStream in = Files.newInputStream(file)) {
                in.skipNBytes(read);
                bytes = in.readAllBytes();
            }
            String text = new String(bytes, StandardCharsets.US_ASCII);
            int whole = text.lastIndexOf('\n') + 1;
            text.substring(0, whole).lines().forEach(line -> lines.add(Line.parse(line)));
            read += whole;
        }
        return Collections.unmodifiableList(lines);
    }
}
