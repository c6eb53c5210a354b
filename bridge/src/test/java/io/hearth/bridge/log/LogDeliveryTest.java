package io.hearth.bridge.log;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

final class LogDeliveryTest {
    private static final BlockingQueue<String> TAKEN = new LinkedBlockingQueue<>();
    private static final Semaphore MAY_RETURN = new Semaphore(0);
    private static final Logger LOG = LoggerFactory.getLogger("io.hearth.test");

    private final Arena arena = Arena.ofShared();

    @AfterEach
    void noFunction() throws Exception {
        MAY_RETURN.release(1 << 20);
        LogDelivery.to(30, MemorySegment.NULL, MemorySegment.NULL);
        MAY_RETURN.drainPermits();
        TAKEN.clear();
        arena.close();
    }

    /** The program's function. */
    @SuppressWarnings("unused") // called by its address
    private static void take(MemorySegment user, long level, MemorySegment logger, MemorySegment text) {
        TAKEN.add(LogFunction.line(user, level, logger, text));
        MAY_RETURN.acquireUninterruptibly();
    }

    private MemorySegment function() throws ReflectiveOperationException {
        return LogFunction.of(MethodHandles.lookup(), arena);
    }

    @Test
    void linesFromTheLevelOnReachTheFunction() throws Exception {
        MAY_RETURN.release(100);
        LogDelivery.to(20, function(), MemorySegment.ofAddress(77));
        LOG.debug("not wanted");
        LOG.info("rank {} of {}", 1, 2);
        LoggerFactory.getLogger("io.netty.x").info("not wanted from a library");
        LoggerFactory.getLogger("io.netty.x").warn("a warning");
        LOG.error("failed", new IllegalStateException("why"));
        assertEquals("77 20 io.hearth.test rank 1 of 2", TAKEN.take());
        assertEquals("77 30 io.netty.x a warning", TAKEN.take());
        String error = TAKEN.take();
        assertTrue(
                error.startsWith("77 40 io.hearth.test failed") && error.contains("IllegalStateException: why"), error);
    }

    @Test
    void aSlowFunctionDelaysNobodyAndLostLinesAreCounted() throws Exception {
        LogDelivery.to(20, function(), MemorySegment.NULL);
        LOG.info("held");
        assertEquals("0 20 io.hearth.test held", TAKEN.take()); // its call does not return yet
        for (int i = 0; i < 2_000; i++) {
            LOG.info("line {}", i);
        }
        MAY_RETURN.release(1 << 20);
        for (int i = 0; i < 1_024; i++) {
            assertEquals("0 20 io.hearth.test line " + i, TAKEN.take());
        }
        assertEquals(
                "0 30 " + LogDelivery.class.getName() + " 976 log lines were lost: too many at once", TAKEN.take());
    }
}
