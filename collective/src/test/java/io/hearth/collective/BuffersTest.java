package io.hearth.collective;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.accel.EngineMemory;
import java.lang.foreign.Arena;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

final class BuffersTest {
    @Test
    void thePeakIsTheMostThatWasAllocatedAtOnceSinceItWasAsked() {
        try (var buffers = new Buffers()) {
            Buffers.Buffer one = buffers.take(1000);
            Buffers.Buffer two = buffers.take(3000);
            Buffers.Buffer three = buffers.take(7000);
            buffers.give(one);
            buffers.give(two);
            assertEquals(11_000, buffers.takePeakBytes());
            buffers.give(three); // the spare one of 1000 goes
            Buffers.Buffer again = buffers.take(2900); // of the spare 3000
            assertEquals(11_000, buffers.takePeakBytes(), "held when it was asked before");
            assertEquals(10_000, buffers.takePeakBytes());
            buffers.give(again);
        }
    }

    @Test
    void theReducersOwnMemoryComesFirstAndIsGivenBack() {
        var alive = new AtomicInteger();
        Buffers.Source large = bytes -> {
            if (bytes < 10_000) {
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
            assertTrue(buffers.takeOwn(9999).isEmpty());
            Buffers.Buffer plain = buffers.take(9999);
            assertFalse(plain.isOwn());
            Buffers.Buffer own = buffers.take(10_000);
            assertTrue(own.isOwn());
            assertEquals(10_000, own.bytes().byteSize());
            buffers.give(plain);
            buffers.give(own);
            assertEquals(own.whole(), buffers.takeOwn(5000).orElseThrow().whole(), "a spare one, not the plain one");
            List<Buffers.Buffer> many =
                    Stream.generate(() -> buffers.take(20_000)).limit(6).toList();
            assertEquals(7, alive.get());
            many.forEach(buffers::give);
            assertEquals(1 + 3, alive.get(), "the one in use and so many spare ones");
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
