package io.hearth.collective.engine;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.collective.CollectiveConfig;
import io.hearth.collective.CollectiveTrace;
import io.hearth.collective.EngineOptions;
import io.hearth.compression.CompressionStrategy;
import io.hearth.core.Clock;
import io.hearth.core.ReduceOp;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Listeners that block or throw do not affect the group. */
final class SlowListenersTest {
    private static final int COUNT = 100_000;
    private static final EngineOptions OPTIONS =
            EngineOptions.DEFAULTS.within(Duration.ofDays(100)).with(CollectiveConfig.DEFAULTS.cut(16 * 1024, 0));

    /** The rank whose listener blocks. */
    private static final int BLOCKED = 1;

    /** The report at which a listener blocks. */
    enum Told {
        A_SEGMENT_THAT_WAS_ADDED,
        A_SEGMENT_THAT_WAS_COPIED_TO_BE_DECODED,
        A_SEGMENT_THAT_WAS_DECODED,
        THE_END,
        THE_END_OF_AN_ATTEMPT,
        PROGRESS,
        THE_END_OF_PROGRESS
    }

    /** Blocks at the first report until the test releases it. */
    private static final class Blocker {
        private final CountDownLatch blocked = new CountDownLatch(1);
        private final CountDownLatch goOn = new CountDownLatch(1);

        void block(boolean isHere) {
            if (isHere && blocked.getCount() > 0) {
                blocked.countDown();
                try {
                    goOn.await();
                } catch (InterruptedException stop) {
                    throw new AssertionError(stop);
                }
            }
        }
    }

    private static CollectiveTrace trace(Told told, Blocker blocker) {
        return new CollectiveTrace() {
            @Override
            public void segment(long number, Phase phase, int rank, long bytes, long sinceNanos, long untilNanos) {
                boolean isReceiver = Thread.currentThread().getName().startsWith("hearth-receive");
                blocker.block(isReceiver
                        && switch (told) {
                            case A_SEGMENT_THAT_WAS_ADDED -> phase == Phase.COMBINE;
                            case A_SEGMENT_THAT_WAS_COPIED_TO_BE_DECODED -> phase == Phase.COPY;
                            case A_SEGMENT_THAT_WAS_DECODED -> phase == Phase.DECODE;
                            default -> false;
                        });
            }

            @Override
            public void ended(Collective collective) {
                blocker.block(collective.completed() ? told == Told.THE_END : told == Told.THE_END_OF_AN_ATTEMPT);
            }
        };
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

    @ParameterizedTest
    @EnumSource(Told.class)
    void aListenerThatBlocksHoldsUpNoViewChange(Told told) throws Exception {
        var blocker = new Blocker();
        boolean isBroadcast = told == Told.PROGRESS || told == Told.THE_END_OF_PROGRESS;
        boolean isCoded =
                told == Told.A_SEGMENT_THAT_WAS_DECODED || told == Told.A_SEGMENT_THAT_WAS_COPIED_TO_BE_DECODED;
        EngineOptions options = isCoded ? OPTIONS.as(CompressionStrategy.parse("int8")) : OPTIONS;
        try (var group = new TestGroup(2, options, new SlowClock())) {
            if (isBroadcast) {
                group.engine(BLOCKED).progress(now -> blocker.block(now.ended() == (told == Told.THE_END_OF_PROGRESS)));
            } else {
                group.engine(BLOCKED).trace(trace(told, blocker));
            }
            if (told == Told.THE_END_OF_AN_ATTEMPT) {
                group.fabric.after(10, () -> group.fabric.cut(group.nodes.get(0), group.nodes.get(1)));
            }
            float[][] values = {CollectiveEngineTest.input(0, COUNT), CollectiveEngineTest.input(1, COUNT)};
            float[] expected =
                    isBroadcast ? values[0].clone() : CollectiveEngineTest.sum(CollectiveEngineTest.ranks(2), COUNT);
            TestGroup.Run run = group.start((rank, context) -> {
                if (isBroadcast) {
                    context.broadcast(values[rank], 0);
                } else {
                    context.allReduce(values[rank], ReduceOp.SUM);
                }
            });
            if (told == Told.THE_END_OF_AN_ATTEMPT) {
                group.awaitTold("broken 0", "broken 1");
                group.change(group.nodes);
            }
            assertTrue(blocker.blocked.await(60, TimeUnit.SECONDS), "the listener is told");
            Thread changing = Thread.ofPlatform().daemon(true).start(() -> {
                assertEquals(BLOCKED, group.engine(BLOCKED).rank());
                group.change(group.nodes);
            });
            changing.join(TimeUnit.SECONDS.toMillis(20));
            boolean isHeldUp = changing.isAlive();
            blocker.goOn.countDown();
            run.joinWell();
            assertFalse(isHeldUp, "the view change waits for the listener");
            for (float[] result : values) {
                if (isCoded) {
                    assertArrayEquals(expected, result, 50);
                } else {
                    assertArrayEquals(expected, result);
                }
            }
        }
    }

    @Test
    void aTraceThatThrowsHarmsNothing() throws Exception {
        try (var group = new TestGroup(2, OPTIONS)) {
            var told = new AtomicInteger();
            group.engine(BLOCKED).trace(new CollectiveTrace() {
                @Override
                public void segment(long number, Phase phase, int rank, long bytes, long sinceNanos, long untilNanos) {
                    told.incrementAndGet();
                    throw new IllegalArgumentException("mine");
                }

                @Override
                public void ended(Collective collective) {
                    told.incrementAndGet();
                    throw new IllegalArgumentException("mine too");
                }
            });
            group.start((rank, context) -> {
                        float[] values = CollectiveEngineTest.input(rank, COUNT);
                        context.allReduce(values, ReduceOp.SUM);
                        assertArrayEquals(CollectiveEngineTest.sum(CollectiveEngineTest.ranks(2), COUNT), values);
                        context.allReduce(values, ReduceOp.SUM);
                    })
                    .joinWell();
            assertTrue(told.get() > 10, "it was told all the same: " + told);
            assertEquals(
                    List.of(),
                    group.told.stream()
                            .filter(line -> line.startsWith("gaveUp"))
                            .toList());
        }
    }
}
