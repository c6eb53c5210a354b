package io.hearth.cli.show;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.hearth.cli.terminal.Terminal;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class PlanCommandTest {
    private static final String UNEVEN = """
            {"schema":1,"self":"a","bytes":67108864,"in_use":"only trainers know the plan in use","groups":[
            {"group":"job","basis":"partly","basis_text":"some links are not measured","in_place":true,"streams":3,
            "members":[{"rank":0,"name":"studio","owns":0.5},{"rank":1,"name":"desk","owns":0.5},
             {"rank":2,"name":"garden","owns":0.0}],
            "chosen":{"algorithm":"direct","text":"direct sum","predicted_ms":5800.4,"reason":"rank 2 receives all"},
            "runner_up":{"algorithm":"ring","text":"ring","predicted_ms":8700.6,"reason":"the slowest hop"},
            "others":[{"algorithm":"islands","text":"islands","reason":"no ranks are closer"}],
            "hops":[{"from":"studio","to":"desk","share":1.0,"bytes_per_second":117500000,"path":"10.0.0.2:1",
              "class":"ethernet","evidence":"reported by abcd","rtt_ms":0.3,"age_s":61},
             {"from":"studio","to":"garden","share":0.5}],
            "hop_count":2,"gaps":[{"from":"desk","to":"garden","mutual":true},{"from":"garden","to":"studio","mutual":false}],
            "one_way":[{"from":"studio","to":"garden"}],"not_measured":[{"from":"studio","to":"garden"}],
            "not_measured_count":20,"without_report":["garden"]}]}
            """;

    @Test
    void aPersonReadsThePlanItsReasonsAndWhatIsMissing() {
        assertEquals("""
                group job, 3 members, a sum of 64 MiB
                plan: direct sum, predicted 5800 ms
                  limit: rank 2 receives all
                  streams: 3 pairs, one stream each
                runner-up: ring, predicted 8701 ms (1.50 x)
                  why not: the slowest hop
                not islands: no ranks are closer
                basis: some links are not measured

                RANK  NAME    OWNS
                0     studio  50.0 %
                1     desk    50.0 %
                2     garden  0.0 %

                FROM    TO      CARRIES  MBIT/S        AGE   RTT     CLASS     PATH
                studio  desk    1.00 x   940           61 s  0.3 ms  ethernet  10.0.0.2:1
                studio  garden  0.50 x   not measured
                CLASS, PATH and AGE are as the sending node reported them; a rate may have been measured again since
                desk and garden cannot reach each other
                garden cannot reach studio
                studio reports a link that is not reported back: garden
                not measured: studio > garden
                  and 12 more
                no links reported yet by garden

                only trainers know the plan in use
                """, shown(UNEVEN));
    }

    @Test
    void aRingIsShownInItsOrderAndTimesFromAssumedRatesSaySo() {
        List<String> lines = shown("""
                {"bytes":1000,"in_use":"x","stuck":"look at its output","groups":[
                {"basis":"round_trips","basis_text":"only round trips","streams":1,"order":["b","a"],
                "members":[{"rank":0,"name":"a"},{"rank":1,"name":"b"}],
                "chosen":{"algorithm":"ring","text":"ring","assumed_ms":0.25,"reason":"r"},"others":[],
                "hops":[],"hop_count":0,"gaps":[],"one_way":[],"not_measured":[],"not_measured_count":0,"without_report":[]}]}
                """).lines().toList();
        assertEquals("no trainer runs, so all nodes count: 2 members, a sum of 1000 B", lines.get(0));
        assertEquals("plan: ring, assumed 0.250 ms", lines.get(1));
        assertEquals("  order: b > a > b", lines.get(3));
        assertEquals("  streams: 1 pair, one stream each", lines.get(4));
        assertEquals("STUCK: look at its output", lines.getLast());
    }

    @Test
    void aNodeAloneAndPartsWithoutAWayAreStated() {
        String one = """
                {"bytes":1024,"in_use":"x","groups":[{"basis":"%s","basis_text":"t","members":[{"rank":0,"name":"a"}],"others":[],
                "hops":[],"hop_count":0,"gaps":[],"one_way":[],"not_measured":[],"not_measured_count":0,"without_report":[]}]}
                """;
        String alone = shown(one.formatted("alone"));
        assertTrue(
                alone.startsWith("no trainer runs, so all nodes count: 1 member, a sum of 1 KiB\nbasis: t\n"), alone);
        assertTrue(shown(one.formatted("measured")).contains("\nNO WAY connects all of them\n"));
    }

    @Test
    void ofManyHopsTheSlowestAreShown() {
        JsonObject answer = JsonParser.parseString(UNEVEN).getAsJsonObject();
        JsonObject group = answer.getAsJsonArray("groups").get(0).getAsJsonObject();
        var hops = new JsonArray();
        for (int i = 0; i < 100; i++) {
            var hop = new JsonObject();
            hop.addProperty("from", "a" + i);
            hop.addProperty("to", "b");
            hop.addProperty("share", 1);
            hop.addProperty("bytes_per_second", 1_000_000 + (i * 37 % 100) * 1_000);
            hops.add(hop);
        }
        group.add("hops", hops);
        group.addProperty("hop_count", 9_900);
        List<String> lines = shown(answer.toString()).lines().toList();
        int title = lines.indexOf("the slowest of 9900 hops:");
        assertTrue(title > 0, lines::toString);
        assertTrue(lines.get(title + 2).startsWith("a0 "), lines.get(title + 2));
        assertTrue(lines.get(title + 25).contains("8.2"), lines.get(title + 25)); // the 24th of them: 1,023,000 B/s
        assertEquals("desk and garden cannot reach each other", lines.get(title + 26));
    }

    private static String shown(String answer) {
        var out = new ByteArrayOutputStream();
        var none = new PrintStream(OutputStream.nullOutputStream(), true, StandardCharsets.UTF_8);
        var terminal = new Terminal(
                new PrintStream(out, true, StandardCharsets.UTF_8),
                none,
                InputStream.nullInputStream(),
                Map.of(),
                false);
        new PlanCommand(terminal).show(JsonParser.parseString(answer).getAsJsonObject());
        return out.toString(StandardCharsets.UTF_8);
    }
}
