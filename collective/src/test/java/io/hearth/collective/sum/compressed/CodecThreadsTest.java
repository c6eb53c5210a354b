package io.hearth.collective.sum.compressed;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.compression.Workers;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Threads that share the work of one tensor. */
final class CodecThreadsTest {
    private final CodecThreads threads = new CodecThreads("test-codec", 3);

    @AfterEach
    void end() {
        assertTrue(threads.end());
    }

    @ParameterizedTest
    @CsvSource({"1, 1, 1", "2, 1, 2", "2, 2, 1", "10, 1, 4", "10, 3, 3", "10, 4, 2", "3, 8, 1"})
    void whoSharesAMachineSharesItsProcessors(int processors, int ranksHere, int count) {
        try (var here = new CodecThreads("test", processors)) {
            assertEquals(1, here.count(), "before share() was called");
            here.share(ranksHere);
            assertEquals(count, here.count());
            assertEquals(1, here.pieces(Workers.VALUES_MIN * 2 - 1), "too few for a second thread");
            assertEquals(count, here.pieces(Workers.VALUES_MIN * 100));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 7, 100})
    void eachPieceIsDoneOnceHoweverOften(int pieces) {
        threads.share(1);
        for (int round = 0; round < 200; round++) {
            var done = new AtomicIntegerArray(pieces);
            threads.run(pieces, done::incrementAndGet);
            for (int number = 0; number < pieces; number++) {
                assertEquals(1, done.get(number), "round " + round + ", piece " + number);
            }
        }
    }

    /** Each piece waits for the other, so a single thread would never end. */
    @Test
    void piecesAreDoneAtTheSameTime() {
        threads.share(1);
        Set<Thread> seen = ConcurrentHashMap.newKeySet();
        var met = new CountDownLatch(3);
        threads.run(3, _ -> {
            seen.add(Thread.currentThread());
            met.countDown();
            await(met);
        });
        assertEquals(3, seen.size());
        assertTrue(seen.contains(Thread.currentThread()), "the caller works too");
    }

    @Test
    void whoComesMeanwhileWorksAlone() throws Exception {
        var two = new CodecThreads("test", 2);
        two.share(1);
        var met = new CountDownLatch(2);
        var over = new CountDownLatch(1);
        Thread other = Thread.ofPlatform()
                .start(() -> two.run(2, _ -> {
                    met.countDown();
                    await(over);
                }));
        await(met);
        Set<Thread> seen = ConcurrentHashMap.newKeySet();
        two.run(5, _ -> seen.add(Thread.currentThread()));
        assertEquals(Set.of(Thread.currentThread()), seen);
        over.countDown();
        other.join();
        assertTrue(two.end());
    }

    @Test
    void theFirstPieceThatFailsIsTheOneThatIsToldAndAllOthersAreDone() {
        threads.share(1);
        var done = new AtomicIntegerArray(9);
        var wrong = new InternalError("a fault in memory");
        var told = assertThrows(
                InternalError.class,
                () -> threads.run(9, number -> {
                    done.incrementAndGet(number);
                    if (number == 3) {
                        throw wrong;
                    }
                    if (number == 6) {
                        throw new IllegalStateException("later");
                    }
                }));
        assertSame(wrong, told);
        for (int number = 0; number < 9; number++) {
            assertEquals(1, done.get(number));
        }
        threads.run(9, done::incrementAndGet);
        assertEquals(2, done.get(8), "and the next job is done");
    }

    /** Helpers write to the caller's memory, so an interrupted caller waits for them all the same, and stays interrupted. */
    @Test
    void anInterruptedCallerWaitsForItsPieces() {
        threads.share(1);
        var done = new AtomicIntegerArray(3);
        Thread.currentThread().interrupt();
        threads.run(3, done::incrementAndGet);
        assertTrue(Thread.interrupted());
        assertEquals(3, done.get(0) + done.get(1) + done.get(2));
    }

    @Test
    void memoryOfTheCallersThreadIsLeftToTheCaller() {
        threads.share(1);
        try (var own = Arena.ofConfined();
                var shared = Arena.ofShared()) {
            assertEquals(1, threads.over(own.allocate(8)).count());
            assertEquals(3, threads.over(shared.allocate(8)).count());
            assertEquals(3, threads.over(MemorySegment.ofArray(new float[1])).count());
        }
    }

    @Test
    void afterTheEndTheCallerWorksAlone() {
        threads.share(1);
        threads.run(3, _ -> {});
        assertTrue(threads.end());
        Set<Thread> seen = ConcurrentHashMap.newKeySet();
        threads.run(4, _ -> seen.add(Thread.currentThread()));
        assertEquals(Set.of(Thread.currentThread()), seen);
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException stop) {
            throw new AssertionError(stop);
        }
    }
}
