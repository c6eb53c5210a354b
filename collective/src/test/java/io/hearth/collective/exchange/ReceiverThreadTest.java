package io.hearth.collective.exchange;

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
final class ReceiverThreadTest {
    @Test
    void anInterruptThatComesAfterItsJobDoesNotKeepTheThreadAwake() {
        try (var receiverThread = new ReceiverThread("hearth-companion-test")) {
            var thread = new AtomicReference<>(Thread.currentThread());
            receiverThread.start(() -> thread.set(Thread.currentThread()));
            receiverThread.awaitIdle();
            thread.get().interrupt();
            while (thread.get().isInterrupted() || thread.get().getState() != Thread.State.WAITING) {
                Thread.onSpinWait();
                assertFalse(Thread.interrupted(), "time is up, and the thread is still awake");
            }
            receiverThread.start(() -> {});
            receiverThread.awaitIdle();
            assertEquals(null, receiverThread.failure());
        }
    }

    @Test
    void whatTheWorldDidIsAnIoExceptionAndABugStaysABug() {
        var broken = new IOException("broken");
        assertEquals(broken, ReceiverThread.rethrown("reading", broken));
        var late = new TimeoutException("late");
        assertEquals(late, ReceiverThread.rethrown("reading", late).getCause());
        assertThrows(
                IllegalStateException.class, () -> ReceiverThread.rethrown("reading", new IllegalStateException()));
        assertThrows(AssertionError.class, () -> ReceiverThread.rethrown("reading", new AssertionError()));
    }

    @Test
    void aFailedJobIsToldAndTheNextOneRuns() throws Exception {
        try (var receiverThread = new ReceiverThread("hearth-companion-test")) {
            receiverThread.start(() -> {
                throw new TimeoutException("planted");
            });
            receiverThread.await();
            assertTrue(receiverThread.failure() instanceof TimeoutException);
            receiverThread.start(() -> {});
            receiverThread.await();
            assertEquals(null, receiverThread.failure());
            assertTrue(receiverThread.end());
            assertTrue(receiverThread.end(), "again");
        }
    }
}
