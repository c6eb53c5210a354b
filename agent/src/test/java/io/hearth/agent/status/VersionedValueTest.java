package io.hearth.agent.status;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;

final class VersionedValueTest {
    private final VersionedValue<String> latestStatus = new VersionedValue<>("first");

    @Test
    void anEqualValueIsNoNews() throws Exception {
        latestStatus.publish(new String("first"));
        assertEquals(new VersionedValue.Version<>(1, "first"), latestStatus.awaitAfter(0));
        latestStatus.publish("second");
        assertEquals(new VersionedValue.Version<>(2, "second"), latestStatus.awaitAfter(1));
        assertEquals("second", latestStatus.value());
    }

    @Test
    void whoWaitsIsWokenByTheNextPublication() throws Exception {
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var later = CompletableFuture.supplyAsync(
                    () -> {
                        try {
                            return latestStatus.awaitAfter(1).value();
                        } catch (InterruptedException stop) {
                            throw new AssertionError(stop);
                        }
                    },
                    threads);
            latestStatus.publish("second");
            assertEquals("second", later.get());
        }
    }

    @Test
    void waitingForWhatNeverComesEnds() throws Exception {
        assertEquals(Optional.of("first"), latestStatus.await("first"::equals, Duration.ZERO));
        assertEquals(Optional.empty(), latestStatus.await("second"::equals, Duration.ofMillis(20)));
        assertEquals(Optional.empty(), latestStatus.await("second"::equals, Duration.ofSeconds(-1)));
        assertEquals(Optional.of("first"), latestStatus.await("first"::equals, Duration.ofSeconds(Long.MAX_VALUE)));
    }
}
