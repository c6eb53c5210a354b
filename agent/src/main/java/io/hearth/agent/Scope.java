package io.hearth.agent;

import java.util.ArrayDeque;
import java.util.Deque;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Things that were opened one after the other and are closed in the opposite order, all of them, whatever one of them does. */
final class Scope implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Scope.class);

    private final Deque<AutoCloseable> open = new ArrayDeque<>();

    <T extends AutoCloseable> T keep(T part) {
        open.push(part);
        return part;
    }

    @Override
    public void close() {
        while (!open.isEmpty()) {
            AutoCloseable part = open.pop();
            try {
                part.close();
            } catch (InterruptedException impatient) {
                Thread.currentThread().interrupt();
            } catch (Exception failed) {
                LOG.warn("{} did not close: {}", part.getClass().getSimpleName(), failed.getMessage());
            }
        }
    }
}
