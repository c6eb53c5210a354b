package io.hearth.cli.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.cli.service.ServicePlan.Step;
import io.hearth.cli.terminal.Terminal;
import io.hearth.core.SetupException;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The plan is carried out with programs that stand in for the supervisor's. */
final class ServiceTest {
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();

    @TempDir
    @SuppressWarnings("NullAway.Init") // JUnit sets it
    private Path folder;

    private Service service(String content, Step... start) {
        var plan = new ServicePlan(
                Map.of(folder.resolve("units/hearth.service"), content),
                List.of(start),
                List.of(Step.may("no-such-supervisor", "stop")),
                "logs");
        var stream = new PrintStream(out, true, StandardCharsets.UTF_8);
        return new Service(plan, new Terminal(stream, stream, new ByteArrayInputStream(new byte[0]), Map.of(), false));
    }

    @Test
    void installedTwiceItIsInstalledOnceAndThenItIsGone() throws Exception {
        Path started = folder.resolve("started");
        Step start = Step.must("sh", "-c", "echo once >>" + started);
        service("old\n", start).install();
        service("new\n", Step.may("false"), start).install();
        assertEquals("new\n", Files.readString(folder.resolve("units/hearth.service")));
        assertEquals(2, Files.readAllLines(started).size());
        try (var units = Files.list(folder.resolve("units"))) {
            assertEquals(1, units.count(), "nothing half-written");
        }
        assertTrue(service("new\n").uninstall());
        assertFalse(service("new\n").uninstall(), "there was no service");
    }

    @Test
    void aCommandThatFailsIsNamedWithWhatItSaid() {
        Service service = service("x\n", Step.must("sh", "-c", "echo not allowed; echo more; exit 3"));
        String told = String.valueOf(
                assertThrows(SetupException.class, service::install).getMessage());
        assertTrue(told.startsWith("'sh -c echo not allowed"), told);
        assertTrue(told.contains("failed: not allowed; run it by hand"), told);
    }

    @Test
    void aFolderThatCannotBeWrittenIsNamed() throws Exception {
        Files.writeString(folder.resolve("units"), "a file in its place");
        String told = String.valueOf(
                assertThrows(SetupException.class, () -> service("x\n").install())
                        .getMessage());
        assertTrue(told.startsWith("cannot write " + folder.resolve("units/hearth.service")), told);
    }

    @Test
    void aDryRunOnlyPrints() {
        service("[Unit]\n").show(List.of(Step.must("systemctl", "restart", "hearth.service")));
        assertEquals(
                "# " + folder.resolve("units/hearth.service") + "\n[Unit]\n\n$ systemctl restart hearth.service\n",
                out.toString(StandardCharsets.UTF_8));
        assertFalse(Files.exists(folder.resolve("units")));
    }
}
