package io.hearth.transport.machine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.core.Bytes;
import io.hearth.identity.NodeId;
import io.hearth.identity.NodeIdentity;
import io.hearth.transport.StreamId;
import io.hearth.transport.machine.StreamTickets.Grant;
import io.hearth.transport.machine.StreamTickets.Offer;
import io.hearth.transport.machine.StreamTickets.Wanted;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class StreamTicketsTest {
    private static final NodeId PEER = new NodeId(NodeIdentity.generate().peer(), NodeId.AGENT);
    private static final NodeId OTHER = new NodeId(NodeIdentity.generate().peer(), NodeId.AGENT);

    private byte next;
    private final StreamTickets<String> tickets = new StreamTickets<>(3, () -> Bytes.of(++next));

    private static Wanted wanted(NodeId peer, int index) {
        return new Wanted(peer, new StreamId("g", "e", index));
    }

    @Test
    void aTicketGoesOutWhenBothAreThereWhicheverCameFirst() {
        assertEquals(Optional.empty(), tickets.requested(wanted(PEER, 0), "link", 5, 0));
        assertTrue(tickets.opened(wanted(PEER, 0)));
        assertEquals(Optional.of(new Offer<>("link", 5, Bytes.of((byte) 1))), tickets.pending(wanted(PEER, 0), 9));

        assertTrue(tickets.opened(wanted(PEER, 1)));
        assertEquals(Optional.empty(), tickets.pending(wanted(PEER, 1), 9));
        assertEquals(
                Optional.of(new Offer<>("link", 6, Bytes.of((byte) 2))),
                tickets.requested(wanted(PEER, 1), "link", 6, 9));
    }

    @Test
    void aTicketIsGoodOnceAndNotForLong() {
        tickets.opened(wanted(PEER, 0));
        tickets.requested(wanted(PEER, 0), "link", 1, 0);
        assertEquals(Optional.of(new Grant<>(wanted(PEER, 0), "link")), tickets.redeem(Bytes.of((byte) 1), 100));
        assertEquals(Optional.empty(), tickets.redeem(Bytes.of((byte) 1), 100));
        tickets.requested(wanted(PEER, 0), "link", 2, 0);
        assertEquals(Optional.empty(), tickets.redeem(Bytes.of((byte) 2), StreamTickets.LIFE_NANOS + 1));
        assertEquals(Optional.empty(), tickets.redeem(Bytes.of((byte) 77), 0));
    }

    @Test
    void aLaterRequestMakesAnEarlierTicketVoid() {
        tickets.opened(wanted(PEER, 0));
        tickets.requested(wanted(PEER, 0), "link", 1, 0);
        tickets.requested(wanted(PEER, 0), "link", 2, 0);
        assertEquals(Optional.empty(), tickets.redeem(Bytes.of((byte) 1), 1));
        assertTrue(tickets.redeem(Bytes.of((byte) 2), 1).isPresent());
    }

    @Test
    void aTicketIsVoidWhenTheOpenIsOverOrTheLinkLost() {
        tickets.opened(wanted(PEER, 0));
        tickets.requested(wanted(PEER, 0), "link", 1, 0);
        tickets.closed(wanted(PEER, 0));
        assertEquals(Optional.empty(), tickets.redeem(Bytes.of((byte) 1), 1));

        tickets.opened(wanted(PEER, 0));
        tickets.opened(wanted(OTHER, 0));
        tickets.requested(wanted(PEER, 0), "link", 2, 0);
        tickets.requested(wanted(OTHER, 0), "link", 3, 0);
        tickets.lost(PEER);
        assertEquals(Optional.empty(), tickets.redeem(Bytes.of((byte) 2), 1));
        assertTrue(tickets.redeem(Bytes.of((byte) 3), 1).isPresent());
    }

    @Test
    void requestsWaitFiveSecondsAndTheOldestMakesRoom() {
        for (int i = 0; i < 4; i++) {
            tickets.requested(wanted(PEER, i), "link", i, 0);
        }
        for (int i = 0; i < 3; i++) {
            tickets.opened(wanted(PEER, i));
        }
        assertEquals(Optional.empty(), tickets.pending(wanted(PEER, 0), 1));
        assertTrue(tickets.pending(wanted(PEER, 1), StreamTickets.LIFE_NANOS).isPresent());
        assertEquals(Optional.empty(), tickets.pending(wanted(PEER, 2), StreamTickets.LIFE_NANOS + 1));
    }

    @Test
    void onlySoManyAreOpenedAtOnceAndEachOnce() {
        assertTrue(tickets.opened(wanted(PEER, 0)));
        assertFalse(tickets.opened(wanted(PEER, 0)));
        assertTrue(tickets.opened(wanted(PEER, 1)));
        assertTrue(tickets.opened(wanted(PEER, 2)));
        assertFalse(tickets.opened(wanted(PEER, 3)));
        tickets.closed(wanted(PEER, 1));
        assertTrue(tickets.opened(wanted(PEER, 3)));
    }
}
