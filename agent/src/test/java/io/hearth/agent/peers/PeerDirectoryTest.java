package io.hearth.agent.peers;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.core.Bytes;
import io.hearth.core.MalformedMessageException;
import io.hearth.election.health.HealthStatus;
import io.hearth.election.health.PeerHealth;
import io.hearth.identity.NodeId;
import io.hearth.identity.PeerId;
import io.hearth.topology.ConnectionProfile;
import io.hearth.topology.InterfaceClass;
import io.hearth.topology.LinkReport;
import io.hearth.topology.LinkReports;
import io.hearth.topology.LoadUpdates;
import io.hearth.topology.NodeLoad;
import io.hearth.topology.NodeLoad.Battery;
import io.hearth.topology.NodeProfile;
import io.hearth.topology.NodeProfileEncoding;
import io.hearth.topology.PathProfile;
import io.hearth.topology.memory.Measurement;
import io.hearth.topology.memory.Measurements;
import io.hearth.transport.Endpoint;
import io.hearth.transport.LinkInfo;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

final class PeerDirectoryTest {
    private static final NodeProfile OWN = new NodeProfile("studio", "macOS 26", "aarch64", 12, 0, "metal", "0.1.0");
    private static final NodeProfile OTHER = new NodeProfile("kitchen", "Linux", "amd64", 8, 0, "scalar", "0.1.0");
    private static final NodeId SELF = node(1);
    private static final NodeId PEER = node(2);
    private static final long START = 1_000;

    private final PeerDirectory directory = directory(Measurements.NONE);

    @Test
    void aLoadGoesOutWhenItChangedNotablyAndTheGapIsOver() throws MalformedMessageException {
        NodeLoad busy = new NodeLoad(80, Optional.of(new Battery(50, true)));
        assertFalse(directory.loaded(busy, START + 1), "too early");
        assertEquals(busy, NodeProfileEncoding.decode(directory.introduction()).load(), "a new peer gets the newest");
        long later = START + LoadUpdates.GAP_NANOS;
        assertTrue(directory.loaded(busy, later));
        assertFalse(directory.loaded(busy, later + LoadUpdates.GAP_NANOS), "nothing changed since it was sent");
        NodeLoad unplugged = new NodeLoad(80, Optional.of(new Battery(50, false)));
        assertFalse(directory.loaded(unplugged, later + LoadUpdates.GAP_NANOS - 1));
        assertTrue(directory.loaded(unplugged, later + LoadUpdates.GAP_NANOS));
        assertEquals(unplugged, directory.topology().profile(SELF).orElseThrow().load());
    }

    @Test
    void aLaterProfileReplacesTheFormerAndKeepsTheLink() throws MalformedMessageException {
        directory.admitted(link(PEER));
        assertTrue(directory.introduced(PEER, NodeProfileEncoding.encode(OTHER)));
        directory.measured(PEER, health(5_000), START);
        NodeProfile busy = OTHER.loaded(new NodeLoad(99, Optional.empty()));
        assertFalse(directory.introduced(PEER, NodeProfileEncoding.encode(busy)), "the label is the same");
        assertEquals(Optional.of(busy), directory.topology().profile(PEER));
        assertEquals(5_000L, directory.topology().link(SELF, PEER).orElseThrow().roundTripNanos());
        assertTrue(directory.introduced(PEER, NodeProfileEncoding.encode(busy.named("cellar"))));
        assertFalse(directory.introduced(node(3), NodeProfileEncoding.encode(OTHER)), "it has no link");
        assertEquals(Optional.empty(), directory.topology().profile(node(3)));
        assertThrows(MalformedMessageException.class, () -> directory.introduced(PEER, new byte[] {1, 2, 3}));
    }

    @Test
    void throughputIsStoredInBothDirectionsAndKeptWithItsAge() throws MalformedMessageException {
        directory.throughput(PEER, OptionalLong.of(7), OptionalLong.of(9), 50);
        assertEquals(0, directory.topology().links().size(), "no link yet");
        directory.admitted(link(PEER));
        directory.introduced(PEER, NodeProfileEncoding.encode(OTHER));
        directory.measured(PEER, health(5_000), 40);
        directory.throughput(PEER, OptionalLong.of(700), OptionalLong.of(900), 50);
        directory.measured(PEER, health(6_000), 90);
        ConnectionProfile outward = directory.topology().link(SELF, PEER).orElseThrow();
        ConnectionProfile inward = directory.topology().link(PEER, SELF).orElseThrow();
        assertEquals(OptionalLong.of(700), outward.bytesPerSecond());
        assertEquals(OptionalLong.of(900), inward.bytesPerSecond());
        assertEquals(6_000, outward.roundTripNanos());
        assertEquals(6_000, inward.roundTripNanos());
        assertEquals(40, outward.best().ageNanos(90), "the age is that of the throughput");
        assertEquals("127.0.0.1:4711", outward.path());
        assertEquals(InterfaceClass.LOOPBACK, outward.kind());
        assertEquals("a loopback address", outward.best().evidence());
        directory.throughput(PEER, OptionalLong.of(500), OptionalLong.empty(), 95);
        assertEquals(
                OptionalLong.of(500),
                directory.topology().link(SELF, PEER).orElseThrow().bytesPerSecond());
        assertEquals(
                OptionalLong.of(900),
                directory.topology().link(PEER, SELF).orElseThrow().bytesPerSecond());
        directory.lost(PEER, 95);
        assertEquals(0, directory.topology().links().size());
    }

    @Test
    void aLinkThatMovesHasAnotherPathOnlyAtAnotherAddress() throws MalformedMessageException {
        directory.admitted(link(PEER));
        directory.introduced(PEER, NodeProfileEncoding.encode(OTHER));
        directory.measured(PEER, health(5_000), 40);
        directory.throughput(PEER, OptionalLong.of(700), OptionalLong.of(900), 50);
        directory.moved(link(PEER, "127.0.0.1"));
        directory.measured(PEER, health(5_000), 60);
        assertEquals(
                OptionalLong.of(700),
                directory.topology().link(SELF, PEER).orElseThrow().bytesPerSecond());
        directory.moved(link(PEER, "127.0.0.9"));
        directory.measured(PEER, health(6_000), 70);
        PathProfile moved = directory.topology().link(SELF, PEER).orElseThrow().best();
        assertTrue(moved.path().startsWith("127.0.0.9:"), moved::path);
        assertEquals(OptionalLong.empty(), moved.bytesPerSecond());
        directory.moved(link(node(3), "127.0.0.9"));
        assertEquals(Optional.empty(), directory.topology().link(SELF, node(3)), "it was never admitted");
    }

    @Test
    void aLinkToAnyAddressOfThisMachineNeedsNoNetwork() throws Exception {
        List<InetAddress> own = NetworkInterface.networkInterfaces()
                .flatMap(NetworkInterface::inetAddresses)
                .toList();
        for (int i = 0; i < own.size(); i++) {
            NodeId peer = node(10 + i);
            directory.admitted(link(peer, own.get(i).getHostAddress()));
            directory.introduced(peer, NodeProfileEncoding.encode(OTHER));
            directory.measured(peer, health(5_000), START);
            assertEquals(
                    InterfaceClass.LOOPBACK,
                    directory.topology().link(SELF, peer).orElseThrow().kind(),
                    own.get(i)::toString);
        }
    }

    @Test
    void aNewLinkToTheSameAddressBeginsWithTheFormerMeasurements() throws MalformedMessageException {
        directory.admitted(link(PEER));
        directory.introduced(PEER, NodeProfileEncoding.encode(OTHER));
        directory.measured(PEER, health(5_000), 40);
        directory.throughput(PEER, OptionalLong.of(700), OptionalLong.of(900), 50);
        var expected = new Measurement(
                PEER.peer(), "127.0.0.1", 5_000, OptionalLong.of(700), OptionalLong.of(900), OptionalInt.empty(), 50);
        assertEquals(List.of(expected), directory.measurements(60).list());
        directory.lost(PEER, 60);
        assertEquals(List.of(expected), directory.measurements(70).list(), "the link is lost and not forgotten");

        PeerDirectory restarted = directory(directory.measurements(70));
        var trainer = new NodeId(PEER.peer(), "trainer-0");
        for (NodeId node : List.of(PEER, trainer)) {
            restarted.admitted(link(node));
            restarted.introduced(node, NodeProfileEncoding.encode(OTHER));
            restarted.measured(node, health(8_000), 100);
            ConnectionProfile outward = restarted.topology().link(SELF, node).orElseThrow();
            assertEquals(OptionalLong.of(700), outward.bytesPerSecond());
            assertEquals(8_000, outward.roundTripNanos());
            assertEquals(50, outward.best().ageNanos(100));
            ConnectionProfile inward = restarted.topology().link(node, SELF).orElseThrow();
            assertEquals(OptionalLong.of(900), inward.bytesPerSecond());
            assertEquals(50, inward.best().ageNanos(100));
        }
        assertFalse(restarted.measurements(100).isNews(directory.measurements(70)), "nothing new was measured");
        NodeId stranger = node(3);
        restarted.admitted(link(stranger));
        restarted.introduced(stranger, NodeProfileEncoding.encode(OTHER));
        restarted.measured(stranger, health(8_000), 100);
        assertEquals(
                OptionalLong.empty(),
                restarted.topology().link(SELF, stranger).orElseThrow().bytesPerSecond(),
                "another machine had the address");
    }

    @Test
    void aReportReplacesTheFormerOneAndOfTwoEndsTheWorseRateCounts() throws MalformedMessageException {
        NodeId third = node(3);
        for (NodeId node : List.of(PEER, third)) {
            directory.admitted(link(node));
            directory.introduced(node, NodeProfileEncoding.encode(OTHER));
        }
        var way = new LinkReport.Way("10.0.0.3:1", InterfaceClass.WIFI, 60, OptionalInt.of(20));
        var claim = new LinkReport.Measured(5_000, 100_000_000_000L, 9, 0, Optional.of(way));
        var reports = new LinkReports();
        reports.put(PEER, report(third, claim));
        directory.reported(PEER, reports, 100_000_000_000L);
        PathProfile told = directory.topology().link(PEER, third).orElseThrow().best();
        assertEquals("10.0.0.3:1", told.path());
        assertEquals(InterfaceClass.WIFI, told.kind());
        assertEquals("reported by " + PEER.shortText(), told.evidence());
        assertEquals(60_000_000_000L, told.ageNanos(100_000_000_000L));
        assertEquals(OptionalLong.of(100_000_000_000L), told.bytesPerSecond());
        assertEquals(OptionalInt.of(20), told.lossPermille());
        assertEquals(Optional.empty(), directory.topology().link(third, PEER), "the other end said nothing yet");

        reports.put(third, report(PEER, new LinkReport.Measured(5_000, 50, 700)));
        directory.reported(third, reports, 200_000_000_000L);
        PathProfile corrected =
                directory.topology().link(PEER, third).orElseThrow().best();
        assertEquals(OptionalLong.of(700), corrected.bytesPerSecond(), "the claim of the first is not believed");
        assertEquals(160_000_000_000L, corrected.ageNanos(200_000_000_000L));
        assertEquals(
                OptionalLong.of(9),
                directory.topology().link(third, PEER).orElseThrow().bytesPerSecond());
        assertEquals(
                "reported", directory.topology().link(third, PEER).orElseThrow().path());

        reports.put(PEER, LinkReport.NONE);
        directory.reported(PEER, reports, 300_000_000_000L);
        assertEquals(Optional.empty(), directory.topology().link(PEER, third), "it lost this link");
        assertTrue(directory.topology().link(third, PEER).isPresent());
        directory.reported(SELF, reports, 300_000_000_000L);
        directory.reported(node(4), reports, 300_000_000_000L);
        assertEquals(1, directory.topology().links().size());
    }

    @Test
    void aLinkToThisNodeThatThePeerReportsIsNotOneWay() throws MalformedMessageException {
        directory.admitted(link(PEER));
        directory.introduced(PEER, NodeProfileEncoding.encode(OTHER));
        directory.measured(PEER, health(5_000), 40);
        var reports = new LinkReports();
        reports.put(PEER, report(SELF, new LinkReport.Measured(6_000, 1_000, 2_000)));
        directory.reported(PEER, reports, 50);
        ConnectionProfile back = directory.topology().link(PEER, SELF).orElseThrow();
        assertEquals(OptionalLong.empty(), back.bytesPerSecond(), "this node has not measured it");
        directory.throughput(PEER, OptionalLong.of(700), OptionalLong.of(900), 60);
        directory.reported(PEER, reports, 70);
        ConnectionProfile measured = directory.topology().link(PEER, SELF).orElseThrow();
        assertEquals(OptionalLong.of(900), measured.bytesPerSecond());
        assertEquals("127.0.0.1:4711", measured.path());
    }

    private static LinkReport report(NodeId peer, LinkReport.Measured measured) {
        return new LinkReport(new TreeMap<>(Map.of(peer, measured)));
    }

    private static PeerDirectory directory(Measurements remembered) {
        return new PeerDirectory(SELF, OWN, Collections.emptySortedMap(), remembered, START);
    }

    private static NodeId node(int number) {
        byte[] key = new byte[PeerId.KEY_BYTES];
        Arrays.fill(key, (byte) number);
        return new NodeId(PeerId.of(key), NodeId.AGENT);
    }

    private static LinkInfo link(NodeId peer) {
        return link(peer, "127.0.0.1");
    }

    private static LinkInfo link(NodeId peer, String host) {
        var address = new InetSocketAddress(InetAddress.ofLiteral(host), 4711);
        return new LinkInfo(
                new Endpoint(peer, 1, Bytes.of(new byte[Endpoint.BOOT_ID_BYTES]), Optional.empty()),
                address,
                address,
                true,
                false,
                0,
                0,
                0,
                Bytes.of(new byte[8]));
    }

    private static PeerHealth health(long meanNanos) {
        return new PeerHealth(
                HealthStatus.HEALTHY, 1, 0, 0, OptionalLong.of(meanNanos), OptionalLong.of(meanNanos), 0, 1);
    }
}
