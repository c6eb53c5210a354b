package io.hearth.discovery;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.core.Clock;
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
import org.junit.jupiter.api.Test;

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

    @Test
    void aSourceThatNeverStartedCloses() {
        source("home", KITCHEN).close();
    }

    /** As when a cable moves to another network: what is told there must be new, and peers must hear it. */
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
                changes::incrementAndGet);
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

    private static InterfaceState reindexed(InterfaceState state) {
        return new InterfaceState(
                state.name(),
                state.index() + 100,
                state.up(),
                state.multicast(),
                state.loopback(),
                state.pointToPoint(),
                state.addresses());
    }

    private MdnsSource source(String namespace, int port) {
        return new MdnsSource(
                Keys.codec(namespace),
                MdnsOptions.ofPort(port).on(InterfacePolicy.interfaces(loopback)),
                InterfaceMonitor.ofThisMachine(),
                Clock.system(),
                () -> {});
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
