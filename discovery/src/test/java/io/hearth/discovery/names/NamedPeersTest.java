package io.hearth.discovery.names;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.core.Clock;
import io.hearth.discovery.Candidate;
import io.hearth.discovery.Medium;
import io.hearth.discovery.PeerAddress;
import io.hearth.discovery.PeerName;
import io.hearth.discovery.Sighting;
import io.hearth.discovery.SourceKind;
import io.hearth.discovery.names.machine.NameAnswer;
import io.hearth.discovery.names.machine.NameLimits;
import io.hearth.discovery.names.machine.ResolverSettings;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

final class NamedPeersTest {
    private static final long MILLI = 1_000_000;
    private static final NameLimits QUICK =
            new NameLimits(256, 64, 2 * MILLI, 2 * MILLI, 2 * MILLI, MILLI, 4 * MILLI, 10_000 * MILLI);
    private static final ResolverSettings SETTINGS =
            new ResolverSettings(List.of(new PeerAddress("127.0.0.1", 53)), List.of(), 1, Optional.empty());

    private final ArrayBlockingQueue<Sighting> told = new ArrayBlockingQueue<>(1_000);

    @Test
    void literalsAreToldAtOnceAndNeverResolved() {
        var now = new ArrayList<Sighting>();
        try (NamedPeers source = source(
                question -> {
                    throw new AssertionError("resolved " + question);
                },
                "192.168.1.7",
                "[fe80::1%eth0]:7")) {
            source.start(now::add);
            assertEquals(List.of(), source.reports());
        }
        assertEquals(
                List.of(new PeerAddress("192.168.1.7", 52_416), new PeerAddress("fe80::1%eth0", 7)),
                now.stream().map(each -> each.candidates().getFirst().address()).toList());
        assertEquals(SourceKind.STATIC, now.getFirst().source());
    }

    @Test
    void namesAreResolvedOffTheCallersThreadAndAgainUntilTheyAreKnown() throws InterruptedException {
        var asked = new AtomicInteger();
        var caller = Thread.currentThread();
        try (NamedPeers source = source(
                question -> {
                    assertNotEquals(caller, Thread.currentThread(), "blocked the caller");
                    int number = asked.incrementAndGet();
                    return number < 4 ? new NameAnswer.Failed("no answer") : addresses("10.0.0." + Math.min(9, number));
                },
                "nas:7")) {
            source.start(told::offer);
            Sighting first = next();
            assertEquals(List.of(new Candidate(new PeerAddress("10.0.0.4", 7), Medium.OTHER)), first.candidates());
            assertEquals("static:nas:7", first.name());
            assertEquals("10.0.0.5", next().candidates().getFirst().address().host(), "not resolved again");
        }
    }

    @Test
    void aHostIsOnePeerAndEachAddressOfADnsNameIsOne() throws InterruptedException {
        String[] twenty = new String[20];
        Arrays.setAll(twenty, i -> "10.0.0." + i);
        try (NamedPeers source = source(_ -> addresses(twenty), "nas")) {
            source.start(told::offer);
            assertEquals(Sighting.CANDIDATES_MAX, next().candidates().size());
        }
        told.clear();
        try (NamedPeers source = source(_ -> addresses(twenty), "dns:all.org:7")) {
            source.start(told::offer);
            for (String each : twenty) {
                Sighting sighting = next();
                assertEquals("dns:" + each + ":7", sighting.name());
                assertEquals(SourceKind.DNS, sighting.source());
                assertEquals(List.of(new Candidate(new PeerAddress(each, 7), Medium.OTHER)), sighting.candidates());
            }
        }
    }

    @Test
    void aNameOfAnyLengthThatIsAcceptedCanBeTold() throws InterruptedException {
        try (NamedPeers source = source(_ -> addresses("10.0.0.1"), "n".repeat(253) + ":65535")) {
            source.start(told::offer);
            assertNotNull(next());
        }
    }

    @Test
    void aHangingResolverHoldsUpNeitherTheOthersNorTheEnd() throws InterruptedException {
        var hang = new CountDownLatch(1);
        var hung = new CountDownLatch(1);
        var resolver = new AtomicReference<Thread>();
        NamedPeers source = source(
                question -> {
                    if (question.name().equals("hangs")) {
                        resolver.set(Thread.currentThread());
                        hung.countDown();
                        awaitInSpiteOfInterrupts(hang);
                    }
                    return addresses("10.0.0.1");
                },
                "hangs",
                "works");
        source.start(told::offer);
        hung.await();
        assertEquals("static:works:52416", next().name());
        source.close();
        told.clear();
        hang.countDown();
        Thread left = resolver.get();
        assertNotNull(left);
        left.join();
        source.close();
        assertTrue(told.isEmpty(), "told after the end");
    }

    @Test
    void closingInterruptsALookupAndLeavesNoThread() throws InterruptedException {
        var threads = new ArrayBlockingQueue<Thread>(2);
        var never = new CountDownLatch(1);
        NamedPeers source = source(
                _ -> {
                    threads.add(Thread.currentThread());
                    try {
                        never.await();
                    } catch (InterruptedException stop) {
                        Thread.currentThread().interrupt();
                    }
                    return new NameAnswer.Failed("interrupted");
                },
                "dns:a.org",
                "dns:b.org");
        source.start(told::offer);
        Thread one = threads.take();
        Thread other = threads.take();
        source.close();
        assertFalse(one.isAlive() || other.isAlive());
        assertTrue(one.isDaemon() && one.getName().equals("hearth-resolve"));
    }

    @Test
    void whatEachNameAnsweredIsReported() throws InterruptedException {
        var broken = new AtomicInteger();
        try (NamedPeers source = source(
                question -> {
                    if (question.name().equals("b.org")) {
                        broken.incrementAndGet();
                        throw new IllegalStateException("planted");
                    }
                    return broken.get() > 2 ? addresses("10.0.0.1") : new NameAnswer.Absent("no such name");
                },
                "10.0.0.9",
                "dns:a.org",
                "dns:b.org")) {
            source.start(told::offer);
            assertEquals("static:10.0.0.9:52416", next().name());
            assertEquals("dns:10.0.0.1:52416", next().name(), "a lookup that throws stops no other");
            assertEquals(
                    "dns:b.org: the lookup failed: java.lang.IllegalStateException: planted",
                    source.reports().getLast().text());
        }
    }

    @Test
    void theListIsBounded() {
        assertThrows(
                IllegalArgumentException.class,
                () -> NamedPeers.of(Collections.nCopies(65, PeerName.parse("10.0.0.1:7"))));
    }

    private Sighting next() throws InterruptedException {
        Sighting sighting = told.poll(20, TimeUnit.SECONDS);
        assertNotNull(sighting);
        return sighting;
    }

    private static NamedPeers source(NameLookup lookup, String... names) {
        return new NamedPeers(
                Arrays.stream(names).map(PeerName::parse).toList(), lookup, () -> SETTINGS, QUICK, Clock.system());
    }

    private static NameAnswer addresses(String... literals) {
        return new NameAnswer.Addresses(List.of(literals), OptionalLong.empty());
    }

    /** As a native resolver waits: nothing ends it. */
    private static void awaitInSpiteOfInterrupts(CountDownLatch latch) {
        boolean isOver = false;
        while (!isOver) {
            try {
                latch.await();
                isOver = true;
            } catch (InterruptedException ignored) {
                isOver = latch.getCount() == 0;
            }
        }
    }
}
