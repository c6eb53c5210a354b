package io.hearth.cli;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Assumptions;

/** A browser without a window. */
record Browser(String program, Path profile) {
    private static final List<String> PROGRAMS = List.of("chromium", "chromium-browser", "google-chrome");

    /** Time that passes in the page: some of its refreshes. */
    private static final int PAGE_MILLIS = 4_000;

    /** Finds a browser; without one, the test is skipped and says so. */
    static Browser require(Path profile) {
        Optional<String> found = PROGRAMS.stream().filter(Lab::onPath).findFirst();
        if (found.isEmpty()) {
            System.out.println("SKIPPED: needs chromium");
        }
        Assumptions.assumeTrue(found.isPresent());
        return new Browser(found.orElseThrow(), profile);
    }

    /** The document after some refreshes, as the browser would write it. */
    String document(String link, String... flags) throws IOException {
        var command = new ArrayList<>(List.of(
                program,
                "--headless",
                "--no-sandbox", // the browser refuses to run as root without it
                "--disable-gpu",
                "--user-data-dir=" + profile,
                "--virtual-time-budget=" + PAGE_MILLIS,
                "--dump-dom"));
        command.addAll(List.of(flags));
        command.add(link);
        Process process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    }
}
