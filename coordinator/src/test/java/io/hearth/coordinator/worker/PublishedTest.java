package io.hearth.coordinator.worker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.hearth.coordinator.ExchangeException;
import io.hearth.coordinator.ExchangeException.Reason;
import io.hearth.coordinator.Tensor;
import io.hearth.coordinator.collective.Manifest;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** A worker that waits until others have fetched its tensor, and what ends that wait. */
@Timeout(30)
final class PublishedTest {
    private static final long LONG = Duration.ofDays(1).toNanos();

    static Stream<Arguments> ends() {
        return Stream.of(
                Arguments.of("it closes", Reason.CLOSED, (Consumer<Published>)
                        published -> published.close(new ExchangeException(Reason.CLOSED, "the worker closes"))),
                Arguments.of(
                        "other workers", Reason.WORKERS_CHANGED, (Consumer<Published>) published -> published.world(8)),
                Arguments.of("one that fetches leaves", Reason.WORKERS_CHANGED, (Consumer<Published>)
                        published -> published.absent(Set.of(2))));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("ends")
    void aWaitForOthersEnds(String what, Reason reason, Consumer<Published> end) throws Exception {
        var published = new Published();
        published.world(7);
        var round = new Arrival.Round(7, 1, "w");
        var entry = Manifest.of(Map.of("w", Tensor.vector(1))).entries().getFirst();
        published.open(round, entry, new float[] {1}, Set.of(2));
        Thread later = Thread.ofVirtual().start(() -> end.accept(published));
        var ended =
                assertThrows(ExchangeException.class, () -> published.awaitFetched(round, System.nanoTime() + LONG));
        assertEquals(reason, ended.reason());
        later.join();
        assertThrows(ExchangeException.class, () -> published.awaitFetched(round, System.nanoTime() + LONG));
    }
}
