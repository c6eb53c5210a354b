package io.hearth.bench;

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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ChromeTraceTest {
    private static final Collective CALL = new Collective(
            7, Signature.Kind.ALL_REDUCE, 4096, 2, "WholeExchange", true, 1_000, 9_500, Map.of(Phase.SEND, 2_500L));

    @TempDir
    @SuppressWarnings("NullAway.Init") // JUnit sets it
    private Path folder;

    private Path ofRank(int rank) throws IOException {
        var recorder = new SpanRecorder();
        recorder.segment(7, Phase.SEND, 1 - rank, 4096, 2_000, 4_500);
        recorder.segment(7, Phase.COPY, -1, 4096, 8_000, 9_000);
        recorder.ended(CALL);
        var trace = ChromeTrace.ofRank(rank);
        trace.add(rank, recorder.last().orElseThrow(), recorder.spans(), recorder.dropped());
        Path file = folder.resolve("rank" + rank);
        trace.write(file);
        return file;
    }

    private static List<JsonObject> events(Path file, String phase) throws IOException {
        var found = new ArrayList<JsonObject>();
        JsonObject whole = JsonParser.parseString(Files.readString(file)).getAsJsonObject();
        for (JsonElement event : whole.getAsJsonArray("traceEvents")) {
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
    void whatACodecDoesIsInTheRowOfItsThread() throws Exception {
        var recorder = new SpanRecorder();
        recorder.segment(7, Phase.ENCODE, -1, 4096, 2_000, 4_500);
        Thread.ofPlatform()
                .start(() -> recorder.segment(7, Phase.DECODE, -1, 4096, 3_000, 4_000))
                .join();
        recorder.ended(CALL);
        var trace = ChromeTrace.ofRank(0);
        trace.add(0, recorder.last().orElseThrow(), recorder.spans(), recorder.dropped());
        Path file = folder.resolve("codec");
        trace.write(file);
        assertEquals(
                List.of("encode 1", "decode 2"),
                events(file, "X").stream()
                        .skip(1)
                        .map(span -> span.get("name").getAsString() + " "
                                + span.get("tid").getAsInt())
                        .toList());
    }

    @Test
    void mergedEachRankIsAProcess() throws Exception {
        Path whole = folder.resolve("whole");
        ChromeTrace.merged(List.of(ofRank(0), ofRank(1))).write(whole);
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
        var refused = assertThrows(IOException.class, () -> ChromeTrace.merged(List.of(file)));
        assertTrue(refused.toString().contains(file.toString()), refused::toString);
    }

    @Test
    void aFloodOfSpansIsCountedAndNotKept() {
        var recorder = new SpanRecorder();
        for (int i = 0; i < SpanRecorder.SPANS_MAX + 3; i++) {
            recorder.segment(1, Phase.SEND, 0, 4, i, i + 1);
        }
        assertEquals(SpanRecorder.SPANS_MAX, recorder.spans().size());
        assertEquals(3, recorder.dropped());
    }
}
