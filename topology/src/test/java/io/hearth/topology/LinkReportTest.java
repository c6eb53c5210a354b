package io.hearth.topology;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.core.MalformedMessageException;
import io.hearth.identity.NodeId;
import io.hearth.topology.LinkReport.Measured;
import io.hearth.topology.wire.LinkReportMessage;
import io.hearth.topology.wire.MeasuredLinkMessage;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class LinkReportTest {
    private static final NodeId ONE = Nodes.node(1);
    private static final NodeId TWO = Nodes.node(2);

    private static LinkReport report(NodeId peer, long roundTripNanos, long out, long in) {
        return new LinkReport(new TreeMap<>(Map.of(peer, new Measured(roundTripNanos, out, in))));
    }

    @Test
    void aReportArrivesAsSent() throws MalformedMessageException {
        LinkReport report = report(TWO, 300_000, 118_000_000, 11_900_000);
        assertEquals(report, LinkReportEncoding.decode(LinkReportEncoding.encode(report)));
        var seen =
                new LinkReport(new TreeMap<>(Map.of(TWO, new Measured(300_000, 1, 2, 11_000_000, Optional.empty()))));
        assertEquals(seen, LinkReportEncoding.decode(LinkReportEncoding.encode(seen)));
        for (Straggler.Cause cause : Straggler.CAUSES) {
            var named = new LinkReport(seen.links(), Optional.of(new Straggler(ONE, cause, 7, 9)), 37);
            assertEquals(named, LinkReportEncoding.decode(LinkReportEncoding.encode(named)));
        }
    }

    @Test
    void whatCollectivesShowIsSentButMakesNoPlanAndNoRate() {
        var reports = new LinkReports();
        reports.put(ONE, report(TWO, 300, 500, 500));
        long changes = reports.changes();
        var seen = new LinkReport(new TreeMap<>(Map.of(TWO, new Measured(300, 500, 500, 40, Optional.empty()))));
        assertTrue(seen.differs(report(TWO, 300, 500, 500)));
        reports.put(ONE, seen);
        assertEquals(changes, reports.changes());
        assertEquals(40, reports.seenBytesPerSecond(TWO, ONE));
        assertEquals(0, reports.seenBytesPerSecond(ONE, TWO));
        assertEquals(OptionalLong.of(500), reports.bytesPerSecond(TWO, ONE));
    }

    @Test
    void aPathArrivesWithItsClassAndAge() throws MalformedMessageException {
        for (InterfaceClass kind : InterfaceClass.values()) {
            var way = new LinkReport.Way("10.0.0.2:4711", kind, 86_400, OptionalInt.of(15));
            var report = new LinkReport(new TreeMap<>(Map.of(TWO, new Measured(300, 7, 9, 0, Optional.of(way)))));
            assertEquals(report, LinkReportEncoding.decode(LinkReportEncoding.encode(report)));
        }
        assertThrows(
                IllegalArgumentException.class,
                () -> new LinkReport.Way("a", InterfaceClass.WIFI, -1, OptionalInt.empty()));
        assertThrows(
                IllegalArgumentException.class,
                () -> new LinkReport.Way("a", InterfaceClass.WIFI, 1, OptionalInt.of(1_001)));
    }

    @Test
    void anUnknownClassIsOtherAndAnAgeOutOfRangeIsRejected() throws MalformedMessageException {
        MeasuredLinkMessage.Builder link =
                MeasuredLinkMessage.newBuilder().setPeer(TWO.text()).setPath("10.0.0.2:1");
        LinkReport later = LinkReportEncoding.decode(LinkReportMessage.newBuilder()
                .addLinks(link.setInterfaceClass(99))
                .build()
                .toByteArray());
        assertEquals(
                Optional.of(new LinkReport.Way("10.0.0.2:1", InterfaceClass.OTHER, 0, OptionalInt.empty())),
                later.links().values().iterator().next().way());
        byte[] old = LinkReportMessage.newBuilder()
                .addLinks(link.setAgeSeconds(LinkReport.Way.AGE_SECONDS_MAX + 1))
                .build()
                .toByteArray();
        assertThrows(MalformedMessageException.class, () -> LinkReportEncoding.decode(old));
    }

    @Test
    void aReportIsSentAgainForAnotherPathAndNotForItsAge() {
        LinkReport first = over("10.0.0.2:1", InterfaceClass.ETHERNET, 5);
        assertFalse(first.differs(over("10.0.0.2:1", InterfaceClass.ETHERNET, 500)));
        assertTrue(first.differs(over("10.0.0.3:1", InterfaceClass.ETHERNET, 5)));
        assertTrue(first.differs(over("10.0.0.2:1", InterfaceClass.WIFI, 5)));
        assertTrue(first.differs(report(TWO, 300, 7, 9)));
    }

    private static LinkReport over(String path, InterfaceClass kind, long ageSeconds) {
        var way = new LinkReport.Way(path, kind, ageSeconds, OptionalInt.empty());
        return new LinkReport(new TreeMap<>(Map.of(TWO, new Measured(300, 7, 9, 0, Optional.of(way)))));
    }

    @Test
    void theLargestReportFitsAFrame() throws MalformedMessageException {
        var links = new TreeMap<NodeId, Measured>();
        for (int i = 0; i < LinkReport.LINKS_MAX; i++) {
            NodeId node = new NodeId(Nodes.node(i).peer(), "trainer-" + "9".repeat(24));
            links.put(
                    node,
                    new Measured(
                            LinkReport.ROUND_TRIP_NANOS_MAX,
                            LinkReport.BYTES_PER_SECOND_MAX,
                            LinkReport.BYTES_PER_SECOND_MAX,
                            LinkReport.BYTES_PER_SECOND_MAX,
                            Optional.of(new LinkReport.Way(
                                    "9".repeat(PathProfile.PATH_CHARACTERS_MAX),
                                    InterfaceClass.VIRTUAL,
                                    LinkReport.Way.AGE_SECONDS_MAX,
                                    OptionalInt.of(PathProfile.LOSS_PERMILLE_MAX)))));
        }
        byte[] bytes = LinkReportEncoding.encode(new LinkReport(links));
        assertTrue(bytes.length <= 64 * 1024, () -> bytes.length + " bytes");
        assertEquals(links, LinkReportEncoding.decode(bytes).links());
    }

    @ParameterizedTest
    @CsvSource({"-1, 0, 0", "0, -1, 0", "0, 0, -1", "60000000001, 0, 0", "0, 1000000000001, 0", "0, 0, 1000000000001"})
    void valuesOutOfRangeAreRejected(long roundTrip, long out, long in) {
        byte[] bytes = LinkReportMessage.newBuilder()
                .addLinks(MeasuredLinkMessage.newBuilder()
                        .setPeer(TWO.text())
                        .setRoundTripNanos(roundTrip)
                        .setOutBytesPerSecond(out)
                        .setInBytesPerSecond(in))
                .build()
                .toByteArray();
        assertThrows(MalformedMessageException.class, () -> LinkReportEncoding.decode(bytes));
    }

    @Test
    void damagedReportsNeverEscape() {
        byte[] good = LinkReportEncoding.encode(report(TWO, 300_000, 118_000_000, 11_900_000));
        var random = new SplittableRandom(44);
        int rejected = 0;
        for (int i = 0; i < 100_000; i++) {
            byte[] bytes = Arrays.copyOf(good, random.nextInt(8) == 0 ? random.nextInt(good.length + 8) : good.length);
            for (int flips = random.nextInt(1, 5); flips > 0 && bytes.length > 0; flips--) {
                bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
            }
            try {
                LinkReportEncoding.decode(bytes);
            } catch (MalformedMessageException expected) {
                rejected++;
            }
        }
        assertTrue(rejected > 1_000, rejected + " rejected");
    }

    @ParameterizedTest
    @CsvSource({
        // round trip, out, in of the second report; whether it is worth sending
        "300, 1000, 1000, false",
        "400, 1000, 1000, false",
        "700, 1000, 1000, true",
        "300, 900, 1000, false",
        "300, 800, 1000, true",
        "300, 1000, 1200, true",
        "300, 0, 1000, true",
        "0, 1000, 1000, true",
    })
    void aReportIsSentAgainWhenItChangedByMoreThanNoise(long roundTrip, long out, long in, boolean differs) {
        assertEquals(differs, report(TWO, 300, 1_000, 1_000).differs(report(TWO, roundTrip, out, in)));
    }

    @Test
    void aReportThatNamesAnotherStragglerDiffers() {
        LinkReport none = report(TWO, 300, 0, 0);
        var slow = new LinkReport(none.links(), Optional.of(new Straggler(ONE, Straggler.Cause.LINK, 7, 9)), 0);
        var busy = new LinkReport(none.links(), Optional.of(new Straggler(ONE, Straggler.Cause.CPU, 7, 9)), 0);
        var again = new LinkReport(none.links(), Optional.of(new Straggler(ONE, Straggler.Cause.LINK, 6, 9)), 0);
        assertTrue(none.differs(slow));
        assertTrue(slow.differs(none));
        assertTrue(slow.differs(busy));
        assertFalse(slow.differs(again));
    }

    @Test
    void aNotableChangeOfTheCodecsShareDiffers() {
        LinkReport none = report(TWO, 300, 0, 0);
        assertFalse(none.differs(new LinkReport(none.links(), Optional.empty(), 9)));
        assertTrue(none.differs(new LinkReport(none.links(), Optional.empty(), 10)));
        assertThrows(IllegalArgumentException.class, () -> new LinkReport(none.links(), Optional.empty(), 101));
    }

    @Test
    void aCauseOfALaterVersionIsIgnoredAndAWrongNodeRejected() throws MalformedMessageException {
        byte[] later = LinkReportMessage.newBuilder()
                .setStraggler(ONE.text())
                .setStragglerCause(5)
                .build()
                .toByteArray();
        assertEquals(LinkReport.NONE, LinkReportEncoding.decode(later));
        byte[] nobody =
                LinkReportMessage.newBuilder().setStragglerCause(1).build().toByteArray();
        assertThrows(MalformedMessageException.class, () -> LinkReportEncoding.decode(nobody));
        byte[] negative = LinkReportMessage.newBuilder()
                .setStraggler(ONE.text())
                .setStragglerCause(1)
                .setStragglerValue(-1)
                .build()
                .toByteArray();
        assertThrows(MalformedMessageException.class, () -> LinkReportEncoding.decode(negative));
    }

    @Test
    void aReportOfAnotherLinkDiffers() {
        assertTrue(report(TWO, 300, 0, 0).differs(LinkReport.NONE));
        assertTrue(report(TWO, 300, 0, 0).differs(report(ONE, 300, 0, 0)));
        assertFalse(LinkReport.NONE.differs(LinkReport.NONE));
    }

    @Test
    void ofTwoEndsTheWorseValueCounts() {
        var reports = new LinkReports();
        reports.put(ONE, report(TWO, 300, 100_000_000_000L, 50));
        assertEquals(OptionalLong.of(100_000_000_000L), reports.bytesPerSecond(ONE, TWO));
        reports.put(TWO, report(ONE, 500, 60, 125_000_000));
        assertEquals(
                OptionalLong.of(125_000_000), reports.bytesPerSecond(ONE, TWO)); // the claim of ONE is not believed
        assertEquals(OptionalLong.of(50), reports.bytesPerSecond(TWO, ONE));
        assertEquals(OptionalLong.of(500), reports.roundTripNanos(ONE, TWO));
        assertEquals(OptionalLong.of(500), reports.roundTripNanos(TWO, ONE));
    }

    @Test
    void oneEndIsEnoughAndNoneIsUnknown() {
        var reports = new LinkReports();
        assertEquals(OptionalLong.empty(), reports.bytesPerSecond(ONE, TWO));
        reports.put(TWO, report(ONE, 0, 60, 0));
        assertEquals(OptionalLong.of(60), reports.bytesPerSecond(TWO, ONE));
        assertEquals(OptionalLong.empty(), reports.bytesPerSecond(ONE, TWO));
        assertEquals(OptionalLong.empty(), reports.roundTripNanos(ONE, TWO));
        assertTrue(reports.has(TWO));
        reports.remove(TWO);
        assertEquals(OptionalLong.empty(), reports.bytesPerSecond(TWO, ONE));
    }
}
