package io.hearth.agent.topology;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.agent.loop.NodeInboxTest;
import io.hearth.agent.peers.PeerDirectory;
import io.hearth.core.Bytes;
import io.hearth.core.Clock;
import io.hearth.core.MalformedMessageException;
import io.hearth.election.health.HealthStatus;
import io.hearth.election.health.PeerHealth;
import io.hearth.identity.NodeId;
import io.hearth.topology.ConnectionProfile;
import io.hearth.topology.LinkReport;
import io.hearth.topology.LinkReport.Measured;
import io.hearth.topology.LinkReportEncoding;
import io.hearth.topology.NodeProfile;
import io.hearth.topology.NodeProfileEncoding;
import io.hearth.topology.Straggler;
import io.hearth.topology.bandwidth.Bandwidth;
import io.hearth.topology.bandwidth.BandwidthMachine.Event;
import io.hearth.topology.bandwidth.BandwidthMessage;
import io.hearth.topology.bandwidth.Flow;
import io.hearth.topology.memory.Measurements;
import io.hearth.transport.Endpoint;
import io.hearth.transport.LinkInfo;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class BandwidthTalkTest {
    private static final Measured NOTHING = new Measured(0, 0, 0);
    private static final long SECOND = 1_000_000_000;
    private static final long MIB = 1024L * 1024;
    private static final long GIGABIT = 117_500_000;
    private static final long SLOW = 12_000_000;
    private static final NodeId SELF = NodeInboxTest.node(1);
    private static final NodeId PEER = NodeInboxTest.node(2);
    private static final NodeId THIRD = NodeInboxTest.node(3);
    private static final NodeProfile PROFILE = new NodeProfile("box", "Linux", "amd64", 4, 0, "scalar", "0.1.0");

    private final PeerDirectory directory =
            new PeerDirectory(SELF, PROFILE, Collections.emptySortedMap(), Measurements.NONE, 0);
    private final List<Sent> sent = new ArrayList<>();
    private final List<String> runs = new ArrayList<>();
    private final SortedMap<NodeId, Flow> flows = new TreeMap<>();
    private boolean busy;
    private long codecNanos;
    private long now = 10 * SECOND;
    private final BandwidthTalk talk = new BandwidthTalk(
            SELF,
            new HandClock(),
            directory,
            () -> busy,
            () -> flows,
            () -> codecNanos,
            (to, kind, bytes) -> sent.add(new Sent(to, kind, Bytes.of(bytes))),
            new BandwidthTalk.Measurer() {
                @Override
                public void run(NodeId peer, long number, NodeId asker, long roundTripNanos) {
                    runs.add("run " + number + " asked by " + asker.shortText());
                }

                @Override
                public void stop(long number) {
                    runs.add("stop " + number);
                }
            });

    /** A message that the node sent. */
    private record Sent(NodeId to, int kind, Bytes bytes) {}

    private final class HandClock implements Clock {
        @Override
        public long nanoTime() {
            return now;
        }

        @Override
        public long epochMillis() {
            return 0;
        }
    }

    @BeforeEach
    void aLinkedPeer() throws MalformedMessageException {
        link(PEER);
    }

    private void link(NodeId node) throws MalformedMessageException {
        var address = new InetSocketAddress(InetAddress.getLoopbackAddress(), 4711);
        directory.admitted(new LinkInfo(
                new Endpoint(node, 1, Bytes.of(new byte[Endpoint.BOOT_ID_BYTES]), Optional.empty()),
                address,
                address,
                true,
                false,
                0,
                0,
                0,
                Bytes.of(new byte[8])));
        directory.introduced(node, NodeProfileEncoding.encode(PROFILE));
        directory.measured(
                node,
                new PeerHealth(HealthStatus.HEALTHY, 1, 0, 0, OptionalLong.of(900_000), OptionalLong.of(900_000), 0, 1),
                now);
        talk.admitted(node);
    }

    private void turn() {
        now += SECOND;
        talk.drive();
    }

    /** Measures the link to the peer, as asked. */
    private void measure(long out, long in) throws MalformedMessageException {
        turn();
        talk.heard(PEER, new BandwidthMessage(BandwidthMessage.Type.ACCEPT, 0).encode());
        talk.measuring(new Event.Ended(PEER, 0, Optional.of(new Bandwidth(out, in))));
        turn();
    }

    private static LinkReport report(NodeId peer, Measured measured) {
        return new LinkReport(new TreeMap<>(Map.of(peer, measured)));
    }

    private void reported(NodeId from, NodeId to, Measured measured) throws MalformedMessageException {
        talk.reported(from, LinkReportEncoding.encode(report(to, measured)));
    }

    private Measured own(NodeId peer) {
        return numbers(talk.own().links().getOrDefault(peer, NOTHING));
    }

    /** What the newest report says about the link. */
    private Measured sent(NodeId peer) throws MalformedMessageException {
        return numbers(LinkReportEncoding.decode(reports().getLast().bytes().toArray())
                .links()
                .getOrDefault(peer, NOTHING));
    }

    /** Without the path. */
    private static Measured numbers(Measured of) {
        return new Measured(
                of.roundTripNanos(),
                of.outBytesPerSecond(),
                of.inBytesPerSecond(),
                of.seenBytesPerSecond(),
                Optional.empty());
    }

    private OptionalLong shown(NodeId from, NodeId to) {
        return directory
                .topology()
                .link(from, to)
                .map(ConnectionProfile::bytesPerSecond)
                .orElseThrow();
    }

    private List<Sent> reports() {
        return sent.stream()
                .filter(each -> each.kind() == LinkReportEncoding.KIND)
                .toList();
    }

    @Test
    void aMeasurementIsAskedForRunAndReported() throws MalformedMessageException {
        measure(GIGABIT, SLOW);
        assertEquals(List.of("run 0 asked by " + SELF.shortText()), runs);
        assertEquals(new Measured(900_000, GIGABIT, SLOW), own(PEER));
        assertEquals(OptionalLong.of(GIGABIT), shown(SELF, PEER));
        assertEquals(OptionalLong.of(SLOW), shown(PEER, SELF));
        Sent last = reports().getLast();
        Measured arrived =
                LinkReportEncoding.decode(last.bytes().toArray()).links().getOrDefault(PEER, NOTHING);
        assertEquals(new Measured(900_000, GIGABIT, SLOW), numbers(arrived));
        int before = reports().size();
        turn();
        assertEquals(before, reports().size(), "nothing changed");
        link(THIRD);
        talk.tell(THIRD);
        assertEquals(THIRD, reports().getLast().to(), "a new peer gets the newest report");
    }

    @Test
    void aCollectiveStopsTheMeasurement() throws MalformedMessageException {
        turn();
        talk.heard(PEER, new BandwidthMessage(BandwidthMessage.Type.ACCEPT, 0).encode());
        busy = true;
        turn();
        assertEquals("stop 0", runs.getLast());
        talk.lost(PEER);
        assertEquals(LinkReport.NONE.links(), linksAfterTurn());
    }

    private SortedMap<NodeId, Measured> linksAfterTurn() {
        directory.lost(PEER, now);
        turn();
        return talk.own().links();
    }

    @Test
    void theShortestRoundTripIsReported() {
        talk.roundTrip(PEER, 4_000_000);
        talk.roundTrip(PEER, 250_000);
        talk.roundTrip(PEER, 7_000_000);
        talk.roundTrip(THIRD, 1); // not linked
        turn();
        assertEquals(250_000, own(PEER).roundTripNanos());
        assertEquals(1, talk.own().links().size());
    }

    @Test
    void whatCollectivesShowToThisNodeGoesToTheSenderAndIsNoRateYet() throws MalformedMessageException {
        measure(GIGABIT, GIGABIT);
        busy = true;
        for (int look = 0; look < 2; look++) {
            flows.merge(PEER, new Flow(8 * MIB, 8 * MIB, 8 * MIB * SECOND / SLOW, 0), Flow::plus);
            turn();
        }
        Measured newest = own(PEER);
        assertEquals(GIGABIT, newest.inBytesPerSecond());
        assertTrue(Math.abs(newest.seenBytesPerSecond() - SLOW) < SLOW / 100, newest::toString);
        assertEquals(newest, sent(PEER));
        assertEquals(OptionalLong.of(GIGABIT), shown(PEER, SELF));
        reported(PEER, SELF, new Measured(900_000, SLOW, GIGABIT)); // the sender concludes
        assertEquals(OptionalLong.of(SLOW), shown(PEER, SELF), "both ends show the same");
    }

    @Test
    void whatTheReceiverSeesBecomesThisNodesRate() throws MalformedMessageException {
        measure(GIGABIT, GIGABIT);
        reported(PEER, SELF, new Measured(900_000, GIGABIT, GIGABIT, SLOW, Optional.empty()));
        long changes = talk.reports().changes();
        for (int look = 0; look < 3; look++) {
            assertEquals(GIGABIT, own(PEER).outBytesPerSecond());
            flows.merge(PEER, new Flow(MIB, 0, 0, 0), Flow::plus); // collectives run
            turn();
        }
        assertEquals(SLOW, own(PEER).outBytesPerSecond());
        assertEquals(OptionalLong.of(SLOW), shown(SELF, PEER));
        assertEquals(OptionalLong.of(GIGABIT), shown(PEER, SELF));
        assertTrue(talk.reports().changes() > changes, "so that the lead plans again");
    }

    @Test
    void afterTheLastCollectiveARateOfTheReceiverIsOutdated() throws MalformedMessageException {
        measure(GIGABIT, GIGABIT);
        reported(PEER, SELF, new Measured(900_000, GIGABIT, GIGABIT, SLOW, Optional.empty()));
        for (int look = 0; look < 9; look++) {
            turn();
        }
        assertEquals(GIGABIT, own(PEER).outBytesPerSecond());
    }

    @Test
    void aRateThatThePeerConcludedIsMeasuredInTheNextPause() throws MalformedMessageException {
        measure(GIGABIT, GIGABIT);
        for (int sample = 1; sample < 3; sample++) {
            asked(sample);
            talk.measuring(new Event.Ended(PEER, sample, Optional.of(new Bandwidth(GIGABIT, GIGABIT))));
        }
        busy = true;
        turn();
        reported(PEER, SELF, new Measured(900_000, SLOW, GIGABIT));
        now += 60 * SECOND;
        turn();
        busy = false;
        asked(3);
    }

    /** This node asks for another measurement within a few seconds and not before, and the peer takes part. */
    private void asked(long number) throws MalformedMessageException {
        Bytes ask = Bytes.of(new BandwidthMessage(BandwidthMessage.Type.ASK, number).encode());
        assertTrue(sent.stream().noneMatch(message -> message.bytes().equals(ask)), "asked before for " + number);
        for (int second = 0;
                second < 5 && sent.stream().noneMatch(message -> message.bytes().equals(ask));
                second++) {
            turn();
        }
        assertTrue(sent.stream().anyMatch(message -> message.bytes().equals(ask)), "asks for " + number);
        talk.heard(PEER, new BandwidthMessage(BandwidthMessage.Type.ACCEPT, number).encode());
    }

    @Test
    void anAsymmetricLinkIsSeenAsSuchFromBothEnds() throws MalformedMessageException {
        measure(GIGABIT, GIGABIT);
        reported(PEER, SELF, new Measured(900_000, SLOW, GIGABIT)); // the other end counted less on the way here
        assertEquals(OptionalLong.of(SLOW), shown(PEER, SELF));
        assertEquals(OptionalLong.of(GIGABIT), shown(SELF, PEER));
        reported(PEER, SELF, new Measured(900_000, GIGABIT, GIGABIT));
        assertEquals(OptionalLong.of(GIGABIT), shown(PEER, SELF), "and it may recover");
    }

    @Test
    void aLinkOfTwoOthersIsShownOneWayIfOneOfThemReportsIt() throws MalformedMessageException {
        link(THIRD);
        reported(PEER, THIRD, new Measured(500_000, SLOW, 0));
        assertEquals(OptionalLong.of(SLOW), shown(PEER, THIRD));
        assertTrue(directory.topology().link(THIRD, PEER).isEmpty());
    }

    @Test
    void nonsenseIsReportedToTheCaller() {
        assertThrows(MalformedMessageException.class, () -> talk.heard(PEER, new byte[3]));
        assertThrows(MalformedMessageException.class, () -> talk.reported(PEER, new byte[] {1, 2, 3}));
    }

    @Test
    void aPeerThatEncodesForLongIsNamedToAll() throws MalformedMessageException {
        busy = true;
        talk.reported(PEER, LinkReportEncoding.encode(new LinkReport(new TreeMap<>(), Optional.empty(), 90)));
        for (int second = 1; second <= 8; second++) {
            flows.put(PEER, new Flow(second * 1_000L, second * 1_000L, 0, second * SECOND));
            codecNanos += SECOND / 5;
            turn();
        }
        assertEquals(
                Optional.of(new Straggler(PEER, Straggler.Cause.COMPRESSION, 90, 0)),
                talk.own().straggler());
        assertEquals(20, talk.own().codecPercent());
    }
}
