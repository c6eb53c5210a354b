package io.hearth.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.election.GroupPhase;
import io.hearth.identity.NodeId;
import io.hearth.identity.PeerId;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class NodeInboxTest {
    private static final NodeId LOUD = node(1);
    private static final NodeId QUIET = node(2);

    private final NodeInbox inbox = new NodeInbox();

    static NodeId node(int number) {
        byte[] key = new byte[32];
        key[0] = (byte) number;
        return new NodeId(PeerId.of(key), NodeId.AGENT);
    }

    private static NodeEvent.Message message(NodeId from) {
        return new NodeEvent.Message(from, 1, 16, new byte[0]);
    }

    @Test
    void whoFloodsIsNamedAndWhatHappensToLinksStillFindsAPlace() throws Exception {
        while (inbox.flooding().isEmpty()) {
            inbox.message(message(LOUD));
        }
        inbox.message(message(QUIET));
        assertEquals(Set.of(QUIET), inbox.flooding(), "named once; the loud one was told of before");
        inbox.event(new NodeEvent.Lost(LOUD, "closed"));
        int messages = 0;
        NodeEvent event = inbox.poll(0);
        while (event instanceof NodeEvent.Message) {
            messages++;
            event = inbox.poll(0);
        }
        assertInstanceOf(NodeEvent.Lost.class, event);
        assertTrue(messages >= 1_000, () -> "a burst of this many is no flood");
        assertNull(inbox.poll(0));
        assertEquals(Set.of(), inbox.flooding());
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
    void progressThatFoundNoPlaceIsHandedOverOnceThereIsOne() throws Exception {
        for (int i = 0; i < 20_000; i++) {
            inbox.event(new NodeEvent.NetworkChanged());
        }
        inbox.progress(new NodeEvent.Progress(1, GroupPhase.FRESH));
        NodeEvent event = inbox.poll(0);
        while (event instanceof NodeEvent.NetworkChanged) {
            event = inbox.poll(0);
        }
        assertEquals(new NodeEvent.Progress(1, GroupPhase.FRESH), event);
        inbox.progress(new NodeEvent.Progress(2, GroupPhase.FRESH));
        assertEquals(new NodeEvent.Progress(2, GroupPhase.FRESH), inbox.poll(0));
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
