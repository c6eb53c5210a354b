package io.hearth.collective.engine;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.accel.CodecKernels;
import io.hearth.accel.Reducer;
import io.hearth.accel.select.Engines;
import io.hearth.collective.CollectiveConfig;
import io.hearth.collective.CollectiveOptions;
import io.hearth.collective.CollectiveTrace;
import io.hearth.collective.EngineOptions;
import io.hearth.compression.CompressionStrategy;
import io.hearth.core.Clock;
import io.hearth.core.DataType;
import io.hearth.core.ReduceOp;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** A call in the middle of a collective is rejected at once, on any thread, and the collective continues. */
final class CallsFromInsideTest {
    private static final int COUNT = 100_000;
    private static final int TIMES_MAX = 3; // most rounds of all calls per thread
    private static final int CALLER = 1;

    /** The place that makes the calls. */
    enum CallSite {
        TRACE_SEGMENT,
        TRACE_ENDED,
        PROGRESS,
        CODEC,
        SECOND_THREAD
    }

    /** The way in which the disturbed collective was called. */
    enum Manner {
        CALLED,
        BEGUN
    }

    private interface Ask {
        void make(CollectiveEngine engine) throws Exception;
    }

    private static Map<String, Ask> asks(MemorySegment own) {
        var auto = CollectiveOptions.DEFAULTS.as(CompressionStrategy.parse("auto"));
        var asks = new LinkedHashMap<String, Ask>();
        asks.put("beginStep", engine -> engine.beginStep(CollectiveOptions.DEFAULTS));
        asks.put("barrier", engine -> engine.barrier(CollectiveOptions.DEFAULTS));
        asks.put("allReduce", engine -> {
            engine.allReduce(own, DataType.FLOAT32, ReduceOp.SUM, CollectiveOptions.DEFAULTS);
        });
        asks.put("auto", engine -> engine.allReduce(own, DataType.FLOAT32, ReduceOp.SUM, auto));
        asks.put("several", engine -> {
            engine.allReduce(List.of(own, own), DataType.FLOAT32, ReduceOp.SUM, CollectiveOptions.DEFAULTS);
        });
        asks.put("saveCompression", engine -> engine.saveCompression(Arena.ofAuto()));
        asks.put("restoreCompression", engine -> engine.restoreCompression(own));
        return asks;
    }

    /** Tries all calls, up to {@link #TIMES_MAX} times on each thread, and keeps their exceptions. */
    private static final class Nuisance {
        private final Queue<String> threads = new ConcurrentLinkedQueue<>();
        private final Queue<String> complaints = new ConcurrentLinkedQueue<>();
        private final AtomicInteger tries = new AtomicInteger();
        private final CollectiveEngine engine;

        Nuisance(CollectiveEngine engine) {
            this.engine = engine;
        }

        void call() {
            String thread = Thread.currentThread().getName();
            if (threads.stream().filter(thread::equals).count() >= TIMES_MAX) {
                return;
            }
            threads.add(thread);
            MemorySegment own = MemorySegment.ofArray(new float[COUNT]);
            asks(own).forEach((name, ask) -> {
                tries.incrementAndGet();
                try {
                    ask.make(engine);
                    complaints.add(name + " on " + thread + " passed");
                } catch (IllegalStateException refused) {
                    String text = String.valueOf(refused.getMessage());
                    if (!text.contains("one call at a time") || text.contains("\n")) {
                        complaints.add(name + " on " + thread + " gets: " + text);
                    }
                } catch (Exception other) {
                    complaints.add(name + " on " + thread + " gets " + other);
                }
            });
        }

        void callOnASecondThread() {
            Thread second = Thread.ofPlatform().name("second").daemon(true).start(this::call);
            try {
                second.join();
            } catch (InterruptedException stop) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Each read of it takes 200 ms, so that there is progress to report. */
    private static final class SlowClock implements Clock {
        private final AtomicLong nanos = new AtomicLong();

        @Override
        public long nanoTime() {
            return nanos.addAndGet(200_000_000);
        }

        @Override
        public long epochMillis() {
            return 0;
        }
    }

    /** Runs a callback before it adds. */
    private record CallingReducer(Reducer reducer, Runnable first) implements Reducer {
        @Override
        public CodecKernels codecKernels() {
            return reducer.codecKernels();
        }

        @Override
        public String name() {
            return reducer.name();
        }

        @Override
        public void combine(
                DataType type,
                ReduceOp op,
                MemorySegment target,
                long targetOffset,
                MemorySegment left,
                long leftOffset,
                MemorySegment right,
                long rightOffset,
                int count) {
            first.run();
            reducer.combine(type, op, target, targetOffset, left, leftOffset, right, rightOffset, count);
        }

        @Override
        public void divide(DataType type, MemorySegment values, long offset, long count, int divisor) {
            reducer.divide(type, values, offset, count, divisor);
        }
    }

    private static CollectiveTrace trace(Runnable onSegment, Runnable onEnd) {
        return new CollectiveTrace() {
            @Override
            public void segment(long number, Phase phase, int rank, long bytes, long sinceNanos, long untilNanos) {
                onSegment.run();
            }

            @Override
            public void ended(Collective collective) {
                onEnd.run();
            }
        };
    }

    static Stream<Arguments> disturbances() {
        return Stream.of(CallSite.values())
                .flatMap(place -> Stream.of(Manner.values()).map(manner -> Arguments.of(place, manner)))
                // a second thread's call queues behind open collectives, and only broadcasts report progress
                .filter(given -> given.get()[1] == Manner.CALLED
                        || (given.get()[0] != CallSite.SECOND_THREAD && given.get()[0] != CallSite.PROGRESS));
    }

    @ParameterizedTest
    @MethodSource("disturbances")
    void aCallFromInsideIsRefusedInOneLine(CallSite place, Manner manner) throws Exception {
        var options =
                EngineOptions.DEFAULTS.within(Duration.ofDays(100)).with(CollectiveConfig.DEFAULTS.cut(16 * 1024, 0));
        Runnable nothing = () -> {};
        var inCodec = new AtomicReference<Runnable>(nothing);
        try (var group = new TestGroup(
                CollectiveEngineTest.ranks(2).stream().map(TestGroup::node).toList(),
                options,
                List.of(),
                rank -> new CallingReducer(
                        Engines.best().newReducer(), () -> (rank == CALLER ? inCodec.get() : nothing).run()),
                null,
                new SlowClock())) {
            CollectiveEngine engine = group.engine(CALLER);
            var nuisance = new Nuisance(engine);
            switch (place) {
                case TRACE_SEGMENT -> engine.trace(trace(nuisance::call, nothing));
                case TRACE_ENDED -> engine.trace(trace(nothing, nuisance::call));
                case PROGRESS -> engine.progress(_ -> nuisance.call());
                case CODEC -> inCodec.set(nuisance::call);
                case SECOND_THREAD -> engine.trace(trace(nuisance::callOnASecondThread, nothing));
            }
            float[][] values = {CollectiveEngineTest.input(0, COUNT), CollectiveEngineTest.input(1, COUNT)};
            float[] expected = place == CallSite.PROGRESS
                    ? values[0].clone()
                    : CollectiveEngineTest.sum(CollectiveEngineTest.ranks(2), COUNT);
            group.start((rank, context) -> {
                        if (place == CallSite.PROGRESS) {
                            context.broadcast(values[rank], 0);
                        } else if (manner == Manner.CALLED) {
                            context.allReduce(values[rank], ReduceOp.SUM);
                        } else {
                            context.allReduceAsync(values[rank], ReduceOp.SUM).await();
                        }
                        context.barrier();
                    })
                    .joinWell();
            assertEquals(List.of(), List.copyOf(nuisance.complaints));
            assertTrue(nuisance.tries.get() > 0, "at least one call was tried");
            String inner = switch (place) {
                case TRACE_SEGMENT, PROGRESS, CODEC -> "hearth-receive-" + TestGroup.GROUP;
                case TRACE_ENDED -> manner == Manner.CALLED ? "rank-1" : "hearth-calls-" + TestGroup.GROUP;
                case SECOND_THREAD -> "second";
            };
            assertTrue(nuisance.threads.contains(inner), () -> "on " + nuisance.threads);
            assertArrayEquals(expected, values[0]);
            assertArrayEquals(expected, values[1]);
        }
    }

    @ParameterizedTest
    @EnumSource(Manner.class)
    void workCannotBeAwaitedOrBegunByTheThreadThatItNeeds(Manner manner) throws Exception {
        var options = EngineOptions.DEFAULTS.with(CollectiveConfig.DEFAULTS.cut(16 * 1024, 0));
        try (var group = new TestGroup(2, options)) {
            var refused = new ConcurrentLinkedQueue<String>();
            float[] mine = CollectiveEngineTest.input(CALLER, COUNT);
            group.engine(CALLER)
                    .trace(trace(
                            () -> {
                                if (Thread.currentThread().getName().startsWith("hearth-")) {
                                    try {
                                        group.engine(CALLER)
                                                .allReduceAsync(
                                                        MemorySegment.ofArray(new float[10]),
                                                        DataType.FLOAT32,
                                                        ReduceOp.SUM,
                                                        CollectiveOptions.DEFAULTS)
                                                .await();
                                        refused.add("passed");
                                    } catch (IllegalStateException expected) {
                                        refused.add("refused");
                                    } catch (Exception other) {
                                        refused.add(other.toString());
                                    }
                                }
                            },
                            () -> {}));
            group.start((rank, context) -> {
                        float[] values = rank == CALLER ? mine : CollectiveEngineTest.input(rank, COUNT);
                        if (manner == Manner.CALLED) {
                            context.allReduce(values, ReduceOp.SUM);
                        } else {
                            context.allReduceAsync(values, ReduceOp.SUM).await();
                        }
                    })
                    .joinWell();
            assertFalse(refused.isEmpty());
            assertEquals(List.of("refused"), refused.stream().distinct().toList());
            assertArrayEquals(CollectiveEngineTest.sum(CollectiveEngineTest.ranks(2), COUNT), mine);
        }
    }
}
