package io.hearth.cli.show;

import static org.junit.jupiter.api.Assertions.assertEquals;

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

final class TopologyCommandTest {
    private static final String HOME = """
            {"schema":1,"self":"a","nodes":[
            {"id":"a","short_id":"aaaa","name":"studio","profile":true,"label":"studio","cores":12,"chip":"Apple M4",
             "accelerator":"metal","load_percent":31,"battery_percent":80,"on_mains":true},
            {"id":"b","short_id":"bbbb","name":"shed","profile":true,"label":"shed","cores":4,"accelerator":"scalar"},
            {"id":"c","short_id":"cccc","name":"cccc","profile":false}],
            "links":[
            {"from":"a","to":"b","from_name":"studio","to_name":"shed","class":"ethernet","rtt_ms":0.2,
             "bytes_per_second":117500000,"back":"measured","paths":[
             {"path":"10.0.0.2:1","class":"ethernet","evidence":"x","rtt_ms":0.2,"bytes_per_second":117500000,
              "loss_permille":3,"age_s":61},
             {"path":"10.0.1.2:1","class":"wifi","evidence":"y","rtt_ms":2.5,"age_s":7200}]},
            {"from":"a","to":"c","from_name":"studio","to_name":"cccc","class":"vpn","rtt_ms":20.0,"back":"one_way",
             "paths":[{"path":"10.9.0.3:1","class":"vpn","evidence":"z","rtt_ms":20.0,"bytes_per_second":1187500,
              "age_s":1}]}],
            "history":[{"at_ms":1000,"change":"0"},{"at_ms":1000,"change":"1"},{"at_ms":1000,"change":"2"},
             {"at_ms":1000,"change":"3"},{"at_ms":1000,"change":"4"},
             {"at_ms":61000,"change":"studio -> shed: 940 -> 95.0 Mbit/s"}]}
            """;

    @Test
    void aPersonReadsNodesLinksAndTheLatestChanges() {
        assertEquals(List.of("""
                NODE  NAME    CORES  CHIP            ACCELERATOR  LOAD  BATTERY
                aaaa  studio  12     Apple M4        metal        31 %  80 %, on mains  (this node)
                bbbb  shed    4                      scalar
                cccc  cccc           no profile yet

                FROM    TO    CLASS     RTT      MBIT/S        AGE   PATH        NOTE
                studio  shed  ethernet  0.2 ms   940           61 s  10.0.0.2:1  loss 3 per thousand
                studio  shed  wifi      2.5 ms   not measured  2 h   10.0.1.2:1
                studio  cccc  vpn       20.0 ms  9.5           1 s   10.9.0.3:1  one way
                changed 2 min ago: 1
                changed 2 min ago: 2
                changed 2 min ago: 3
                changed 2 min ago: 4
                changed 60 s ago: studio -> shed: 940 -> 95.0 Mbit/s
                """.split("\n", -1)), List.of(shown(HOME).split("\n", -1)));
    }

    @Test
    void aLonelyNodeHasNoLinks() {
        assertEquals("""
                NODE  NAME    CORES  CHIP  ACCELERATOR  LOAD  BATTERY
                aaaa  studio  2            scalar       0 %   7 %      (this node)

                no link is measured yet
                STUCK: look at its output
                """, shown("""
                {"self":"a","nodes":[{"id":"a","short_id":"aaaa","name":"studio","profile":true,"cores":2,
                "accelerator":"scalar","load_percent":0,"battery_percent":7,"on_mains":false}],
                "links":[],"history":[],"stuck":"look at its output"}
                """));
    }

    private static String shown(String topology) {
        var out = new ByteArrayOutputStream();
        var none = new PrintStream(OutputStream.nullOutputStream(), true, StandardCharsets.UTF_8);
        var terminal = new Terminal(
                new PrintStream(out, true, StandardCharsets.UTF_8),
                none,
                InputStream.nullInputStream(),
                Map.of(),
                false);
        new TopologyCommand(terminal).show(JsonParser.parseString(topology).getAsJsonObject(), 121_000);
        return out.toString(StandardCharsets.UTF_8);
    }
}
