package io.hearth.discovery.mdns;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.core.Clock;
import io.hearth.discovery.Candidate;
import io.hearth.discovery.PeerAddress;
import io.hearth.discovery.Sighting;
import io.hearth.discovery.dns.DnsMessage;
import io.hearth.discovery.dns.DnsRecord;
import io.hearth.discovery.mdns.machine.TagEncoding;
import java.io.IOException;
import java.net.SocketException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class MdnsSourceIT {
    private static final int KITCHEN = 51_001; // advertised, never opened
    private static final int CELLAR = 51_002;

    private final String loopback = LoopbackMulticast.require();

    @Test
    void nodesOfOneNamespaceFindEachOtherAndNobodyElse() throws InterruptedException {
        var inKitchen = new ArrayBlockingQueue<Sighting>(64);
        var inCellar = new ArrayBlockingQueue<Sighting>(64);
        var inOffice = new ArrayBlockingQueue<Sighting>(64);
        MdnsSource kitchen = source("home", KITCHEN);
        MdnsSource cellar = source("home", CELLAR);
        MdnsSource office = source("office", 51_003);
        long startNanos = System.nanoTime();
        office.start(inOffice::offer);
        kitchen.start(inKitchen::offer);
        cellar.start(inCellar::offer);
        try (kitchen;
                cellar;
                office) {
            assertEquals(List.of(new PeerAddress("127.0.0.1", CELLAR)), addresses(next(inKitchen)));
            assertEquals(List.of(new PeerAddress("127.0.0.1", KITCHEN)), addresses(next(inCellar)));
            System.out.println("mDNS on " + loopback + ": both found after "
                    + (System.nanoTime() - startNanos) / 1_000_000 + " ms");
            awaitForeign(kitchen, 1);
            awaitForeign(office, 2);
            assertTrue(inOffice.isEmpty(), "a foreign namespace saw " + inOffice);
            for (Sighting also : inKitchen) {
                assertEquals(
                        List.of(new PeerAddress("127.0.0.1", CELLAR)), addresses(also), "own reflection or foreign");
            }
            assertEquals(1, kitchen.counters().getFirst().members());
        }
        for (MdnsSource source : List.of(kitchen, cellar, office)) {
            source.awaitGone(Duration.ofSeconds(15));
        }
        for (Thread thread : Thread.getAllStackTraces().keySet()) {
            if (thread.getName().startsWith("hearth-mdns")) { // it may be on its last instructions
                assertTrue(thread.join(Duration.ofSeconds(15)), thread + " is left");
            }
        }
    }

    /** A node that starts need not wait for another's announcement, which comes three probes later. */
    @Test
    void aProbeHasAllThatAPeerNeeds() throws IOException {
        try (var witness = new MdnsWitness(loopback);
                MdnsSource kitchen = source("home", 51_013)) {
            kitchen.start(_ -> {});
            DnsMessage first = witness.first(51_013);
            assertFalse(first.isResponse(), "an announcement");
            assertEquals(
                    List.of(DnsRecord.Service.class, DnsRecord.Text.class),
                    first.records().stream().map(Object::getClass).toList());
        }
    }

    /** A joining node announces nothing and has no tag key: it finds the node that offers to pair by the nameplate, without being seen. */
    @Test
    void aNewcomerFindsTheNameplateAndIsNotSeen() throws InterruptedException {
        var inOffice = new ArrayBlockingQueue<Sighting>(64);
        var inBag = new ArrayBlockingQueue<Sighting>(64);
        MdnsOptions offers = MdnsOptions.ofPort(51_011).on(InterfacePolicy.interfaces(loopback));
        MdnsSource office = new MdnsSource(
                Keys.codec("office"),
                offers.nameplate("42"),
                InterfaceMonitor.ofThisMachine(),
                Clock.system(),
                () -> {},
                _ -> {});
        MdnsSource other = source("office", 51_012);
        MdnsSource bag = new MdnsSource(
                TagEncoding.seeking("42", Keys.of("bag", 1)),
                offers.silent(),
                InterfaceMonitor.ofThisMachine(),
                Clock.system(),
                () -> {},
                _ -> {});
        bag.start(inBag::offer);
        office.start(inOffice::offer);
        other.start(_ -> {});
        try (office;
                other;
                bag) {
            assertEquals(List.of(new PeerAddress("127.0.0.1", 51_011)), addresses(next(inBag)));
            assertEquals(List.of(new PeerAddress("127.0.0.1", 51_012)), addresses(next(inOffice)));
            awaitForeign(bag, 1); // the other node, which offers no pairing
            assertEquals(0, office.counters().getFirst().foreign(), "the newcomer showed itself");
        }
        for (MdnsSource source : List.of(office, other, bag)) {
            source.awaitGone(Duration.ofSeconds(15));
        }
    }

    @Test
    void aSourceThatNeverStartedCloses() {
        source("home", KITCHEN).close();
    }

    /** As when memory is exhausted or JmDNS has a bug, with and without an uncaught exception of the thread that ends. */
    @Tag("full")
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aListenerThatDiesIsReplaced(boolean silently) throws InterruptedException {
        var seen = new ArrayBlockingQueue<Sighting>(64);
        var faults = new AtomicInteger();
        MdnsSource friend = source("home", 51_006);
        MdnsSource victim = source("home", 51_007);
        try (friend;
                victim) {
            victim.start(sighting -> {
                if (faults.getAndIncrement() == 0) {
                    if (silently) {
                        Thread.currentThread().setUncaughtExceptionHandler((_, _) -> {});
                    }
                    throw new AssertionError("planted");
                }
                seen.add(sighting);
            });
            friend.start(_ -> {});
            assertEquals(List.of(new PeerAddress("127.0.0.1", 51_006)), addresses(next(seen)));
            MdnsCounters counters = victim.counters().getFirst();
            assertEquals(1, counters.restarted());
            assertEquals(
                    silently ? "its listener ended" : "its listener failed: java.lang.AssertionError: planted",
                    counters.restartReason());
        }
        friend.awaitGone(Duration.ofSeconds(15));
        victim.awaitGone(Duration.ofSeconds(15));
    }

    /** A bug in the handling of a member loses that packet and does not end the listener. */
    @Tag("full")
    @Test
    void aFaultOfASinkEndsNothing() throws InterruptedException {
        var seen = new ArrayBlockingQueue<Sighting>(64);
        var faults = new AtomicInteger();
        MdnsSource friend = source("home", 51_008);
        MdnsSource other = source("home", 51_009);
        MdnsSource victim = source("home", 51_010);
        try (friend;
                other;
                victim) {
            victim.start(sighting -> {
                if (faults.getAndIncrement() == 0) {
                    throw new IllegalStateException("planted");
                }
                seen.add(sighting);
            });
            friend.start(_ -> {});
            other.start(_ -> {});
            next(seen);
            assertEquals(0, victim.counters().getFirst().restarted());
            assertEquals(1, victim.counters().getFirst().dropped());
        }
        for (MdnsSource source : List.of(friend, other, victim)) {
            source.awaitGone(Duration.ofSeconds(15));
        }
    }

    /** As when a cable moves to another network: the announcement there must be new, and peers must receive it. */
    @Tag("full")
    @Test
    void aChangedInterfaceMeansANewInstanceInANewGuise() throws InterruptedException, SocketException {
        var seen = new ArrayBlockingQueue<Sighting>(64);
        var changes = new AtomicInteger();
        List<InterfaceState> real = InterfaceMonitor.ofThisMachine().poll().orElseThrow();
        var states = new AtomicReference<>(real);
        MdnsSource watcher = source("home", 51_004);
        MdnsSource mover = new MdnsSource(
                Keys.codec("home"),
                MdnsOptions.ofPort(51_005).on(InterfacePolicy.interfaces(loopback)),
                new InterfaceMonitor(states::get),
                Clock.system(),
                changes::incrementAndGet,
                _ -> {});
        try (watcher;
                mover) {
            watcher.start(seen::offer);
            mover.start(_ -> {});
            Sighting before = next(seen);
            states.set(real.stream().map(MdnsSourceIT::reindexed).toList());
            Sighting after = next(seen);
            assertNotEquals(before.name(), after.name());
            assertEquals(before.candidates(), after.candidates());
            assertEquals(2, changes.get());
            states.set(List.of());
            long deadlineNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
            while (!mover.counters().isEmpty()) {
                assertTrue(System.nanoTime() - deadlineNanos < 0, "an interface that is gone is still used");
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
            }
        }
        watcher.awaitGone(Duration.ofSeconds(15));
        mover.awaitGone(Duration.ofSeconds(15));
    }

    static InterfaceState reindexed(InterfaceState state) {
        return new InterfaceState(
                state.name(),
                state.index() + 100,
                state.up(),
                state.multicast(),
                state.loopback(),
                state.pointToPoint(),
                state.addresses(),
                state.prefixes());
    }

    private MdnsSource source(String namespace, int port) {
        return new MdnsSource(
                Keys.codec(namespace),
                MdnsOptions.ofPort(port).on(InterfacePolicy.interfaces(loopback)),
                InterfaceMonitor.ofThisMachine(),
                Clock.system(),
                () -> {},
                _ -> {});
    }

    private static Sighting next(BlockingQueue<Sighting> sightings) throws InterruptedException {
        @Nullable Sighting next = sightings.poll(30, TimeUnit.SECONDS);
        assertNotNull(next, "nobody was seen within 30 s");
        return next;
    }

    private static List<PeerAddress> addresses(Sighting sighting) {
        return sighting.candidates().stream().map(Candidate::address).toList();
    }

    private static void awaitForeign(MdnsSource source, long atLeast) {
        long deadlineNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        while (source.counters().getFirst().foreign() < atLeast) {
            assertTrue(System.nanoTime() - deadlineNanos < 0, () -> "only heard " + source.counters());
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
        }
    }
}
