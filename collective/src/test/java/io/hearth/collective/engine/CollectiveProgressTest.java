package io.hearth.collective.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.collective.BroadcastStrategy;
import io.hearth.collective.CollectiveConfig;
import io.hearth.collective.CollectiveOptions;
import io.hearth.collective.CollectiveProgress.Report;
import io.hearth.collective.CollectiveProgress.What;
import io.hearth.collective.EngineOptions;
import io.hearth.core.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

final class CollectiveProgressTest {
    private static final long MIB = 1 << 20;

    /** Each read of it takes 20 ms. */
    private static final class SlowClock implements Clock {
        private final AtomicLong nanos = new AtomicLong();

        @Override
        public long nanoTime() {
            return nanos.addAndGet(20_000_000);
        }

        @Override
        public long epochMillis() {
            return 0;
        }
    }

    @ParameterizedTest
    @CsvSource({
        "STATE, 125829120, 536870912, 2, 1310720000, 'state: 120 of 512 MiB from 2 peers, 96 MB/s'",
        "BROADCAST, 1024, 20480, 1, 2000000000, 'broadcast: 1 of 20 KiB from 1 peer, 0.0 MB/s'",
        "BROADCAST_FROM_HERE, 10, 10, 3, 0, 'broadcast: 10 of 10 bytes to 3 peers, 10000 MB/s'",
        "STATE, 0, 0, 1, 1000000000, 'state: 0 of 0 bytes from 1 peer, 0.0 MB/s'"
    })
    void aReportIsOneLine(What what, long bytes, long all, int peers, long nanos, String line) {
        assertEquals(line, new Report(what, bytes, all, peers, nanos, false).text());
    }

    @ParameterizedTest
    @EnumSource(BroadcastStrategy.class)
    void aLongBroadcastTellsEachRankHowFarItIs(BroadcastStrategy way) throws Exception {
        EngineOptions options = EngineOptions.DEFAULTS
                .within(Duration.ofDays(100))
                .with(CollectiveConfig.DEFAULTS.cut(16 * 1024, 0).by(way));
        try (var group = new TestGroup(3, options, new SlowClock())) {
            var told = List.of(
                    new ConcurrentLinkedQueue<Report>(),
                    new ConcurrentLinkedQueue<Report>(),
                    new ConcurrentLinkedQueue<Report>());
            for (int rank = 0; rank < 3; rank++) {
                group.engine(rank).progress(told.get(rank)::add);
            }
            group.start((rank, context) -> {
                        context.broadcast(new float[10], 1); // ends before the first report is due
                        context.broadcast(new float[(int) (4 * MIB / 4)], 1);
                    })
                    .joinWell();
            for (int rank = 0; rank < 3; rank++) {
                var reports = List.copyOf(told.get(rank));
                assertTrue(reports.size() > 3, "rank " + rank + ": " + reports);
                long before = 0;
                for (Report report : reports) {
                    assertEquals(rank == 1 ? What.BROADCAST_FROM_HERE : What.BROADCAST, report.what());
                    assertTrue(report.bytes() >= before && report.bytes() <= report.bytesInAll(), reports.toString());
                    assertEquals(report.equals(reports.getLast()), report.ended());
                    before = report.bytes();
                }
                Report last = reports.getLast();
                assertEquals(last.bytesInAll(), last.bytes());
                assertEquals((rank == 1 ? last.peers() : 1) * 4L * MIB, last.bytes());
            }
        }
    }

    @Test
    void aListenerThatCallsOrThrowsHarmsNothing() throws Exception {
        EngineOptions options =
                EngineOptions.DEFAULTS.within(Duration.ofDays(100)).with(CollectiveConfig.DEFAULTS.cut(16 * 1024, 0));
        try (var group = new TestGroup(2, options, new SlowClock())) {
            var refused = new ArrayList<IllegalStateException>();
            group.engine(1).progress(now -> {
                refused.add(assertThrows(
                        IllegalStateException.class, () -> group.engine(1).barrier(CollectiveOptions.DEFAULTS)));
                throw new IllegalArgumentException("mine");
            });
            float[] values = new float[1 << 20];
            group.start((rank, context) -> {
                        float[] mine = rank == 0 ? CollectiveEngineTest.input(0, 1 << 20) : values;
                        context.broadcast(mine, 0);
                        context.barrier();
                    })
                    .joinWell();
            assertTrue(refused.size() > 1);
            assertEquals(CollectiveEngineTest.input(0, 1 << 20)[12345], values[12345]);
        }
    }
}
