package io.hearth.accel.select;

import java.lang.management.CompilationMXBean;
import java.lang.management.ManagementFactory;
import java.util.concurrent.TimeUnit;

/** Tells whether this JVM's compiler is busy, by the time that it reports. For one thread. */
public final class CompilerWatch {
    /** The compiler is busy from this share of a core on. */
    public static final double BUSY = 0.03;

    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

    private final CompilationMXBean compiler = ManagementFactory.getCompilationMXBean();
    private long lookedNanos = System.nanoTime();
    private long spentMillis = spentMillis();
    private boolean busy;

    /**
     * Whether the compiler recently took more than that share of a core; it is asked again after a quarter of a second at the earliest.
     */
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

    /** Time of all its threads together; 0 in a JVM that only interprets. */
    private long spentMillis() {
        return compiler == null || !compiler.isCompilationTimeMonitoringSupported()
                ? 0
                : compiler.getTotalCompilationTime();
    }
}
