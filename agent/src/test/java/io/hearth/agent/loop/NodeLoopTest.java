package io.hearth.agent.loop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.core.Clock;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

final class NodeLoopTest {
    private final NodeInbox inbox = new NodeInbox();
    private final List<Thread> threads = new CopyOnWriteArrayList<>();
    private final BlockingQueue<String> seen = new LinkedBlockingQueue<>();
    private final CompletableFuture<Throwable> failure = new CompletableFuture<>();

    /** Records its events, and fails at a Leave. */
    private final class Notes implements NodeLoop.Body {
        @Override
        public void handle(NodeEvent event) {
            threads.add(Thread.currentThread());
            seen.add(event.toString());
            if (event instanceof NodeEvent.Leave) {
                throw new AssertionError("planted");
            }
            if (event instanceof NodeEvent.Failed failed && failed.why() instanceof Error error) {
                throw error;
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
        var loop = new NodeLoop("test", Clock.system(), inbox, new Notes(), failure::complete);
        loop.start();
        return loop;
    }

    @Test
    void eventsAreHandledInOrderByOneThreadAndThenComesATurn() throws Exception {
        try (NodeLoop _ = loop()) {
            var first = new NodeEvent.NetworkChanged();
            var second = new NodeEvent.GroupBroken(NodeInboxTest.node(2), "why");
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

    /** Without the report no part would notice that the owner thread ended, and the process would look alive. */
    @Test
    void anyErrorStopsTheLoopAndIsTold() throws Exception {
        for (Error error : List.of(
                new OutOfMemoryError("planted"),
                new StackOverflowError(),
                new NoClassDefFoundError("planted"),
                new InternalError("planted"))) {
            var told = new CompletableFuture<Throwable>();
            try (var loop = new NodeLoop("test", Clock.system(), inbox, new Notes(), told::complete)) {
                loop.start();
                inbox.event(new NodeEvent.Failed("planted", error));
                assertEquals(error, told.get());
                threads.getLast().join();
            }
        }
    }

    @Test
    void aReportThatFindsNoMemoryIsTriedAgain() throws Exception {
        var tries = new AtomicInteger();
        try (var loop = new NodeLoop("test", Clock.system(), inbox, new Notes(), fatal -> {
            if (tries.incrementAndGet() < 3) {
                throw new OutOfMemoryError("planted");
            }
            failure.complete(fatal);
        })) {
            loop.start();
            inbox.event(new NodeEvent.Failed("planted", new OutOfMemoryError("first")));
            assertEquals("first", failure.get().getMessage());
            assertEquals(3, tries.get());
        }
    }

    @Test
    void theAgeIsThatOfTheLastTurn() throws Exception {
        var now = new AtomicLong(5);
        var clock = new Clock() {
            @Override
            public long nanoTime() {
                return now.get();
            }

            @Override
            public long epochMillis() {
                return 0;
            }
        };
        try (var loop = new NodeLoop("test", clock, inbox, new Notes(), failure::complete)) {
            now.set(9);
            assertEquals(4, loop.idleNanos());
            loop.start();
            inbox.event(new NodeEvent.NetworkChanged());
            while (loop.idleNanos() > 0) {
                Thread.onSpinWait();
            }
            now.set(11);
            assertEquals(2, loop.idleNanos());
        }
    }
}
