package io.hearth.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.agent.HearthConfig;
import io.hearth.agent.LocalAgent;
import io.hearth.identity.NetworkNamespace;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code hearth top} in a terminal, which script(1) makes. */
final class TopIT {
    private static final String ENTER = "\u001b[?1049h";
    private static final String LEAVE = "\u001b[?1049l";
    private static final Pattern CONTROLS = Pattern.compile("\u001b\\[[?0-9]*[A-Za-z]");
    private static final int COLUMNS = 40;

    @TempDir
    @SuppressWarnings("NullAway.Init") // JUnit sets it
    private Path folder;

    @Test
    void itFillsANarrowTerminalAndGivesItBackOnQ() throws Exception {
        Assumptions.assumeTrue(
                Files.exists(Path.of("/proc/self")) && Lab.onPath("script"), "needs script of util-linux");
        Commands here = Commands.in(folder.resolve("here"), NetworkNamespace.create("home"));
        try (LocalAgent _ = LocalAgent.start(
                HearthConfig.defaults().agent("agent").interfaces(List.of("lo")), here.environment())) {
            String words = String.join(
                    " ",
                    RunningProcess.java().stream().map(word -> "'" + word + "'").toList());
            String line = "stty cols " + COLUMNS + " rows 12; " + words + " " + Main.class.getName()
                    + " top; echo \"code $?\"; stty -a";
            var builder = new ProcessBuilder("script", "-q", "-e", "-c", line, "/dev/null").redirectErrorStream(true);
            builder.environment().putAll(here.environment());
            builder.environment().put("TERM", "xterm");
            Process terminal = builder.start();
            try (InputStream out = terminal.getInputStream()) {
                String shown = until(out, "namespace home");
                assertTrue(shown.contains(ENTER), shown);
                terminal.getOutputStream().write('q');
                terminal.getOutputStream().flush();
                String rest = new String(out.readAllBytes(), StandardCharsets.UTF_8);
                String screen = (shown + rest).substring((shown + rest).indexOf(ENTER), (shown + rest).indexOf(LEAVE));
                CONTROLS.matcher(screen)
                        .replaceAll("")
                        .lines()
                        .forEach(row -> assertTrue(row.length() <= COLUMNS, row));
                assertTrue(rest.contains("code 0"), rest);
                assertTrue(rest.contains(" icanon") && rest.contains(" echo "), "the terminal is as before: " + rest);
                assertTrue(terminal.waitFor(60, TimeUnit.SECONDS));
                assertEquals(0, terminal.exitValue());
            } finally {
                terminal.descendants().forEach(ProcessHandle::destroyForcibly);
                terminal.destroyForcibly();
            }
        }
    }

    private static String until(InputStream out, String wanted) throws Exception {
        var seen = new StringBuilder();
        byte[] part = new byte[4_096];
        while (seen.indexOf(wanted) < 0) {
            int got = out.read(part);
            if (got < 0) {
                throw new AssertionError("'" + wanted + "' never came: " + seen);
            }
            seen.append(new String(part, 0, got, StandardCharsets.UTF_8));
        }
        return seen.toString();
    }
}
