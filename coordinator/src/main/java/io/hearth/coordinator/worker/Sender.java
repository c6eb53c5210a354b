package io.hearth.coordinator.worker;

import io.hearth.coordinator.ExchangeException;
import java.util.Optional;

/** A thread that sends while its starter receives: if all only sent, no ring would turn. */
final class Sender {
    /** What the thread does. */
    interface Work {
        void run() throws ExchangeException, InterruptedException;
    }

    private final Thread thread;
    private Optional<ExchangeException> failure = Optional.empty(); // read after the thread has ended

    Sender(Work work) {
        thread = Thread.startVirtualThread(() -> {
            try {
                work.run();
            } catch (ExchangeException failed) {
                failure = Optional.of(failed);
            } catch (InterruptedException stop) {
                Thread.currentThread().interrupt();
            }
        });
    }

    /** Waits until all is sent. */
    void join() throws ExchangeException, InterruptedException {
        thread.join();
        if (failure.isPresent()) {
            throw failure.get();
        }
    }

    void stop() throws InterruptedException {
        thread.interrupt();
        thread.join();
    }
}
