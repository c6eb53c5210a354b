package io.hearth.coordinator.worker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.coordinator.ExchangeException;
import io.hearth.coordinator.ExchangeException.Reason;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Calls that are early. */
final class ArrivalsTest {
    private static final int MEBIBYTE = 1024 * 1024;

    private final ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(1);
    private final Arrivals<Call> arrivals = new Arrivals<>(timer, Duration.ofHours(1));
    private final List<Reason> failures = new ArrayList<>();

    /** A call without a round, as of the original. */
    private final class Call implements Arrival {
        private final int bytes;

        private Call(int bytes) {
            this.bytes = bytes;
        }

        @Override
        public Optional<Round> round() {
            return Optional.empty();
        }

        @Override
        public int rank() {
            return -1;
        }

        @Override
        public int bytes() {
            return bytes;
        }

        @Override
        public void fail(ExchangeException why) {
            failures.add(why.reason());
        }
    }

    @AfterEach
    void stop() {
        timer.shutdownNow();
    }

    @Test
    void theirBytesAreBounded() {
        timer.setRemoveOnCancelPolicy(true);
        var first = new Call(200 * MEBIBYTE);
        arrivals.arrive(first);
        arrivals.arrive(new Call(100 * MEBIBYTE));
        assertEquals(List.of(Reason.TOO_LARGE), failures);
        assertTrue(arrivals.leave(first));
        assertTrue(timer.getQueue().isEmpty(), "the timer keeps nothing of a call that left");
        arrivals.arrive(new Call(100 * MEBIBYTE));
        assertEquals(1, failures.size());
    }
}
