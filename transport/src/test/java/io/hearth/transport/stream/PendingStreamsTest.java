package io.hearth.transport.stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.core.Bytes;
import io.hearth.identity.NodeId;
import io.hearth.identity.NodeIdentity;
import io.hearth.transport.StreamId;
import io.hearth.transport.TestNode;
import io.hearth.transport.machine.StreamTickets.Wanted;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

final class PendingStreamsTest {
    private static final NodeId PEER = new NodeId(NodeIdentity.generate().peer(), NodeId.AGENT);
    private static final Wanted WANTED = new Wanted(PEER, new StreamId("digits", "lineage 7 epoch 3", 0));
    private static final long PATIENCE = TimeUnit.SECONDS.toNanos(20);
    private static final long FOR_EVER = TimeUnit.DAYS.toNanos(1);

    private int made;
    private final PendingStreams<String, String> openings = new PendingStreams<>(4, () -> Bytes.of((byte) ++made));

    private PendingStreams<String, String>.Greeting greeting() {
        assertTrue(openings.begin(WANTED));
        assertTrue(openings.requested(WANTED, "link", 1, 0).isPresent());
        return openings.redeem(Bytes.of((byte) made), 0).orElseThrow();
    }

    @Test
    void whatArrivedBeforeTheEndCounts() throws Exception {
        try (var greeting = greeting()) {
            assertTrue(greeting.arrived("stream"));
        }
        assertEquals(Optional.of("stream"), openings.end(WANTED, 0));
        assertEquals(Optional.of("stream"), openings.drop(WANTED));
    }

    @Test
    void whoIsBeingGreetedIsWaitedFor() throws Exception {
        var greeting = greeting();
        var ending = new Ending();
        ending.untilItWaits();
        assertTrue(greeting.arrived("stream"));
        greeting.close();
        assertEquals(Optional.of("stream"), ending.result());
    }

    @Test
    void nobodyWaitsForAGreetingThatFailed() throws Exception {
        var greeting = greeting();
        var ending = new Ending();
        ending.untilItWaits();
        greeting.close();
        assertEquals(Optional.empty(), ending.result());
    }

    @Test
    void aTicketThatIsOutIsVoidAfterTheEnd() throws Exception {
        assertTrue(openings.begin(WANTED));
        assertTrue(openings.requested(WANTED, "link", 1, 0).isPresent());
        assertEquals(Optional.empty(), openings.end(WANTED, FOR_EVER));
        assertTrue(openings.redeem(Bytes.of((byte) made), 0).isEmpty());
    }

    @Test
    void aGreetingThatLastsTooLongIsGivenUp() throws Exception {
        var greeting = greeting();
        assertEquals(Optional.empty(), openings.end(WANTED, 1));
        assertEquals(Optional.empty(), openings.drop(WANTED));
        assertFalse(greeting.arrived("stream"));
        assertTrue(openings.begin(WANTED), "and the next attempt is another one");
        greeting.close();
        assertEquals(Optional.empty(), openings.await(WANTED, 1), "which the end of the old greeting does not touch");
    }

    @Test
    void oneStreamIsOpenedOnceAtATime() {
        assertTrue(openings.begin(WANTED));
        assertFalse(openings.begin(WANTED));
        openings.drop(WANTED);
        assertTrue(openings.begin(WANTED));
    }

    /** A thread that ends its open. */
    private final class Ending {
        private final CountDownLatch done = new CountDownLatch(1);
        private Optional<String> result = Optional.of("nothing yet"); // before the latch
        private final Thread thread = Thread.ofPlatform().daemon().start(() -> {
            try {
                result = openings.end(WANTED, FOR_EVER);
            } catch (InterruptedException impossible) {
                result = Optional.of("interrupted");
            }
            done.countDown();
        });

        void untilItWaits() {
            TestNode.until("the thread waits", () -> thread.getState() == Thread.State.TIMED_WAITING);
        }

        Optional<String> result() throws InterruptedException {
            assertTrue(done.await(PATIENCE, TimeUnit.NANOSECONDS), "it waits on");
            return result;
        }
    }
}
