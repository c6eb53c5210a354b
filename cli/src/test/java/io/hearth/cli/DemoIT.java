package io.hearth.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.hearth.cli.Commands.Outcome;
import io.hearth.cli.terminal.Exit;
import java.nio.file.Path;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The demo as a new user runs it, but smaller: processes, mDNS, training, and a killed master. */
final class DemoIT {
    @TempDir
    @SuppressWarnings("NullAway.Init") // JUnit sets it
    private Path folder;

    @Test
    void whenTheMasterIsKilledTheOthersElectAnotherAndEndWithTheSameWeights() {
        Outcome demo = Commands.in(folder).line("demo --nodes 3 --epochs 6 --kill --json");
        assertEquals(Exit.OK, demo.code(), demo.err());
        assertEquals(1, demo.out().lines().count(), demo.out());
        JsonObject json = JsonParser.parseString(demo.out()).getAsJsonObject();
        assertTrue(json.keySet()
                .containsAll(Set.of(
                        "nodes",
                        "world_size_final",
                        "master_initial",
                        "master_final",
                        "discovery",
                        "first_peer_ms",
                        "full_view_ms",
                        "steps",
                        "test_accuracy",
                        "wire_bytes",
                        "dense_bytes",
                        "weights_sha256",
                        "killed")));
        assertEquals(3, json.get("nodes").getAsInt());
        assertEquals(2, json.get("world_size_final").getAsInt());
        assertEquals(1, json.get("killed").getAsInt());
        assertNotEquals(json.get("master_initial"), json.get("master_final"));
        assertTrue(json.get("master_final").getAsString().matches("12D3KooW\\w{44}/trainer-0"));
        var hashes = json.getAsJsonArray("weights_sha256");
        assertEquals(2, hashes.size());
        assertEquals(hashes.get(0), hashes.get(1));
        assertTrue(demo.err().contains("killing node "), demo.err());
        assertTrue(json.get("wire_bytes").getAsLong() > 1_000_000);
    }

    /** With compression each node sends a quarter of the bytes, and all nodes still end with the same weights. */
    @Tag("full")
    @Test
    void compressedItSendsLessAndAllEndWithTheSameWeights() {
        Outcome demo = Commands.in(folder).line("demo --nodes 2 --epochs 4 --compression int8 --json");
        assertEquals(Exit.OK, demo.code(), demo.err());
        JsonObject json = JsonParser.parseString(demo.out()).getAsJsonObject();
        assertEquals(2, json.get("world_size_final").getAsInt());
        var hashes = json.getAsJsonArray("weights_sha256");
        assertEquals(2, hashes.size());
        assertEquals(hashes.get(0), hashes.get(1));
        long wire = json.get("wire_bytes").getAsLong();
        long dense = json.get("dense_bytes").getAsLong();
        assertTrue(wire > dense / 4 && wire < 0.32 * dense, wire + " of " + dense);
        assertTrue(json.get("test_accuracy").getAsDouble() > 0.5, demo.out());
    }
}
