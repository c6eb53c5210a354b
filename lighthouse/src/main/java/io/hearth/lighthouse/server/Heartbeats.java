package io.hearth.lighthouse.server;

import io.hearth.lighthouse.client.LighthouseClient;
import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Tells a lighthouse again and again that a replica group is alive. After a failure it connects anew. */
final class Heartbeats implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Heartbeats.class);
    private static final Duration ANSWER_MAX = Duration.ofSeconds(5);
    private static final long PAUSE_NANOS_MAX = 1_000_000_000; // after failures, unless the interval is longer
    private static final int DOUBLINGS_MAX = 10;

    private final LighthouseClient lighthouse;
    private final String replicaId;
    private final long intervalNanos;
    private final ScheduledExecutorService timer;

    // Guarded by this.
    private boolean isClosed;
    private int failures;
    private @Nullable Future<?> planned;

    Heartbeats(LighthouseClient lighthouse, String replicaId, Duration interval, ScheduledExecutorService timer) {
        this.lighthouse = lighthouse;
        this.replicaId = replicaId;
        this.intervalNanos = interval.toNanos();
        this.timer = timer;
    }

    synchronized void beat() {
        if (!isClosed) {
            var _ = lighthouse.heartbeatAsync(replicaId, ANSWER_MAX).whenComplete((_, why) -> ended(why));
        }
    }

    private synchronized void ended(@Nullable Throwable why) {
        if (isClosed) {
            return;
        }
        if (why != null) {
            failures++;
            if (failures == 1) {
                LOG.warn("heartbeats of replica={} fail, and go on: {}", replicaId, why.getMessage());
            }
            lighthouse.reconnect();
        } else if (failures > 0) {
            LOG.info("the lighthouse hears replica={} again, after failures={}", replicaId, failures);
            failures = 0;
        }
        planned = timer.schedule(this::beat, pauseNanos(), TimeUnit.NANOSECONDS);
    }

    private long pauseNanos() {
        if (failures == 0 || intervalNanos >= PAUSE_NANOS_MAX) {
            return intervalNanos;
        }
        return Math.min(PAUSE_NANOS_MAX, intervalNanos << Math.min(failures - 1, DOUBLINGS_MAX));
    }

    @Override
    public synchronized void close() {
        isClosed = true;
        Future<?> next = planned;
        if (next != null) {
            next.cancel(false);
        }
    }
}
