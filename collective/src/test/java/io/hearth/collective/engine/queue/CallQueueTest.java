package io.hearth.collective.engine.queue;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.collective.CollectiveResult;
import io.hearth.collective.Work;
import io.hearth.core.CollectiveException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.function.Executable;

/** Asynchronous collectives. */
@Timeout(30)
final class CallQueueTest {
    private final CallQueue queue = new CallQueue("queue-under-test", () -> false);
    private final CountDownLatch go = new CountDownLatch(1);
    private final CountDownLatch running = new CountDownLatch(1);

    @AfterEach
    void end() throws InterruptedException {
        go.countDown();
        queue.close();
        for (Thread thread : Thread.getAllStackTraces().keySet()) {
            if (thread.getName().equals("queue-under-test")) {
                thread.join();
            }
        }
    }

    private static CollectiveResult result(int number) {
        return new CollectiveResult(number, 0, 0, 0);
    }

    /** A collective that ends when the test lets it. */
    private CollectiveResult waiting(int number) {
        running.countDown();
        try {
            go.await();
        } catch (InterruptedException stop) {
            throw new AssertionError(stop);
        }
        return result(number);
    }

    @Test
    void collectivesRunOneAfterTheOtherInTheOrderInWhichTheyWereBegun() throws Exception {
        var order = new CopyOnWriteArrayList<Integer>();
        var works = new ArrayList<Work>();
        works.add(queue.begin(() -> waiting(0)));
        for (int i = 1; i < CallQueue.OPEN_MAX; i++) {
            int number = i;
            works.add(queue.begin(() -> {
                order.add(number);
                return result(number);
            }));
        }
        running.await();
        assertEquals(List.of(), order, "the first one is running");
        assertFalse(works.getFirst().isDone());
        go.countDown();
        queue.awaitAll();
        assertEquals(IntStream.range(1, CallQueue.OPEN_MAX).boxed().toList(), order);
        for (int i = 0; i < works.size(); i++) {
            assertTrue(works.get(i).isDone());
            assertEquals(result(i), works.get(i).await());
        }
    }

    @Test
    void anErrorIsThatOfItsOwnWorkEachTimeAndTheNextOneRuns() throws Exception {
        var refused = new CollectiveException("refused");
        var bug = new IllegalStateException("bug");
        var error = new AssertionError("error");
        Work first = queue.begin(() -> {
            throw refused;
        });
        Work second = queue.begin(() -> {
            throw bug;
        });
        Work third = queue.begin(() -> {
            throw error;
        });
        Work last = queue.begin(() -> result(7));
        assertEquals(result(7), last.await());
        for (int time = 0; time < 2; time++) {
            assertSame(refused, assertThrows(CollectiveException.class, first::await));
            assertSame(bug, assertThrows(IllegalStateException.class, second::await));
            assertSame(error, assertThrows(AssertionError.class, third::await));
        }
    }

    /** Ends at once if {@code now}, otherwise on the queue's thread. Records the threads. */
    private static CallQueue.Body early(boolean now, List<String> threads, int number) {
        return new CallQueue.Body() {
            @Override
            public Optional<CollectiveResult> runNow() {
                threads.add(Thread.currentThread().getName());
                return now ? Optional.of(result(number)) : Optional.empty();
            }

            @Override
            public boolean hasBegun() {
                return !now;
            }

            @Override
            public CollectiveResult run() {
                threads.add(Thread.currentThread().getName());
                return result(number);
            }
        };
    }

    @Test
    void whatEndsOnTheBeginningThreadNeedsNoOther() throws Exception {
        var threads = new CopyOnWriteArrayList<String>();
        String own = Thread.currentThread().getName();
        for (int i = 0; i < 2; i++) {
            Work work = queue.begin(early(true, threads, i));
            assertTrue(work.isDone());
            assertEquals(result(i), work.await());
        }
        assertEquals(List.of(own, own), threads);
        assertFalse(Thread.getAllStackTraces().keySet().stream()
                .anyMatch(thread -> thread.getName().equals("queue-under-test")));
    }

    @Test
    void whatHasToWaitGoesOnOnTheQueuesThread() throws Exception {
        var threads = new CopyOnWriteArrayList<String>();
        Work first = queue.begin(early(false, threads, 1));
        assertEquals(result(1), first.await());
        queue.awaitAll();
        assertEquals(List.of(Thread.currentThread().getName(), "queue-under-test"), threads);
    }

    /** Kotlin and Lombok throw checked exceptions that no method declares. */
    @Test
    void anyExceptionEndsItsOwnCollectiveOnly() throws Exception {
        Work first = queue.begin(() -> CallQueueTest.<RuntimeException>thrown(new IOException("of a lambda")));
        AssertionError told = assertThrows(AssertionError.class, first::await);
        assertInstanceOf(IOException.class, told.getCause());
        assertEquals(result(2), queue.begin(() -> result(2)).await());
    }

    @SuppressWarnings("unchecked") // that is the point
    private static <E extends Exception> CollectiveResult thrown(Exception undeclared) throws E {
        throw (E) undeclared;
    }

    @Test
    void aCallbackIsNoLongerInTheTurnOfItsCollective() throws Exception {
        var inTurn = new CopyOnWriteArrayList<Boolean>();
        Work first = queue.begin(() -> {
            inTurn.add(queue.isInTurn());
            return waiting(1);
        });
        CompletableFuture<Void> called = first.completion()
                .thenAccept(_ -> {
                    inTurn.add(queue.isInTurn());
                    assertThrows(IllegalStateException.class, queue::awaitAll);
                })
                .toCompletableFuture();
        go.countDown();
        called.join();
        assertEquals(List.of(true, false), inTurn);
        assertFalse(queue.isInTurn());
    }

    @Test
    void whatIsBegunBehindAnOpenOneRunsInItsTurn() throws Exception {
        var threads = new CopyOnWriteArrayList<String>();
        Work first = queue.begin(() -> waiting(1));
        Work second = queue.begin(early(true, threads, 2));
        assertFalse(second.isDone());
        go.countDown();
        assertEquals(result(2), second.await());
        assertEquals(result(1), first.await());
        assertEquals(List.of("queue-under-test"), threads);
    }

    @Test
    void whileOneRunsOnItsBeginningThreadOthersQueueBehindIt() throws Exception {
        var beginner = new AtomicReference<Work>();
        Thread thread = Thread.ofPlatform().start(() -> {
            try {
                beginner.set(queue.begin(new CallQueue.Body() {
                    @Override
                    public Optional<CollectiveResult> runNow() {
                        assertThrows(IllegalStateException.class, queue::awaitAll);
                        assertThrows(IllegalStateException.class, () -> queue.begin(() -> result(3)));
                        return Optional.of(waiting(1));
                    }

                    @Override
                    public CollectiveResult run() {
                        throw new AssertionError("it has ended");
                    }
                }));
            } catch (CollectiveException | InterruptedException failed) {
                throw new AssertionError(failed);
            }
        });
        running.await();
        Work behind = queue.begin(() -> result(2));
        assertFalse(behind.isDone());
        go.countDown();
        assertEquals(result(2), behind.await());
        thread.join();
        assertEquals(result(1), beginner.get().await());
    }

    @Test
    void aCloseEndsNothingThatHasBegun() throws Exception {
        var threads = new CopyOnWriteArrayList<String>();
        Work begun = queue.begin(new CallQueue.Body() {
            @Override
            public Optional<CollectiveResult> runNow() {
                queue.close();
                return Optional.empty();
            }

            @Override
            public boolean hasBegun() {
                return true;
            }

            @Override
            public CollectiveResult run() {
                threads.add(Thread.currentThread().getName());
                return result(5);
            }
        });
        assertEquals(result(5), begun.await());
        assertEquals(List.of("queue-under-test"), threads);
    }

    @Test
    void oneMoreThanMayBeOpenWaitsForTheFirstToEnd() throws Exception {
        for (int i = 0; i < CallQueue.OPEN_MAX; i++) {
            queue.begin(() -> waiting(0));
        }
        var oneMore = new AtomicReference<Work>();
        var beginner = new Thread(() -> {
            try {
                oneMore.set(queue.begin(() -> result(1)));
            } catch (CollectiveException | InterruptedException failed) {
                throw new AssertionError(failed);
            }
        });
        beginner.start();
        awaitWaiting(beginner);
        assertEquals(null, oneMore.get());
        go.countDown();
        beginner.join();
        assertEquals(result(1), oneMore.get().await());
    }

    @Test
    void closeEndsWhatDoesNotRunYetAndLetsTheRunningOneEnd() throws Exception {
        Work first = queue.begin(() -> waiting(1));
        Work second = queue.begin(() -> result(2));
        running.await();
        queue.close();
        queue.close();
        assertClosed(() -> queue.begin(() -> result(3)));
        go.countDown();
        assertEquals(result(1), first.await());
        assertClosed(second::await);
        queue.awaitAll();
    }

    @Test
    void whoWaitsForRoomHearsThatTheQueueIsClosed() throws Exception {
        for (int i = 0; i < CallQueue.OPEN_MAX; i++) {
            queue.begin(() -> waiting(0));
        }
        var heard = new AtomicReference<Throwable>();
        var beginner = new Thread(() ->
                heard.set(assertThrows(CollectiveException.class, () -> queue.begin(() -> result(1)))));
        beginner.start();
        awaitWaiting(beginner);
        queue.close();
        beginner.join();
        assertTrue(String.valueOf(heard.get()).contains("closed"), String.valueOf(heard.get()));
    }

    @Test
    void aCollectiveThatBeginsAnotherOrWaitsForOneIsRefused() throws Exception {
        var itself = new CompletableFuture<Work>();
        Work outer = queue.begin(() -> {
            assertThrows(IllegalStateException.class, queue::awaitAll);
            assertThrows(IllegalStateException.class, () -> queue.begin(() -> result(2)));
            assertThrows(IllegalStateException.class, () -> itself.join().await());
            return result(1);
        });
        itself.complete(outer);
        assertEquals(result(1), outer.await());
    }

    @Test
    void aThreadThatCollectivesNeedMayNotWaitForThem() throws Exception {
        var isDataThread = new AtomicBoolean();
        try (var needed = new CallQueue("queue-under-test", isDataThread::get)) {
            Work ended = needed.begin(() -> result(1));
            assertEquals(result(1), ended.await());
            Work running = needed.begin(() -> waiting(2));
            isDataThread.set(true);
            assertEquals(result(1), ended.await(), "needs no waiting");
            assertThrows(IllegalStateException.class, running::await);
            assertThrows(IllegalStateException.class, needed::awaitAll);
            assertThrows(IllegalStateException.class, () -> needed.begin(() -> result(3)));
            isDataThread.set(false);
            go.countDown();
            assertEquals(result(2), running.await());
        }
    }

    @Test
    void whoWaitsForAllWaitsNoLongerThanItsTime() throws Exception {
        Work first = queue.begin(() -> waiting(1));
        Work second = queue.begin(() -> result(2));
        var left = new AtomicLong(3);
        assertEquals(2, queue.awaitAll(left::getAndDecrement));
        assertEquals(-1, left.get(), "it looked at the time until there was none");
        go.countDown();
        first.await();
        second.await();
        assertEquals(0, queue.awaitAll(() -> Long.MAX_VALUE));
        assertEquals(0, queue.awaitAll(() -> 0), "no thread needs to wait");
    }

    @Test
    void anInterruptEndsTheWaitingAndNotTheWork() throws Exception {
        Work work = queue.begin(() -> waiting(1));
        Thread.currentThread().interrupt();
        assertThrows(InterruptedException.class, work::await);
        Thread.currentThread().interrupt();
        CollectiveException stopped = assertThrows(CollectiveException.class, queue::awaitAll);
        assertTrue(String.valueOf(stopped.getMessage()).contains("interrupted"), stopped.toString());
        assertTrue(Thread.interrupted(), "the interrupt is kept");
        go.countDown();
        assertEquals(result(1), work.await());
    }

    private static void assertClosed(Executable call) {
        CollectiveException error = assertThrows(CollectiveException.class, call);
        assertTrue(String.valueOf(error.getMessage()).contains("closed"), error.toString());
    }

    private static void awaitWaiting(Thread thread) {
        while (thread.getState() != Thread.State.WAITING) {
            Thread.onSpinWait();
        }
    }
}
