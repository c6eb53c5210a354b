package io.hearth.collective.state;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.collective.engine.MemoryFabric;
import io.hearth.collective.engine.TestGroup;
import io.hearth.collective.exchange.Mesh;
import io.hearth.collective.group.GroupLayout;
import io.hearth.identity.NodeId;
import io.hearth.topology.plan.Plan;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Streams and threads of a transfer end with their ring and with their owner. */
final class StateStreamsTest {
    private final MemoryFabric fabric = new MemoryFabric();
    private final List<NodeId> nodes = List.of(TestGroup.node(0), TestGroup.node(1));
    private final Mesh ring = new Mesh(new GroupLayout("1", "1/1", nodes, Plan.NONE), nodes.getFirst());

    @Test
    void aRingEndsWhatItAdoptedAndNotWhatItReleased() {
        var ends = new AtomicInteger();
        var others = new AtomicInteger();
        Runnable released = others::incrementAndGet;
        ring.adopt(ends::incrementAndGet);
        ring.adopt(released);
        ring.release(released);
        ring.abandon();
        assertEquals(1, ends.get());
        assertEquals(0, others.get());
        ring.adopt(released);
        assertEquals(1, others.get(), "too late: at once");
    }

    @Test
    void whoWaitsForAPeerEndsWithTheRing() throws Exception {
        var opening = new CountDownLatch(1);
        var over = new CountDownLatch(1);
        var streams = new StateStreams(
                (peer, id, timeout) -> {
                    opening.countDown();
                    return fabric.of(nodes.getFirst()).open(peer, id, timeout);
                },
                ring,
                "digits");
        streams.start("hearth-state-test", () -> {
            try {
                streams.open(nodes.getLast(), 0);
            } finally {
                over.countDown();
            }
        });
        assertTrue(opening.await(30, TimeUnit.SECONDS));
        ring.abandon();
        assertTrue(over.await(30, TimeUnit.SECONDS), "still waits");
        streams.close();
    }

    @Test
    void nothingBeginsOnceItHasEnded() throws Exception {
        ring.abandon();
        var began = new AtomicBoolean();
        try (var streams = new StateStreams(fabric.of(nodes.getFirst()), ring, "digits")) {
            streams.start("hearth-state-test", () -> began.set(true));
        }
        assertTrue(!began.get());
    }

    @Test
    void closeWaitsForTheLastThread() {
        Thread closer = Thread.currentThread();
        var isOver = new AtomicBoolean();
        var streams = new StateStreams(fabric.of(nodes.getFirst()), ring, "digits");
        streams.start("hearth-state-test", () -> {
            try {
                new CountDownLatch(1).await();
            } catch (InterruptedException stop) {
                while (closer.getState() == Thread.State.RUNNABLE) {
                    Thread.onSpinWait(); // until it blocks on this thread
                }
                isOver.set(true);
                throw new IOException(stop);
            }
        });
        streams.close();
        assertTrue(isOver.get());
    }
}
