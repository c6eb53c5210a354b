package io.hearth.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.google.gson.JsonObject;
import io.hearth.cli.terminal.Terminal;
import io.hearth.simulation.Sweep;
import io.hearth.simulation.report.Delays;
import io.hearth.simulation.report.FaultKind;
import io.hearth.simulation.report.Outcome;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** The report of a sweep as text and as JSON. */
final class SimulateCommandTest {
    private static final Delays HUNDRED = new Delays(new TreeMap<>(Map.of(0, 50L, 10, 40L, 20, 9L, 30, 1L)));
    private static final Outcome BROKEN = new Outcome(
            17,
            "wan",
            5,
            2,
            3,
            1_000_000_000L,
            Map.of(),
            new Outcome.Recovery(none(), none(), none()),
            Optional.of("I4: two results\nmore of it"));
    private static final Sweep.Report REPORT = new Sweep.Report(
            200,
            4_000,
            300,
            500,
            90_000_000_000L,
            Map.of(FaultKind.SLOW_LINK, 7L, FaultKind.LOSS, 12L),
            new TreeMap<>(Map.of("wan", 60L, "lan", 100L, "scaled", 40L)),
            new Outcome.Recovery(HUNDRED, none(), new Delays(new TreeMap<>(Map.of(10, 1L)))),
            List.of(BROKEN));

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final SimulateCommand command = new SimulateCommand(new Terminal(
            new PrintStream(out, true, StandardCharsets.UTF_8),
            new PrintStream(OutputStream.nullOutputStream(), true, StandardCharsets.UTF_8),
            InputStream.nullInputStream(),
            Map.of(),
            false));

    private static Delays none() {
        return new Delays(new TreeMap<>());
    }

    @Test
    void aPersonReadsTheKindsOfFaultsTheSpansAndTheQuantiles() {
        command.show(REPORT, 2.0);
        String text = out.toString(StandardCharsets.UTF_8);
        assertEquals(
                List.of(
                        "seeds 200",
                        "events 4000",
                        "views 300",
                        "collectives 500",
                        "virtual time 90 s",
                        "spans lan 100",
                        "spans scaled 40",
                        "spans wan 60",
                        "fault loss 12",
                        "fault slow-link 7",
                        "fault to view p50 1 ms, p90 3 ms, p99 7 ms, max 17 ms (100)",
                        "fault to number none",
                        "peace to one view p50 3 ms, p90 3 ms, p99 3 ms, max 3 ms (1)",
                        "2.0 s, 100 seeds/s, 2000 events/s",
                        "seed 17: I4: two results",
                        "more of it",
                        " replay: hearth simulate --seed 17 --trace",
                        "1 violations"),
                text.lines()
                        .map(line -> line.stripTrailing().replaceAll(" +", " "))
                        .toList());
    }

    @Test
    void aProgramReadsTheSame() {
        JsonObject data = command.json(REPORT, 2.0);
        assertEquals(
                "{\"schema\":1,\"first_seed\":0,\"seeds\":200,\"events\":4000,\"views\":300,\"collectives\":500,"
                        + "\"virtual_s\":90,\"faults\":{\"loss\":12,\"slow-link\":7},"
                        + "\"spans\":{\"lan\":100,\"scaled\":40,\"wan\":60},"
                        + "\"fault_to_view\":{\"count\":100,\"p50_ms\":1,\"p90_ms\":3,\"p99_ms\":7,\"max_ms\":17},"
                        + "\"fault_to_number\":{\"count\":0,\"p50_ms\":0,\"p90_ms\":0,\"p99_ms\":0,\"max_ms\":0},"
                        + "\"peace_to_one_view\":{\"count\":1,\"p50_ms\":3,\"p90_ms\":3,\"p99_ms\":3,\"max_ms\":3},"
                        + "\"seconds\":2.0,\"events_per_s\":2000,\"violations\":1,"
                        + "\"broken\":[{\"seed\":17,\"violation\":\"I4: two results\\nmore of it\","
                        + "\"replay\":\"hearth simulate --seed 17 --trace\"}]}",
                data.toString());
    }
}
