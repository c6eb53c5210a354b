package io.hearth.collective.engine;

import io.hearth.collective.CollectiveMetrics;
import io.hearth.collective.CompressionChoice;
import io.hearth.collective.Signature;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

/** Counters behind {@link CollectiveMetrics}: written by the calling thread, read by any thread. */
final class MetricsTally {
    private final LongAdder completed = new LongAdder();
    private final LongAdder failed = new LongAdder();
    private final LongAdder nanos = new LongAdder();
    private final LongAdder barriers = new LongAdder();
    private final LongAdder broadcasts = new LongAdder();
    private final LongAdder wireBytes = new LongAdder();
    private final LongAdder denseBytes = new LongAdder();

    void allReduce(boolean done, long tookNanos) {
        (done ? completed : failed).increment();
        nanos.add(tookNanos);
    }

    void barrier() {
        barriers.increment();
    }

    void broadcast() {
        broadcasts.increment();
    }

    /** Counts the bytes of all-reduces with elements, which carry gradients. */
    void sent(Signature signature, long bytes) {
        if (signature.kind() == Signature.Kind.ALL_REDUCE && signature.count() > 0) {
            wireBytes.add(bytes);
        }
    }

    void dense(long bytes) {
        denseBytes.add(bytes);
    }

    CollectiveMetrics snapshot(int peers, long repeated, List<CompressionChoice> choices) {
        return new CollectiveMetrics(
                completed.sum(),
                failed.sum(),
                (double) nanos.sum() / TimeUnit.SECONDS.toNanos(1),
                barriers.sum(),
                broadcasts.sum(),
                wireBytes.sum(),
                denseBytes.sum(),
                peers,
                repeated,
                choices);
    }
}
