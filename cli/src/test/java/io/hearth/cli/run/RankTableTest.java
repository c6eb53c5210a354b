package io.hearth.cli.run;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hearth.cli.run.RankTable.Place;
import java.io.ByteArrayOutputStream;
import java.net.InetAddress;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class RankTableTest {
    private static final Place STUDIO = new Place(InetAddress.ofLiteral("192.168.1.7"), 40_001, 65_535);
    private static final Place LAPTOP = new Place(InetAddress.ofLiteral("fd00::12"), 40_003, 40_004);
    private static final Place SECOND_OF_STUDIO = new Place(STUDIO.address(), 40_005, 40_006);

    private final RankTable table = new RankTable(List.of(STUDIO, LAPTOP, SECOND_OF_STUDIO));

    @Test
    void placesSurviveTheWire() {
        var gathered = new ByteArrayOutputStream();
        table.places().forEach(place -> gathered.writeBytes(place.bytes()));
        assertEquals(table, RankTable.of(gathered.toByteArray()));
    }

    @Test
    void aProgramIsToldWhatTorchAndMlxAskFor() {
        assertEquals(
                Map.of(
                        "RANK", "2",
                        "WORLD_SIZE", "3",
                        "LOCAL_RANK", "1",
                        "LOCAL_WORLD_SIZE", "2",
                        "MASTER_ADDR", "192.168.1.7",
                        "MASTER_PORT", "40001",
                        "MLX_RANK", "2",
                        "MLX_HOSTFILE", "/hosts"),
                table.environment(2, "/hosts"));
        assertEquals("0", table.environment(1, "/hosts").get("LOCAL_RANK"));
    }

    @Test
    void theHostFileHasOneListOfAddressesForEachRank() {
        assertEquals(
                "[[\"192.168.1.7:65535\"],[\"fd00:0:0:0:0:0:0:12:40004\"],[\"192.168.1.7:40006\"]]", table.hostFile());
    }
}
