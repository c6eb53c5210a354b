package io.hearth.cli;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The viewer of traces in a real browser. */
@Tag("full")
final class TraceIT {
    private static final Path VIEWER =
            Path.of(System.getProperty("hearth.root", ".")).resolve("docs/trace.html");

    @TempDir
    @SuppressWarnings("NullAway.Init") // JUnit sets it
    private Path folder;

    @SuppressWarnings("NullAway.Init") // set before each test
    private Browser browser;

    @BeforeEach
    void findABrowser() {
        browser = Browser.require(folder.resolve("profile"));
    }

    /** A file of one rank: a call of 200 µs, in which it sends after {@code waits} µs and receives from its start on. */
    private Path trace(int rank, long clock, int waits) throws IOException {
        String event =
                "{\"ph\":\"X\",\"pid\":%d,\"tid\":%d,\"cat\":\"%s\",\"name\":\"%s\",\"ts\":%d,\"dur\":%d,\"args\":{%s}}";
        String link = "\"peer\":" + (1 - rank) + ",\"bytes\":4096";
        List<String> events = List.of(
                event.formatted(rank, 0, "collective", "allreduce 4096 bytes", clock, 200, "\"number\":7"),
                event.formatted(rank, 1, "segment", "send", clock + waits, 10, link),
                event.formatted(rank, 2, "segment", "receive", clock, 200, link));
        return Files.writeString(
                folder.resolve("rank" + rank + ".json"), "{\"traceEvents\":[" + String.join(",", events) + "]}");
    }

    private String document(Path... files) throws IOException {
        var link = new StringBuilder(VIEWER.toUri().toString());
        for (Path file : files) {
            link.append(link.indexOf("?") < 0 ? "?file=" : "&file=").append(file.toUri());
        }
        return browser.document(link.toString(), "--allow-file-access-from-files");
    }

    @Test
    void theTimeBeforeTheNeighbourSendsIsWaiting() throws IOException {
        String page = document(trace(0, 1_000, 0), trace(1, 1_000, 150));
        String table = page.substring(page.indexOf("<table id=\"sums\">"));
        assertTrue(table.contains("<td>rank 0</td><td>200 µs</td><td>150 µs (75 %)</td>"), table);
        assertTrue(table.contains("<td>rank 1</td><td>200 µs</td><td>0.0 µs (0 %)</td>"), table);
    }

    @Test
    void theClocksOfTwoMachinesAreAligned() throws IOException {
        String page = document(trace(0, 1_000, 0), trace(1, 9_000_000, 150));
        assertTrue(page.contains("The clocks of the files differ"), page);
        assertTrue(page.contains("<td>150 µs (75 %)</td>"), page);
        assertTrue(page.contains("<option value=\"0\">allreduce 4096 bytes, 200 µs</option>"), page);
    }

    @Test
    void whatIsNoTraceIsSaid() throws IOException {
        Path other = Files.writeString(folder.resolve("other.json"), "{}");
        assertTrue(document(other).contains("other.json is no trace"));
    }
}
