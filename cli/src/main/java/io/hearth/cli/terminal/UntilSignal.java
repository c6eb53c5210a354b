package io.hearth.cli.terminal;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * While this is open, the end of the process (Ctrl-C, SIGTERM) interrupts the command that opened it, and waits until the command
 * has closed what it had open, so that a node leaves its cluster in order.
 */
public final class UntilSignal implements AutoCloseable {
    /** An orderly leave may take 16 s. */
    private static final long PATIENCE_SECONDS = 20;

    private final Thread command = Thread.currentThread();
    private final CountDownLatch closed = new CountDownLatch(1);
    private final Thread hook = new Thread(this::interrupt, "hearth-signal");

    public UntilSignal() {
        Runtime.getRuntime().addShutdownHook(hook);
    }

    private void interrupt() {
        command.interrupt();
        try {
            if (!closed.await(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                System.err.println(
                        "hearth: the node did not leave within " + PATIENCE_SECONDS + " s; ending all the same");
            }
        } catch (InterruptedException impatient) {
            Thread.currentThread().interrupt();
        }
    }

    /** The command is done; the thread that opened this must not wait for the end of the process before. */
    @Override
    public void close() {
        closed.countDown();
        if (!hook.isAlive()) {
            try {
                Runtime.getRuntime().removeShutdownHook(hook);
            } catch (IllegalStateException ending) {
                return; // the process ends anyway
            }
        }
    }
}
