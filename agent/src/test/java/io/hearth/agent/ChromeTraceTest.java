package io.hearth.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.hearth.collective.CollectiveTrace.Collective;
import io.hearth.collective.CollectiveTrace.Phase;
import io.hearth.collective.Signature;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ChromeTraceTest {
    private static final Collective CALL = new Collective(
            7, Signature.Kind.ALL_REDUCE, 4096, 2, "WholeExchange", true, 1_000, 9_500, Map.of(Phase.SEND, 2_500L));

    @TempDir
    @SuppressWarnings("NullAway.Init") // JUnit sets it
    private Path folder;

    private Path ofRank(int rank) throws IOException {
        var trace = new ChromeTrace(rank);
        trace.segment(7, Phase.SEND, 1 - rank, 4096, 2_000, 4_500);
        trace.segment(7, Phase.COPY, -1, 4096, 8_000, 9_000);
        trace.ended(CALL);
        assertEquals(Optional.of(CALL), trace.last());
        Path file = folder.resolve("rank" + rank);
        trace.write(file);
        return file;
    }

    private static JsonObject whole(Path file) throws IOException {
        return JsonParser.parseString(Files.readString(file)).getAsJsonObject();
    }

    private static List<JsonObject> events(Path file, String phase) throws IOException {
        var found = new ArrayList<JsonObject>();
        for (JsonElement event : whole(file).getAsJsonArray("traceEvents")) {
            if (event.getAsJsonObject().get("ph").getAsString().equals(phase)) {
                found.add(event.getAsJsonObject());
            }
        }
        return found;
    }

    @Test
    void aSpanIsACompleteEventInMicroseconds() throws Exception {
        List<JsonObject> events = events(ofRank(1), "X");
        assertEquals(3, events.size());
        assertEquals(JsonParser.parseString("""
                        {"name": "send", "ph": "X", "pid": 1, "tid": 1, "cat": "segment", "ts": 2.0, "dur": 2.5,
                         "args": {"peer": 0, "bytes": 4096}}"""), events.get(1));
        JsonObject call = events.getFirst();
        assertEquals(8.5, call.get("dur").getAsDouble());
        assertEquals(2.5, call.getAsJsonObject("args").get("send_us").getAsDouble());
        assertEquals(
                "WholeExchange", call.getAsJsonObject("args").get("algorithm").getAsString());
        assertEquals(0, events.get(2).get("tid").getAsInt(), "the copy out belongs to the call");
    }

    @Test
    void whatCiphersAndCodecsDoIsInTheRowOfItsThread() throws Exception {
        var trace = new ChromeTrace(0);
        trace.segment(7, Phase.ENCODE, -1, 4096, 2_000, 4_500);
        trace.segment(7, Phase.SEAL, 1, 4096, 4_500, 5_000);
        Thread.ofPlatform()
                .start(() -> {
                    trace.segment(7, Phase.OPEN, 1, 4096, 2_500, 3_000);
                    trace.segment(7, Phase.DECODE, -1, 4096, 3_000, 4_000);
                })
                .join();
        trace.ended(CALL);
        Path file = folder.resolve("codec");
        trace.write(file);
        assertEquals(
                List.of("encode 1", "seal 1", "open 2", "decode 2"),
                events(file, "X").stream()
                        .skip(1)
                        .map(span -> span.get("name").getAsString() + " "
                                + span.get("tid").getAsInt())
                        .toList());
    }

    @Test
    void mergedEachRankIsAProcess() throws Exception {
        Path whole = folder.resolve("whole");
        ChromeTrace.merge(List.of(ofRank(0), ofRank(1)), whole);
        assertEquals(
                List.of("rank 0", "rank 1"),
                events(whole, "M").stream()
                        .filter(event -> event.get("name").getAsString().equals("process_name"))
                        .map(event -> event.getAsJsonObject("args").get("name").getAsString())
                        .toList());
        assertEquals(6, events(whole, "X").size());
    }

    @Test
    void whatIsNoTraceIsNamed() throws Exception {
        Path file = Files.writeString(folder.resolve("odd"), "[]");
        var refused = assertThrows(IOException.class, () -> ChromeTrace.merge(List.of(file), folder.resolve("whole")));
        assertTrue(refused.toString().contains(file.toString()), refused::toString);
    }

    @Test
    void aFloodOfSpansIsCountedAndNotKept() throws Exception {
        var trace = new ChromeTrace(0, 10);
        for (int i = 0; i < 13; i++) {
            trace.segment(1, Phase.SEND, 0, 4, i, i + 1);
        }
        trace.ended(CALL);
        Path file = folder.resolve("flood");
        trace.write(file);
        assertEquals(10, events(file, "X").size());
        assertEquals(
                4,
                whole(file)
                        .getAsJsonObject("otherData")
                        .get("spans_left_out_at_the_end")
                        .getAsInt(),
                "three spans and the call");
        assertThrows(IllegalArgumentException.class, () -> new ChromeTrace(0, 0));
    }
}
