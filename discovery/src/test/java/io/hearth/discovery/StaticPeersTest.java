package io.hearth.discovery;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

final class StaticPeersTest {
    private static final StaticPeers.Pace QUICK =
            new StaticPeers.Pace(Duration.ofMillis(1), Duration.ofMillis(4), Duration.ofMillis(2));

    @Test
    void literalsAreToldAtOnceAndNeverResolved() {
        var told = new ArrayList<Sighting>();
        try (var source = new StaticPeers(
                List.of(HostPort.parse("192.168.1.7"), HostPort.parse("[fe80::1%eth0]:7")),
                name -> {
                    throw new AssertionError("resolved " + name);
                },
                QUICK)) {
            source.start(told::add);
        }
        assertEquals(
                List.of(new PeerAddress("192.168.1.7", 52_416), new PeerAddress("fe80::1%eth0", 7)),
                told.stream()
                        .map(each -> each.candidates().getFirst().address())
                        .toList());
        assertEquals(SourceKind.STATIC, told.getFirst().source());
    }

    @Test
    void namesAreResolvedOffTheCallersThreadAndAgainUntilTheyAreKnown() throws InterruptedException {
        var told = new ArrayBlockingQueue<Sighting>(1_000);
        var asked = new AtomicInteger();
        var caller = Thread.currentThread();
        try (var source = new StaticPeers(
                List.of(HostPort.parse("nas:7")),
                name -> {
                    assertNotEquals(caller, Thread.currentThread(), "blocked the caller");
                    if (asked.incrementAndGet() < 4) {
                        throw new UnknownHostException(name);
                    }
                    return Collections.nCopies(20, "10.0.0." + asked.get());
                },
                QUICK)) {
            source.start(told::offer);
            Sighting first = told.poll(20, TimeUnit.SECONDS);
            assertNotNull(first);
            assertEquals(List.of(new Candidate(new PeerAddress("10.0.0.4", 7), Medium.OTHER)), first.candidates());
            Sighting moved = told.poll(20, TimeUnit.SECONDS);
            assertNotNull(moved);
            assertEquals("10.0.0.5", moved.candidates().getFirst().address().host(), "not resolved again");
        }
    }

    @Test
    void aNameOfAnyLengthThatIsAcceptedCanBeTold() throws InterruptedException {
        var told = new ArrayBlockingQueue<Sighting>(1_000);
        try (var source =
                new StaticPeers(List.of(HostPort.parse("n".repeat(253) + ":65535")), _ -> List.of("10.0.0.1"), QUICK)) {
            source.start(told::offer);
            assertNotNull(told.poll(20, TimeUnit.SECONDS));
        }
    }

    @Test
    void aHangingResolverHoldsUpNeitherTheOthersNorTheEnd() throws InterruptedException {
        var told = new ArrayBlockingQueue<Sighting>(1_000);
        var hang = new CountDownLatch(1);
        var source = new StaticPeers(
                List.of(HostPort.parse("hangs"), HostPort.parse("works")),
                name -> {
                    if (name.equals("hangs")) {
                        await(hang);
                    }
                    return List.of("10.0.0.1");
                },
                QUICK);
        source.start(told::offer);
        Sighting works = told.poll(20, TimeUnit.SECONDS);
        assertNotNull(works);
        assertEquals("static:works:52416", works.name());
        source.close();
        told.clear();
        hang.countDown();
        source.close();
        assertTrue(told.isEmpty(), "told after the end");
    }

    @Test
    void pausesDoubleFromTheFirstToTheLongest() {
        var pace = StaticPeers.Pace.DEFAULT;
        assertEquals(
                List.of(1L, 2L, 4L, 32L, 60L, 60L),
                List.of(1, 2, 3, 6, 7, 100_000).stream()
                        .map(failures -> pace.pause(failures).toSeconds())
                        .toList());
        assertEquals(Duration.ofSeconds(60), pace.pause(0));
    }

    @Test
    void theListIsBounded() {
        assertThrows(
                IllegalArgumentException.class,
                () -> StaticPeers.of(Collections.nCopies(65, new HostPort("10.0.0.1", 7))));
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
        }
    }
}
