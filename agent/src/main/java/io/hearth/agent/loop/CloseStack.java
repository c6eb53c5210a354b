package io.hearth.agent.loop;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Closes resources in the opposite order of their opening, all of them, even if closing one fails. A resource that is added after {@link
 * #close} is closed at once.
 */
public final class CloseStack implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(CloseStack.class);

    private final ReentrantLock lock = new ReentrantLock();
    private final Deque<AutoCloseable> open = new ArrayDeque<>(); // under lock
    private boolean closed; // under lock

    public <T extends AutoCloseable> T keep(T part) {
        lock.lock();
        try {
            if (!closed) {
                open.push(part);
                return part;
            }
        } finally {
            lock.unlock();
        }
        close(part);
        return part;
    }

    @Override
    public void close() {
        Deque<AutoCloseable> parts;
        lock.lock();
        try {
            closed = true;
            parts = new ArrayDeque<>(open);
            open.clear();
        } finally {
            lock.unlock();
        }
        parts.forEach(CloseStack::close);
    }

    private static void close(AutoCloseable part) {
        long started = System.nanoTime();
        try {
            part.close();
            LOG.debug(
                    "closed part={} ms={}", part.getClass().getSimpleName(), (System.nanoTime() - started) / 1_000_000);
        } catch (InterruptedException impatient) {
            Thread.currentThread().interrupt();
        } catch (Exception failed) {
            LOG.warn("{} did not close: {}", part.getClass().getSimpleName(), failed.getMessage());
        }
    }
}
