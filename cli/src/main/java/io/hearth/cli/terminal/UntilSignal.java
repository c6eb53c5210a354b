package io.hearth.cli.terminal;

import java.util.OptionalInt;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * While this is open, Ctrl-C or SIGTERM interrupts the command that opened it. The process then ends only after the command has closed this, so that a node can leave its cluster.
 */
public final class UntilSignal implements AutoCloseable {
    /** Longest wait for the command: a node needs up to 16 s to leave its cluster. */
    private static final long TIMEOUT_SECONDS = 20;

    private final Thread command = Thread.currentThread();
    private final OptionalInt code;
    private final CountDownLatch closed = new CountDownLatch(1);
    private final Thread hook = new Thread(this::interrupt, "hearth-signal");

    /** The process ends with the code that Java gives a signal: 130 for Ctrl-C, 143 for SIGTERM. */
    public UntilSignal() {
        this(OptionalInt.empty());
    }

    private UntilSignal(OptionalInt code) {
        this.code = code;
        Runtime.getRuntime().addShutdownHook(hook);
    }

    /**
     * For a command that runs until it is stopped, so that a signal is its regular end: the process then ends with {@code code}, and at once.
     * It does not wait for the shutdown hooks of libraries; JmDNS's would close a second time what the command has closed, for two seconds.
     */
    public static UntilSignal endsWith(int code) {
        return new UntilSignal(OptionalInt.of(code));
    }

    private void interrupt() {
        command.interrupt();
        try {
            if (!closed.await(TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
                System.err.println("hearth: the node did not leave its cluster within " + TIMEOUT_SECONDS
                        + " s; the process ends now");
            } else if (code.isPresent()) {
                System.out.flush();
                System.err.flush();
                Runtime.getRuntime().halt(code.getAsInt());
            }
        } catch (InterruptedException impatient) {
            Thread.currentThread().interrupt();
        }
    }

    /** Reports that the command has ended. Before this call, the thread that opened this must not wait for the end of the process. */
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
