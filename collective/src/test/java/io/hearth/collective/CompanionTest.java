package io.hearth.collective;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(20)
final class CompanionTest {
    @Test
    void anInterruptThatComesAfterItsJobDoesNotKeepTheThreadAwake() {
        try (var companion = new Companion("hearth-companion-test")) {
            var thread = new AtomicReference<>(Thread.currentThread());
            companion.start(() -> thread.set(Thread.currentThread()));
            companion.awaitIdle();
            thread.get().interrupt();
            while (thread.get().isInterrupted() || thread.get().getState() != Thread.State.WAITING) {
                Thread.onSpinWait();
                assertFalse(Thread.interrupted(), "time is up, and the thread is still awake");
            }
            companion.start(() -> {});
            companion.awaitIdle();
            assertEquals(null, companion.failure());
        }
    }

    @Test
    void whatTheWorldDidIsAnIoExceptionAndABugStaysABug() {
        var broken = new IOException("broken");
        assertEquals(broken, Companion.rethrown("reading", broken));
        var late = new TimeoutException("late");
        assertEquals(late, Companion.rethrown("reading", late).getCause());
        assertThrows(IllegalStateException.class, () -> Companion.rethrown("reading", new IllegalStateException()));
        assertThrows(AssertionError.class, () -> Companion.rethrown("reading", new AssertionError()));
    }

    @Test
    void aFailedJobIsToldAndTheNextOneRuns() throws Exception {
        try (var companion = new Companion("hearth-companion-test")) {
            companion.start(() -> {
                throw new TimeoutException("planted");
            });
            companion.await();
            assertTrue(companion.failure() instanceof TimeoutException);
            companion.start(() -> {});
            companion.await();
            assertEquals(null, companion.failure());
            assertTrue(companion.end());
            assertTrue(companion.end(), "again");
        }
    }
}
