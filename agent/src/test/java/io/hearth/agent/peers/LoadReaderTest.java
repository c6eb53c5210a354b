package io.hearth.agent.peers;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hearth.topology.NodeLoad;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
final class LoadReaderTest {
    @Test
    void eachChangeIsReportedOnce() throws InterruptedException {
        List<Integer> loads = List.of(7, 7, 9, 9, 9, 7);
        var reads = new AtomicInteger();
        var all = new CountDownLatch(loads.size() + 2);
        List<Integer> heard = Collections.synchronizedList(new ArrayList<>());
        try (var reader = new LoadReader(
                () -> {
                    all.countDown();
                    return load(loads.get(Math.min(reads.getAndIncrement(), loads.size() - 1)));
                },
                load -> heard.add(load.percent()),
                Duration.ofNanos(1))) {
            reader.start();
            all.await();
        }
        assertEquals(List.of(7, 9, 7), heard);
    }

    @Test
    void aReaderThatNeverAnswersDoesNotHoldTheNodeUp() throws InterruptedException {
        var reading = new CountDownLatch(1);
        var never = new CountDownLatch(1);
        var reader = new LoadReader(
                () -> {
                    reading.countDown();
                    while (never.getCount() > 0) { // as a call of the kernel: an interrupt does not end it
                        LockSupport.parkNanos(1_000_000);
                    }
                    return load(1);
                },
                _ -> {},
                Duration.ofNanos(1));
        reader.start();
        reading.await();
        reader.close();
        assertEquals(1, never.getCount(), "the reader still waits");
        never.countDown();
    }

    private static NodeLoad load(int percent) {
        return new NodeLoad(percent, Optional.empty());
    }
}
