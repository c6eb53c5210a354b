package io.hearth.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.Test;

final class NodeLoopTest {
    private final NodeInbox inbox = new NodeInbox();
    private final List<Thread> threads = new CopyOnWriteArrayList<>();
    private final BlockingQueue<String> seen = new LinkedBlockingQueue<>();
    private final CompletableFuture<Throwable> failure = new CompletableFuture<>();

    /** Notes what it is given, and fails when it is asked to leave. */
    private final class Notes implements NodeLoop.Body {
        @Override
        public void handle(NodeEvent event) {
            threads.add(Thread.currentThread());
            seen.add(event.toString());
            if (event instanceof NodeEvent.Leave) {
                throw new AssertionError("planted");
            }
        }

        @Override
        public void turn() {
            threads.add(Thread.currentThread());
            seen.add("turn");
        }

        @Override
        public long sleepNanos() {
            return Long.MAX_VALUE;
        }
    }

    private NodeLoop loop() {
        var loop = new NodeLoop("test", inbox, new Notes(), failure::complete);
        loop.start();
        return loop;
    }

    @Test
    void eventsAreHandledInOrderByOneThreadAndThenComesATurn() throws Exception {
        try (NodeLoop _ = loop()) {
            var first = new NodeEvent.NetworkChanged();
            var second = new NodeEvent.GroupBroken("why");
            inbox.event(first);
            inbox.event(second);
            String said = seen.take();
            assertEquals(first.toString(), said);
            said = seen.take();
            if (said.equals("turn")) { // the loop was faster than this test
                said = seen.take();
            }
            assertEquals(second.toString(), said);
            assertEquals("turn", seen.take());
            assertEquals(1, threads.stream().distinct().count());
            assertEquals("hearth-loop-test", threads.getFirst().getName());
        }
        assertTrue(threads.getFirst().join(java.time.Duration.ZERO), "closed means ended");
        assertTrue(!failure.isDone());
    }

    @Test
    void manyEventsDoNotKeepTheMachinesFromTheirTicks() throws Exception {
        for (int i = 0; i < 1_000; i++) {
            inbox.event(new NodeEvent.NetworkChanged());
        }
        try (NodeLoop _ = loop()) {
            int untilTurn = 0;
            while (!seen.take().equals("turn")) {
                untilTurn++;
            }
            assertTrue(untilTurn < 1_000, "a turn came only after " + untilTurn + " events");
        }
    }

    @Test
    void aBugStopsTheLoopAndIsTold() throws Exception {
        try (NodeLoop _ = loop()) {
            inbox.event(new NodeEvent.Leave("now"));
            assertEquals("planted", failure.get().getMessage());
            inbox.event(new NodeEvent.NetworkChanged());
            threads.getFirst().join();
            assertEquals(1, seen.stream().filter(said -> !said.equals("turn")).count());
        }
    }
}
