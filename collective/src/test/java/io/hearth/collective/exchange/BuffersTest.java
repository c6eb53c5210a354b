package io.hearth.collective.exchange;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hearth.accel.EngineMemory;
import java.lang.foreign.Arena;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

final class BuffersTest {
    @Test
    void thePeakIsTheMostThatWasAllocatedAtOnceSinceItWasAsked() {
        try (var buffers = new Buffers()) {
            Buffers.Buffer one = buffers.take(100_000);
            Buffers.Buffer two = buffers.take(300_000);
            Buffers.Buffer three = buffers.take(700_000);
            buffers.give(one);
            buffers.give(two);
            assertEquals(1_100_000, buffers.takePeakBytes());
            buffers.give(three); // evicts the spare buffer of 100,000
            Buffers.Buffer again = buffers.take(290_000); // uses the spare buffer of 300,000
            assertEquals(1_100_000, buffers.takePeakBytes(), "held when it was asked before");
            assertEquals(1_000_000, buffers.takePeakBytes());
            buffers.give(again);
        }
    }

    /** Otherwise a step that sums a gradient, its loss and its number of samples would clear a new buffer for the gradient each time. */
    @Test
    void smallBuffersPushNoLargeOneOut() {
        try (var buffers = new Buffers()) {
            Buffers.Buffer gradient = buffers.take(1 << 20);
            Buffers.Buffer bucket = buffers.take(1 << 18);
            buffers.give(gradient);
            buffers.give(bucket);
            List<Buffers.Buffer> small = LongStream.of(8, 100, 1000, 10_000, 60_000)
                    .mapToObj(buffers::take)
                    .toList();
            small.forEach(buffers::give);
            var _ = buffers.takePeakBytes();
            assertEquals((1 << 20) + (1 << 18) + 71_100, buffers.takePeakBytes(), "and of small ones four");
            assertEquals(gradient.whole(), buffers.take(1 << 20).whole());
            assertEquals(bucket.whole(), buffers.take(1 << 18).whole());
            assertEquals(small.getLast().whole(), buffers.take(60_000).whole());
        }
    }

    /** As the weights that a script broadcasts before its first step. */
    @Test
    void aLargeBufferThatNoStepNeedsIsFreed() {
        try (var buffers = new Buffers()) {
            buffers.give(buffers.take(25_000_000));
            var _ = buffers.takePeakBytes();
            for (int bucket = 0; bucket < 64; bucket++) {
                buffers.give(buffers.take(4_000_000));
                buffers.give(buffers.take(100)); // small ones do not count
            }
            assertEquals(29_000_100, buffers.takePeakBytes());
            buffers.give(buffers.take(4_000_000));
            var _ = buffers.takePeakBytes();
            assertEquals(4_000_100, buffers.takePeakBytes());
        }
    }

    @Test
    void aLargeBufferThatEachStepNeedsStays() {
        try (var buffers = new Buffers()) {
            Buffers.Buffer largest = buffers.take(25_000_000);
            buffers.give(largest);
            for (int step = 0; step < 5; step++) {
                for (int bucket = 0; bucket < 60; bucket++) {
                    buffers.give(buffers.take(4_000_000));
                }
                Buffers.Buffer again = buffers.take(25_000_000);
                assertEquals(largest.whole(), again.whole());
                buffers.give(again);
            }
        }
    }

    /** As a bucket of a list, and the backup of the sum in it. */
    @Test
    void twoLargeBuffersThatEachCallNeedsStay() {
        try (var buffers = new Buffers()) {
            Buffers.Buffer bucket = buffers.take(4_000_000);
            Buffers.Buffer backup = buffers.take(4_000_000);
            long together = bucket.whole().address() + backup.whole().address();
            for (int call = 0; call < 200; call++) {
                buffers.give(backup);
                buffers.give(bucket);
                bucket = buffers.take(4_000_000);
                backup = buffers.take(4_000_000);
                assertEquals(together, bucket.whole().address() + backup.whole().address());
                assertEquals(8_000_000, buffers.takePeakBytes());
            }
            buffers.give(backup);
            buffers.give(bucket);
        }
    }

    @Test
    void theReducersOwnMemoryComesFirstAndIsGivenBack() {
        var alive = new AtomicInteger();
        Buffers.Source large = bytes -> {
            if (bytes < 100_000) {
                return Optional.empty();
            }
            var arena = Arena.ofShared();
            alive.incrementAndGet();
            return Optional.of(new EngineMemory(arena.allocate(bytes), () -> {
                arena.close();
                alive.decrementAndGet();
            }));
        };
        try (var buffers = new Buffers(large)) {
            Buffers.Buffer plain = buffers.take(99_999);
            assertEquals(0, alive.get());
            Buffers.Buffer own = buffers.take(100_000);
            assertEquals(1, alive.get());
            assertEquals(100_000, own.bytes().byteSize());
            buffers.give(plain);
            List<Buffers.Buffer> many =
                    Stream.generate(() -> buffers.take(200_000)).limit(6).toList();
            assertEquals(7, alive.get());
            many.forEach(buffers::give);
            assertEquals(1 + 2, alive.get(), "the one in use and two spare ones");
            buffers.give(own);
        }
        assertEquals(0, alive.get());
    }

    @Test
    void memoryOfAPageAndMoreBeginsWithAPage() {
        try (var buffers = new Buffers()) {
            for (long bytes : new long[] {16 * 1024, 16 * 1024 + 1, 100_000}) {
                assertEquals(0, buffers.take(bytes).bytes().address() % (16 * 1024));
            }
        }
    }

    @Test
    void nothingIsHeldOnceItIsClosed() {
        var buffers = new Buffers();
        buffers.give(buffers.take(1000));
        buffers.close();
        buffers.takePeakBytes();
        assertEquals(0, buffers.takePeakBytes());
    }
}
