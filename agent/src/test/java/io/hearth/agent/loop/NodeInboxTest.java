package io.hearth.agent.loop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.election.GroupPhase;
import io.hearth.identity.NodeId;
import io.hearth.identity.PeerId;
import java.util.Set;
import org.junit.jupiter.api.Test;

public final class NodeInboxTest {
    private static final NodeId LOUD = node(1);
    private static final NodeId QUIET = node(2);

    private final NodeInbox inbox = new NodeInbox();

    public static NodeId node(int number) {
        byte[] key = new byte[32];
        key[0] = (byte) number;
        return new NodeId(PeerId.of(key), NodeId.AGENT);
    }

    private static NodeEvent.Message message(NodeId from) {
        return new NodeEvent.Message(from, 1, 16, new byte[0]);
    }

    @Test
    void whoFloodsIsNamedAndTakesNoPlaceFromTheOthers() throws Exception {
        int burst = 0;
        while (inbox.flooding().isEmpty()) {
            inbox.message(message(LOUD));
            burst++;
        }
        assertTrue(burst >= 1_000, "a burst of this many is no flood");
        for (int i = 0; i < 100; i++) {
            inbox.message(message(LOUD));
            inbox.message(message(QUIET));
        }
        assertEquals(Set.of(LOUD), inbox.flooding(), "not the quiet one");
        assertEquals(Set.of(), inbox.flooding(), "named once");
        int quiet = 0;
        for (NodeEvent event = inbox.poll(0); event != null; event = inbox.poll(0)) {
            quiet += event instanceof NodeEvent.Message said && said.from().equals(QUIET) ? 1 : 0;
        }
        assertEquals(100, quiet);
        inbox.message(message(LOUD));
        assertEquals(Set.of(), inbox.flooding(), "what was taken counts no more");
    }

    @Test
    void whatHappensToLinksFindsAPlaceWhenAllFlood() throws Exception {
        for (int peer = 0; inbox.flooding().isEmpty() || peer % 20 > 0; peer++) {
            for (int i = 0; i < 500; i++) {
                inbox.message(message(node(peer % 20)));
            }
        }
        inbox.event(new NodeEvent.Lost(LOUD, "closed"));
        NodeEvent event = inbox.poll(0);
        while (event instanceof NodeEvent.Message) {
            event = inbox.poll(0);
        }
        assertInstanceOf(NodeEvent.Lost.class, event);
        assertNull(inbox.poll(0));
    }

    @Test
    void nobodyWhoHandsInAnEventEverWaits() throws Exception {
        for (int i = 0; i < 20_000; i++) {
            inbox.event(new NodeEvent.NetworkChanged());
        }
        int held = 0;
        while (inbox.poll(0) != null) {
            held++;
        }
        assertTrue(held < 20_000, "bounded");
    }

    @Test
    void progressThatFindsNoPlaceIsHandedOverAllTheSame() throws Exception {
        for (int i = 0; i < 20_000; i++) {
            inbox.event(new NodeEvent.NetworkChanged());
        }
        inbox.progress(new NodeEvent.Progress(1, GroupPhase.FRESH));
        assertEquals(new NodeEvent.Progress(1, GroupPhase.FRESH), inbox.poll(0));
        NodeEvent event = inbox.poll(0);
        while (event instanceof NodeEvent.NetworkChanged) {
            event = inbox.poll(0);
        }
        assertNull(event);
        inbox.progress(new NodeEvent.Progress(2, GroupPhase.FRESH));
        assertEquals(new NodeEvent.Progress(2, GroupPhase.FRESH), inbox.poll(0));
        assertNull(inbox.poll(0));
    }

    private static int roomOf(NodeInbox some) throws InterruptedException {
        for (int i = 0; i < 20_000; i++) {
            some.event(new NodeEvent.NetworkChanged());
        }
        int room = 0;
        for (NodeEvent event = some.poll(0); event != null; event = some.poll(0)) {
            room += event instanceof NodeEvent.NetworkChanged ? 1 : 0;
        }
        return room;
    }

    /** A training of small sums would keep the owner busy with nothing else. */
    @Test
    void onlyAnotherPhaseTakesAPlaceAndOneAtATime() throws Exception {
        inbox.progress(new NodeEvent.Progress(1, GroupPhase.BUSY));
        assertEquals(new NodeEvent.Progress(1, GroupPhase.BUSY), inbox.poll(0));
        inbox.progress(new NodeEvent.Progress(2, GroupPhase.BUSY));
        int all = roomOf(new NodeInbox());
        assertEquals(all, roomOf(inbox), "number 2 took no place");
        for (int step = 0; step < 100; step++) {
            inbox.progress(new NodeEvent.Progress(3 + step, GroupPhase.BOUNDARY));
            inbox.progress(new NodeEvent.Progress(4 + step, GroupPhase.BUSY));
        }
        assertEquals(all - 1, roomOf(inbox));
        assertEquals(all, roomOf(inbox));
    }

    /** A node that leaves waits until the others have all numbers that ended here. */
    @Test
    void progressComesBeforeAllOtherEvents() throws Exception {
        inbox.progress(new NodeEvent.Progress(1, GroupPhase.BUSY));
        assertEquals(new NodeEvent.Progress(1, GroupPhase.BUSY), inbox.poll(0));
        inbox.event(new NodeEvent.NetworkChanged());
        inbox.progress(new NodeEvent.Progress(2, GroupPhase.BUSY));
        assertEquals(new NodeEvent.Progress(2, GroupPhase.BUSY), inbox.poll(0));
        assertInstanceOf(NodeEvent.NetworkChanged.class, inbox.poll(0));
        assertNull(inbox.poll(0));
    }

    @Test
    void ofTheProgressOnlyTheNewestCounts() throws Exception {
        for (int done = 0; done < 20_000; done++) {
            inbox.progress(new NodeEvent.Progress(done, GroupPhase.FRESH));
        }
        assertEquals(new NodeEvent.Progress(19_999, GroupPhase.FRESH), inbox.poll(0));
        assertNull(inbox.poll(0));
        inbox.progress(new NodeEvent.Progress(20_000, GroupPhase.BUSY));
        assertEquals(new NodeEvent.Progress(20_000, GroupPhase.BUSY), inbox.poll(0));
    }
}
