package io.hearth.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.hearth.cli.terminal.Terminal;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

final class ScaleCommandTest {
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    private int run(String... arguments) {
        var terminal = new Terminal(
                new PrintStream(out, true, StandardCharsets.UTF_8),
                new PrintStream(err, true, StandardCharsets.UTF_8),
                InputStream.nullInputStream(),
                Map.of(),
                false);
        return new CommandLine(new ScaleCommand(terminal))
                .setErr(new java.io.PrintWriter(err, true, StandardCharsets.UTF_8))
                .execute(arguments);
    }

    @Test
    void aPersonReadsSumsViewsAndLimits() {
        assertEquals(0, run("--sizes", "4,300", "--networks", "racks"));
        List<String> lines = out.toString(StandardCharsets.UTF_8).lines().toList();
        assertTrue(lines.getFirst().startsWith("NETWORK"), lines::toString);
        assertTrue(lines.get(1).startsWith("racks"), lines::toString);
        assertTrue(lines.getLast().equals("300 nodes: a view has at most 256 members"), lines::toString);
        assertTrue(err.toString(StandardCharsets.UTF_8).contains("simulating 300 nodes"));
    }

    @Test
    void aProgramReadsTheSame() {
        assertEquals(0, run("--sizes", "4,300", "--networks", "sites,racks", "--json"));
        JsonObject json =
                JsonParser.parseString(out.toString(StandardCharsets.UTF_8)).getAsJsonObject();
        assertEquals(4, json.getAsJsonArray("sums").size());
        JsonObject first = json.getAsJsonArray("sums").get(0).getAsJsonObject();
        assertEquals("sites", first.get("network").getAsString());
        assertEquals("islands", first.getAsJsonObject("large").get("algorithm").getAsString());
        JsonObject four = json.getAsJsonArray("views").get(0).getAsJsonObject();
        assertTrue(four.getAsJsonObject("loss").get("ms").getAsDouble() > 1_500);
        assertEquals(
                "a view has at most 256 members",
                json.getAsJsonArray("views")
                        .get(1)
                        .getAsJsonObject()
                        .get("limit")
                        .getAsString());
    }

    @Test
    void wrongSizesAndKindsAreNamed() {
        assertRejected("--sizes must be 2 to 1024 nodes, got 1", "--sizes", "4,1");
        assertRejected("--sizes must be 2 to 1024 nodes, got 1025", "--sizes", "1025");
        assertRejected("'many' is not an int", "--sizes", "many");
        assertRejected("there is no kind of network 'mesh': give some of racks, wifi, sites", "--networks", "mesh");
    }

    private void assertRejected(String why, String... arguments) {
        err.reset();
        assertEquals(2, run(arguments));
        assertTrue(err.toString(StandardCharsets.UTF_8).contains(why), err::toString);
    }
}
