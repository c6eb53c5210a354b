package io.hearth.collective.engine;

import io.hearth.collective.CollectiveMetrics;
import io.hearth.collective.CompressionChoice;
import io.hearth.collective.Operation;
import io.hearth.collective.OperationCounts;
import io.hearth.collective.Signature;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

/** Counters behind {@link CollectiveMetrics}: written by calling threads, read by any thread. */
final class MetricsTally {
    private final Map<Operation, Count> counts;
    private final LongAdder denseBytes = new LongAdder();

    private record Count(LongAdder completed, LongAdder failed, LongAdder nanos, LongAdder bytes) {
        Count() {
            this(new LongAdder(), new LongAdder(), new LongAdder(), new LongAdder());
        }

        OperationCounts snapshot() {
            return new OperationCounts(completed.sum(), failed.sum(), seconds(nanos.sum()), bytes.sum());
        }
    }

    private static double seconds(long nanos) {
        return (double) nanos / TimeUnit.SECONDS.toNanos(1);
    }

    MetricsTally() {
        var all = new EnumMap<Operation, Count>(Operation.class);
        for (Operation operation : Operation.values()) {
            all.put(operation, new Count());
        }
        counts = Collections.unmodifiableMap(all);
    }

    private Count count(Operation operation) {
        return Objects.requireNonNull(counts.get(operation));
    }

    void ended(Operation operation, boolean done, long tookNanos) {
        Count count = count(operation);
        (done ? count.completed : count.failed).increment();
        count.nanos.add(tookNanos);
    }

    void sent(Operation operation, long bytes) {
        count(operation).bytes.add(bytes);
    }

    /** Counts the bytes of an exchange; those on which only the engine decides belong to no call. */
    void sent(Signature signature, long bytes) {
        operation(signature.kind()).ifPresent(operation -> sent(operation, bytes));
    }

    private static Optional<Operation> operation(Signature.Kind kind) {
        return switch (kind) {
            case ALL_REDUCE -> Optional.of(Operation.ALL_REDUCE);
            case REDUCE_SCATTER -> Optional.of(Operation.REDUCE_SCATTER);
            case ALL_TO_ALL -> Optional.of(Operation.ALL_TO_ALL);
            case ALL_GATHER -> Optional.of(Operation.ALL_GATHER);
            case REDUCE -> Optional.of(Operation.REDUCE);
            case GATHER -> Optional.of(Operation.GATHER);
            case SCATTER -> Optional.of(Operation.SCATTER);
            case BROADCAST -> Optional.of(Operation.BROADCAST);
            case BARRIER -> Optional.of(Operation.BARRIER);
            case BOUNDARY -> Optional.of(Operation.BEGIN_STEP);
            case CHOICE, START, PLAN -> Optional.empty();
        };
    }

    void dense(long bytes) {
        denseBytes.add(bytes);
    }

    CollectiveMetrics snapshot(long codecNanos, int peers, long repeated, List<CompressionChoice> choices) {
        var known = new EnumMap<Operation, OperationCounts>(Operation.class);
        counts.forEach((operation, count) -> {
            OperationCounts now = count.snapshot();
            if (!now.equals(OperationCounts.NONE)) {
                known.put(operation, now);
            }
        });
        return new CollectiveMetrics(known, denseBytes.sum(), seconds(codecNanos), peers, repeated, choices);
    }
}
