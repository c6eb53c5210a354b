package io.hearth.accel.select;

import java.lang.management.CompilationMXBean;
import java.lang.management.ManagementFactory;
import java.util.concurrent.TimeUnit;

/** Whether this JVM's compiler is busy, by its own account. One thread. */
public final class CompilerWatch {
    /** From this share of a core on, the compiler is busy. */
    public static final double BUSY = 0.03;

    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

    private final CompilationMXBean compiler = ManagementFactory.getCompilationMXBean();
    private long lookedNanos = System.nanoTime();
    private long spentMillis = spentMillis();
    private boolean busy;

    /** Whether it took more than that share of a core lately; looks anew after a quarter of a second at the earliest. */
    public boolean isBusy(double share) {
        long now = System.nanoTime();
        if (now - lookedNanos >= LOOK_NANOS) {
            long spent = spentMillis();
            busy = TimeUnit.MILLISECONDS.toNanos(spent - spentMillis) > share * (now - lookedNanos);
            lookedNanos = now;
            spentMillis = spent;
        }
        return busy;
    }

    /** By all its threads together; a JVM that only interprets has none. */
    private long spentMillis() {
        return compiler == null || !compiler.isCompilationTimeMonitoringSupported()
                ? 0
                : compiler.getTotalCompilationTime();
    }
}
