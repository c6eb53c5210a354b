package io.hearth.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class LogLevelTest {
    private static LogLevel of(String line, String wanted) {
        return LogLevel.of(line.split(" ", -1), wanted.isEmpty() ? Map.of() : Map.of(LogLevel.VARIABLE, wanted));
    }

    @ParameterizedTest
    @CsvSource({
        "agent --port 5, INFO",
        "--json agent, INFO",
        "train --group agent, WARN",
        "wait --peers 1 -- hearth agent, WARN",
        "demo, WARN",
        "bench allreduce, WARN"
    })
    void onlyTheAgentTellsWhatHappensUnasked(String line, LogLevel level) {
        assertEquals(level, of(line, ""));
    }

    @Test
    void aNameThatIsNoLevelIsToldInOneLineWithThoseThatAre(@TempDir Path home) {
        var outcome = Commands.in(home).with("HEARTH_LOG", "loud").run("version");
        assertEquals(0, outcome.code());
        assertEquals(
                "hearth: HEARTH_LOG='loud' is ignored: it must be error, warn, info, debug or trace\n", outcome.err());
        for (String level : List.of("", "warn", "Debug")) {
            assertEquals(
                    "",
                    Commands.in(home).with("HEARTH_LOG", level).run("version").err());
        }
    }

    @Test
    void theEnvironmentNamesAnother() {
        assertEquals(LogLevel.TRACE, of("demo", "trace"));
        assertEquals(LogLevel.WARN, of("agent", "Warn"));
        assertEquals(LogLevel.INFO, of("agent", "loud"));
    }
}
