package io.hearth.cli.show;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.hearth.cli.terminal.Terminal;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class StatusCommandTest {
    @Test
    void mdnsIsSpokenOfWhenSomethingIsOutOfTheOrdinary() {
        assertEquals(Optional.empty(), StatusText.mdns(counters(0, 0, "")));
        assertEquals(
                Optional.of("mDNS on en0: 7 packets dropped (malformed, too large, too many or off the link)"),
                StatusText.mdns(counters(7, 0, "")));
        assertEquals(
                Optional.of("mDNS on en0: mDNS listener restarted 1 time (its listener ended, 7 s ago)"),
                StatusText.mdns(counters(0, 1, "its listener ended")));
        assertEquals(
                Optional.of("mDNS on en0: 7 packets dropped (malformed, too large, too many or off the link), mDNS"
                        + " listener restarted 2 times (its listener ended, 7 s ago)"),
                StatusText.mdns(counters(7, 2, "its listener ended")));
    }

    @Test
    void aPersonReadsWhoIsApartWhatIsWaitedForAndWhoToldAStrangeView() {
        String self = "12D3KooW" + "a".repeat(36) + "selfself";
        String peer = "12D3KooW" + "a".repeat(36) + "peerpeer";
        String status = """
                {"namespace":{"name":"home","key_id":"00","open":false},"master":"%1$s","state":"stalled",
                "view":{"lineage":"selfself#1.0","epoch":7,"members":2,"told_by":"peerpeer"},
                "nodes":[{"id":"%1$s","label":"desk","self":true,"rank":0,"health":"healthy"},
                {"id":"%2$s","label":"mac","self":false,"rank":1,"health":"degraded",
                "apart":"has not voted for 12 s; look at its disk"}],
                "waiting":"no quorum of the machines has been heard for 9 s; waiting for peerpeer (not heard)",
                "refused":[],"faults":[{"who":"peerpeer","count":2,"why":"one of the two is forged"}]}
                """.formatted(self, peer);
        List<String> lines = shown(status);
        assertEquals(
                "view 7 of selfself#1.0, 2 members, master desk, this node is stalled, view from peerpeer",
                lines.get(1));
        assertTrue(lines.get(4).contains("mac") && lines.get(4).contains("degraded"), lines::toString);
        assertEquals(
                List.of(
                        "apart: mac has not voted for 12 s; look at its disk",
                        "waiting: no quorum of the machines has been heard for 9 s; waiting for peerpeer (not heard)",
                        "rejected: peerpeer (2 times): one of the two is forged"),
                lines.subList(5, lines.size()));
        assertTrue(shown(status.replace("\"told_by\":\"peerpeer\"", "\"told_by\":\"selfself\""))
                .get(1)
                .endsWith("this node is stalled"));
        assertTrue(shown(status.replace("\"told_by\":\"peerpeer\"", "\"told_by\":\"this node\""))
                .get(1)
                .endsWith("this node is stalled"));
    }

    @Test
    void aPersonReadsWhoAnswersForEachServiceOrWhyNobodyDoes() {
        List<String> lines = shown(AWAY.replace("\"away\":", """
                "services":[{"name":"scheduler","address":"http://127.0.0.1:29512","answered_by":"12D3KooWaaaaaaaa","keepers":3,
                "jobs":[{"name":"digits","state":"running","reason":"","epoch":2,"epochs":3,"parts_done":5,"parts":8,
                "samples_per_second":0},{"name":"old","state":"completed"}]},
                {"name":"lighthouse","address":"http://127.0.0.1:29510","vacancy":"too many are out of reach","jobs":[]}],
                "away":"""));
        assertTrue(
                lines.containsAll(List.of(
                        "service scheduler at http://127.0.0.1:29512: living-room-studio answers, its state is on 3 machines",
                        "  job digits: epoch 2 of 3, 5 of 8 shards",
                        "service lighthouse at http://127.0.0.1:29510: too many are out of reach")),
                lines::toString);
        assertTrue(lines.stream().noneMatch(line -> line.contains("old")), lines::toString);
    }

    private static final String AWAY = """
            {"namespace":{"name":"home","key_id":"00","open":false},"master":"a","state":"master",
            "view":{"lineage":"a#1.0","epoch":7,"members":1,"told_by":"this node"},
            "agent":{"version":"0.1.0","started_ms":1000},
            "nodes":[{"id":"12D3KooWaaaaaaaa","label":"living-room-studio","self":true,"role":"agent","rank":0,
            "health":"healthy","address":"192.168.178.23:52416","version":"0.1.0","rtt_mean_ms":0.25}],
            "away":[{"id":"12D3KooWbbbbbbbb","label":"book","address":"192.168.178.24:52416",
            "since_ms":61000,"why":"silent for 1.9 s"}],"refused":[],"faults":[]}
            """;

    @Test
    void aMachineThatIsAwayKeepsItsNameItsAddressAndTheReason() {
        List<String> lines = new StatusText(JsonParser.parseString(AWAY).getAsJsonObject(), 200, 901_000).lines();
        assertEquals("namespace home (key 00), up 15 min", lines.getFirst());
        String moment = DateTimeFormatter.ofPattern("HH:mm", Locale.ROOT)
                .format(Instant.ofEpochMilli(61_000).atZone(ZoneId.systemDefault()));
        assertEquals(
                "away: book since " + moment + " (14 min): silent for 1.9 s; it was at 192.168.178.24:52416",
                lines.getLast());
    }

    @ParameterizedTest
    @ValueSource(ints = {40, 50, 60, 80, 100, 120})
    void theTableFitsTheTerminal(int width) {
        List<String> lines = new StatusText(JsonParser.parseString(AWAY).getAsJsonObject(), width, 901_000).lines();
        List<String> table = lines.subList(2, 4);
        assertTrue(table.stream().allMatch(line -> line.length() <= width), table::toString);
        assertTrue(table.getLast().contains("living-roo") || width == 40, table::toString);
        assertTrue(table.getLast().contains("healthy") && table.getLast().contains("0.3 ms"), table::toString);
        assertEquals(width >= 120, table.getLast().contains("0.1.0"), table::toString);
    }

    private static List<String> shown(String status) {
        var out = new ByteArrayOutputStream();
        var none = new PrintStream(OutputStream.nullOutputStream(), true, StandardCharsets.UTF_8);
        var terminal = new Terminal(
                new PrintStream(out, true, StandardCharsets.UTF_8),
                none,
                InputStream.nullInputStream(),
                Map.of(),
                false);
        new StatusCommand(terminal).show(JsonParser.parseString(status).getAsJsonObject());
        return out.toString(StandardCharsets.UTF_8).lines().toList();
    }

    private static JsonObject counters(long dropped, long restarted, String why) {
        var counters = new JsonObject();
        counters.addProperty("interface", "en0");
        counters.addProperty("dropped", dropped);
        counters.addProperty("restarted", restarted);
        counters.addProperty("restart_reason", why);
        counters.addProperty("restarted_s_ago", 7);
        return counters;
    }
}
