package io.hearth.collective.engine;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.accel.select.Engines;
import io.hearth.collective.AllReduceStrategy;
import io.hearth.collective.CollectiveConfig;
import io.hearth.collective.CollectiveOptions;
import io.hearth.collective.DistributedContext;
import io.hearth.collective.EngineOptions;
import io.hearth.core.Clock;
import io.hearth.core.DeadlineExceededException;
import io.hearth.core.ReduceOp;
import io.hearth.identity.NodeId;
import io.hearth.transport.StreamSource;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A peer that is connected but does not respond: the others get an error at their deadline. Only the test advances the clock. */
final class SlowPeersTest {
    private static final int SLOW = 1;
    private static final int COUNT = 100_000;
    private static final CollectiveOptions HALF_A_MINUTE = CollectiveOptions.DEFAULTS.within(Duration.ofSeconds(30));

    enum Manner {
        SENDS_NOTHING,
        SENDS_ONE_BYTE_A_SECOND,
        READS_NOTHING
    }

    enum What {
        ALL_REDUCE,
        BROADCAST,
        RECEIVE,
        SEND
    }

    /** Only the test advances it. */
    private static final class HandClock implements Clock {
        private final AtomicLong nanos = new AtomicLong();

        /** Advances the time and wakes threads that sleep until a deadline. */
        void advance(long seconds) {
            nanos.addAndGet(TimeUnit.SECONDS.toNanos(seconds));
            Thread.getAllStackTraces().keySet().stream()
                    .filter(thread -> thread.getName().contains("deadline"))
                    .forEach(LockSupport::unpark);
        }

        @Override
        public long nanoTime() {
            return nanos.get();
        }

        @Override
        public long epochMillis() {
            return 0;
        }
    }

    private static TestGroup group(Manner manner, Clock clock, LyingStreams.Lie lie) {
        var fabric = new MemoryFabric();
        List<NodeId> nodes = IntStream.range(0, 3).mapToObj(TestGroup::node).toList();
        StreamSource slow = new LyingStreams(fabric.of(nodes.get(SLOW)), lie, manner == Manner.READS_NOTHING);
        return new TestGroup(
                nodes,
                EngineOptions.DEFAULTS.with(
                        CollectiveConfig.DEFAULTS.by(AllReduceStrategy.RING).cut(1024, 0)),
                List.of(),
                rank -> Engines.best().newReducer(),
                node -> node.equals(nodes.get(SLOW)) ? slow : fabric.of(node),
                clock);
    }

    private static void call(What what, int rank, DistributedContext context, float[] values) throws Exception {
        DistributedContext soon = context.with(HALF_A_MINUTE);
        switch (what) {
            case ALL_REDUCE -> soon.allReduce(values, ReduceOp.SUM);
            case BROADCAST -> soon.broadcast(values, SLOW);
            case RECEIVE -> {
                if (rank == SLOW) {
                    soon.send(values, 0);
                } else if (rank == 0) {
                    soon.receive(values, SLOW);
                }
            }
            case SEND -> {
                if (rank == SLOW) {
                    soon.receive(values, 0);
                } else if (rank == 0) {
                    soon.send(values, SLOW);
                }
            }
        }
    }

    private void play(What what, Manner manner) throws Exception {
        var clock = new HandClock();
        var said = new AtomicLong();
        LyingStreams.Lie lie = record -> switch (manner) {
            case SENDS_NOTHING -> List.of();
            case SENDS_ONE_BYTE_A_SECOND -> {
                said.incrementAndGet();
                clock.advance(record.bytes().length);
                yield List.of(record);
            }
            case READS_NOTHING -> List.of(record);
        };
        try (var group = group(manner, clock, lie)) {
            float[][] values = new float[3][];
            TestGroup.Run run = group.start((rank, context) -> {
                values[rank] = CollectiveEngineTest.input(rank, COUNT);
                group.told.add("calls " + rank);
                call(what, rank, context, values[rank]);
            });
            group.awaitTold("calls 0", "calls 1", "calls 2");
            List<Integer> waiting = what == What.ALL_REDUCE || what == What.BROADCAST ? List.of(0, 2) : List.of(0);
            Thread ticking = Thread.ofPlatform().daemon(true).start(() -> {
                while (!Thread.currentThread().isInterrupted()) { // the calls time out, whenever they begin
                    clock.advance(1);
                    LockSupport.parkNanos(1_000_000);
                }
            });
            Map<Integer, Throwable> thrown;
            try {
                thrown = run.join(waiting);
            } finally {
                ticking.interrupt();
                ticking.join();
            }
            String when = what + " of a peer that " + manner;
            for (int rank : waiting) {
                var late = assertInstanceOf(DeadlineExceededException.class, thrown.get(rank), when);
                assertTrue(
                        String.valueOf(late.getMessage()).contains("before its deadline; waited for "),
                        when + ": " + late.getMessage());
                assertArrayEquals(CollectiveEngineTest.input(rank, COUNT), values[rank], when + ": untouched");
            }
            assertEquals(manner == Manner.SENDS_ONE_BYTE_A_SECOND, said.get() > 0, when);
        }
    }

    @ParameterizedTest
    @EnumSource(What.class)
    void aPeerThatSendsNothingIsNotWaitedForLongerThanTheDeadline(What what) throws Exception {
        play(what, Manner.SENDS_NOTHING);
    }

    @ParameterizedTest
    @EnumSource(
            value = What.class,
            names = {"ALL_REDUCE", "BROADCAST", "RECEIVE"})
    void aPeerThatSendsAByteASecondIsNotWaitedForLongerThanTheDeadline(What what) throws Exception {
        play(what, Manner.SENDS_ONE_BYTE_A_SECOND);
    }

    @ParameterizedTest
    @EnumSource(
            value = What.class,
            names = {"ALL_REDUCE", "SEND"})
    void aPeerThatReadsNothingIsNotWaitedForLongerThanTheDeadline(What what) throws Exception {
        play(what, Manner.READS_NOTHING);
    }
}
