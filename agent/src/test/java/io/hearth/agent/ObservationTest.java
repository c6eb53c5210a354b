package io.hearth.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;

final class ObservationTest {
    private final Observation<String> observation = new Observation<>("first");

    @Test
    void anEqualValueIsNoNews() throws Exception {
        observation.publish(new String("first"));
        assertEquals(new Observation.Version<>(1, "first"), observation.awaitAfter(0));
        observation.publish("second");
        assertEquals(new Observation.Version<>(2, "second"), observation.awaitAfter(1));
        assertEquals("second", observation.value());
    }

    @Test
    void whoWaitsIsWokenByTheNextPublication() throws Exception {
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var later = CompletableFuture.supplyAsync(
                    () -> {
                        try {
                            return observation.awaitAfter(1).value();
                        } catch (InterruptedException stop) {
                            throw new AssertionError(stop);
                        }
                    },
                    threads);
            observation.publish("second");
            assertEquals("second", later.get());
        }
    }

    @Test
    void waitingForWhatNeverComesEnds() throws Exception {
        assertEquals(Optional.of("first"), observation.await("first"::equals, Duration.ZERO));
        assertEquals(Optional.empty(), observation.await("second"::equals, Duration.ofMillis(20)));
        assertEquals(Optional.empty(), observation.await("second"::equals, Duration.ofSeconds(-1)));
        assertEquals(Optional.of("first"), observation.await("first"::equals, Duration.ofSeconds(Long.MAX_VALUE)));
    }
}
