package io.hearth.agent.peers;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.agent.loop.NodeEvent;
import io.hearth.agent.loop.NodeInboxTest;
import io.hearth.agent.loop.RejectedEventException;
import io.hearth.agent.status.ClusterStatus;
import io.hearth.agent.status.HandClock;
import io.hearth.discovery.Candidate;
import io.hearth.discovery.Medium;
import io.hearth.discovery.PeerAddress;
import io.hearth.discovery.Sighting;
import io.hearth.discovery.SourceKind;
import io.hearth.election.GroupPhase;
import io.hearth.identity.NodeId;
import io.hearth.transport.DialFailure;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;

final class PeerFaultsTest {
    private static final NodeId PEER = NodeInboxTest.node(2);

    private final HandClock clock = new HandClock();
    private final List<String> closed = new ArrayList<>();
    private final PeerFaults faults = new PeerFaults(clock, (peer, why) -> closed.add(peer.shortText() + " " + why));

    private static NodeEvent.Message message(NodeId from) {
        return new NodeEvent.Message(from, 1, 20, new byte[0]);
    }

    private boolean rejects(NodeEvent event) {
        return !faults.guard(event, _ -> {
            throw new RejectedEventException(new IllegalStateException("planted"));
        });
    }

    @Test
    void aMessageThatAMachineCannotTakeCostsItsSenderTheLinkAndIsCounted() {
        assertTrue(rejects(message(PEER)));
        assertTrue(rejects(message(PEER)));
        String why = "what it sent caused a fault here: java.lang.IllegalStateException: planted";
        assertEquals(List.of(PEER.shortText() + " " + why, PEER.shortText() + " " + why), closed);
        assertEquals(List.of(new ClusterStatus.Fault(PEER.shortText(), why, 2)), faults.list());
        assertTrue(faults.guard(message(PEER), _ -> {}), "the next one is taken");
    }

    @Test
    void whatASourceOrADialBringsIsCountedToo() {
        var address = new InetSocketAddress(InetAddress.getLoopbackAddress(), 7);
        var candidate = new Candidate(new PeerAddress("10.0.0.1", 7), Medium.OTHER);
        assertTrue(rejects(new NodeEvent.DialFailed(address, DialFailure.REFUSED, "x")));
        assertTrue(rejects(
                new NodeEvent.Sighted(new Sighting("record", List.of(candidate), SourceKind.MDNS, OptionalInt.of(1)))));
        assertEquals(
                List.of(address.toString(), "record"),
                faults.list().stream().map(ClusterStatus.Fault::who).toList());
        assertEquals(List.of(), closed);
    }

    @Test
    void anEventOfThisNodeItselfIsNobodysFaultButItsOwn() {
        for (NodeEvent own : List.of(
                new NodeEvent.NetworkChanged(),
                new NodeEvent.Progress(1, GroupPhase.BUSY),
                new NodeEvent.GroupBroken(PEER, "x"),
                new NodeEvent.Resign("x"),
                new NodeEvent.Lost(PEER, "x"),
                new NodeEvent.Leave("x"))) {
            assertThrows(RejectedEventException.class, () -> rejects(own), own::toString);
        }
        assertEquals(List.of(), faults.list());
    }

    @Test
    void whatAnEffectThrowsEndsTheNodeWhoeverSentTheMessage() {
        assertThrows(
                UncheckedIOException.class,
                () -> faults.guard(message(PEER), _ -> {
                    throw new UncheckedIOException("cannot save the voter's record", new IOException("disk full"));
                }));
        assertThrows(
                OutOfMemoryError.class,
                () -> faults.guard(message(PEER), _ -> {
                    throw new OutOfMemoryError("planted");
                }));
        assertEquals(List.of(), closed);
    }

    @Test
    void sixteenAreKeptTheNewestLastAndLongWordsAreCut() {
        for (int i = 0; i < 40; i++) {
            faults.close(NodeInboxTest.node(i), "x".repeat(10_000));
        }
        assertEquals(16, faults.list().size());
        assertEquals(NodeInboxTest.node(39).shortText(), faults.list().getLast().who());
        assertEquals(200, faults.list().getLast().why().length());
        assertFalse(closed.getLast().length() > 300);
    }
}
