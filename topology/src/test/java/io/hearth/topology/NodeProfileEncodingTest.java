package io.hearth.topology;

import static io.hearth.topology.Nodes.PROFILE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.core.MalformedMessageException;
import io.hearth.identity.Labels;
import io.hearth.topology.NodeLoad.Battery;
import io.hearth.topology.wire.NodeProfileMessage;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class NodeProfileEncodingTest {
    @Test
    void aProfileArrivesAsSent() throws MalformedMessageException {
        assertEquals(PROFILE, NodeProfileEncoding.decode(NodeProfileEncoding.encode(PROFILE)));
        for (NodeProfile each : List.of(
                PROFILE.onChip("Apple M4 Max"),
                PROFILE.loaded(new NodeLoad(0, Optional.empty())),
                PROFILE.loaded(new NodeLoad(NodeLoad.PERCENT_MAX, Optional.of(new Battery(0, false)))),
                PROFILE.loaded(new NodeLoad(NodeLoad.UNKNOWN, Optional.of(new Battery(100, true)))))) {
            assertEquals(each, NodeProfileEncoding.decode(NodeProfileEncoding.encode(each)));
        }
    }

    /** The bytes that nodes sent before profiles had a chip and a load. */
    @Test
    void aProfileOfAFormerVersionIsReadWithoutChipAndLoad() throws MalformedMessageException {
        byte[] former = HexFormat.of()
                .parseHex("0a076b69746368656e12094c696e757820362e311a05616d64363420082880808080403"
                        + "20a766563746f722d3531323a05302e312e30");
        assertEquals(PROFILE, NodeProfileEncoding.decode(former));
    }

    @Test
    void theLargestProfileFitsTheLimits() throws MalformedMessageException {
        String wide = "\uD83D\uDD25".repeat(200);
        var largest = new NodeProfile(
                wide,
                wide,
                wide,
                NodeProfile.CORES_MAX,
                Long.MAX_VALUE,
                wide,
                wide,
                wide,
                new NodeLoad(NodeLoad.PERCENT_MAX, Optional.of(new Battery(100, true))));
        byte[] bytes = NodeProfileEncoding.encode(largest);
        assertTrue(bytes.length < 2_048, bytes.length + " bytes");
        assertEquals(largest, NodeProfileEncoding.decode(bytes));
    }

    @ParameterizedTest
    @CsvSource({"0, 1", "65537, 1", "-1, 1", "4, -1"})
    void numbersOutOfRangeAreRefused(int cores, long memoryBytes) {
        byte[] bytes = NodeProfileMessage.newBuilder()
                .setCores(cores)
                .setMemoryBytes(memoryBytes)
                .build()
                .toByteArray();
        assertThrows(MalformedMessageException.class, () -> NodeProfileEncoding.decode(bytes));
    }

    @ParameterizedTest
    @CsvSource({"100001, 1", "-1, 1", "1, 101", "1, -1"})
    void loadsOutOfRangeAreRefused(int load, int charge) {
        byte[] bytes = NodeProfileMessage.newBuilder()
                .setCores(1)
                .setLoadPercent(load)
                .setBatteryPercent(charge)
                .build()
                .toByteArray();
        assertThrows(MalformedMessageException.class, () -> NodeProfileEncoding.decode(bytes));
    }

    @Test
    void textsOfAPeerAreCleaned() throws MalformedMessageException {
        byte[] bytes = NodeProfileMessage.newBuilder()
                .setLabel("\u001b[2Jkit\u202Echen\r\n\u0007 of \u2066Anna\u2069 " + "x".repeat(100))
                .setOs("Linux\u0000")
                .setChip("M4\u001b")
                .setCores(1)
                .build()
                .toByteArray();
        NodeProfile profile = NodeProfileEncoding.decode(bytes);
        assertTrue(profile.label().startsWith("[2Jkitchen of Anna xxx"), profile.label());
        assertEquals(63, profile.label().length());
        assertEquals("Linux", profile.os());
        assertEquals("M4", profile.chip());
    }

    /** For any bytes, the codec gives a profile within its bounds or throws MalformedMessageException. */
    @Test
    void mutatedFramesNeverEscape() {
        byte[] good = NodeProfileEncoding.encode(
                PROFILE.onChip("Apple M4").loaded(new NodeLoad(50, Optional.of(new Battery(70, true)))));
        var random = new SplittableRandom(40);
        int read = 0;
        int refused = 0;
        for (int i = 0; i < 200_000; i++) {
            byte[] bytes = Arrays.copyOf(good, random.nextInt(8) == 0 ? random.nextInt(good.length + 8) : good.length);
            for (int flips = random.nextInt(1, 5); flips > 0 && bytes.length > 0; flips--) {
                bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
            }
            try {
                NodeProfile profile = NodeProfileEncoding.decode(bytes);
                assertFalse(profile.label().chars().anyMatch(Character::isISOControl));
                assertTrue(profile.label().codePointCount(0, profile.label().length()) <= Labels.CHARACTERS_MAX);
                read++;
            } catch (MalformedMessageException expected) {
                refused++;
            }
        }
        assertTrue(read > 1_000 && refused > 1_000, read + " read, " + refused + " refused");
    }
}
