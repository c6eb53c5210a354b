package io.hearth.discovery.mdns;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.core.Bytes;
import io.hearth.core.Clock;
import io.hearth.discovery.PeerAddress;
import io.hearth.discovery.Sighting;
import io.hearth.discovery.dns.DnsType;
import io.hearth.discovery.dns.Packet;
import io.hearth.discovery.mdns.machine.Advert;
import io.hearth.discovery.table.PeerTable;
import io.hearth.discovery.table.PeerTableLimits;
import io.hearth.discovery.table.PeerTableMachine;
import io.hearth.discovery.table.PeerTableMachine.Effect;
import io.hearth.discovery.table.PeerTableMachine.Event;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.DatagramPacket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.MulticastSocket;
import java.net.NetworkInterface;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** An attacker on the LAN forges records by the thousand: they do no harm, and a real peer is still found. */
final class MdnsForgeryIT {
    private static final int FORGED = 3_000;
    private static final int VICTIM = 51_011;
    private static final int FRIEND = 51_012;
    private static final int TTL_SECONDS = 120;
    private static final String TYPE = "_hearth._tcp.local";

    private final String loopback = LoopbackMulticast.require();

    @Tag("full")
    @Test
    void forgedRecordsAreNeverDialledAndHideNobody() throws IOException {
        var seen = new ArrayBlockingQueue<Sighting>(FORGED);
        MdnsSource victim = source("home", VICTIM);
        MdnsSource friend = source("home", FRIEND);
        try (victim;
                friend;
                var attacker = new Attacker(NetworkInterface.getByName(loopback))) {
            victim.start(seen::offer);
            await(
                    victim,
                    "it is up",
                    () -> !victim.counters().isEmpty()
                            && victim.counters().getFirst().sent() > 4);
            Map<String, String> replayed = Keys.codec("home")
                    .sign(Bytes.of(new byte[Advert.NONCE_BYTES]), 51_099, Optional.empty())
                    .txt();
            for (int i = 0; i < FORGED; i++) {
                attacker.announce("forged" + i, 50_000 + i % 1_000, i % 2 == 0 ? replayed : otherNonce(replayed, i), 1);
            }
            await(victim, "it was flooded", () -> victim.counters().getFirst().foreign() > FORGED / 2);
            long startNanos = System.nanoTime();
            friend.start(_ -> {});
            Sighting first = next(seen);
            System.out.println("flooded with " + victim.counters().getFirst().foreign() + " foreign services, dropped "
                    + victim.counters().getFirst().dropped() + "; the real peer was found after "
                    + (System.nanoTime() - startNanos) / 1_000_000 + " ms");
            assertEquals(
                    List.of(new PeerAddress("127.0.0.1", FRIEND)), dials(first, seen), "a forged record was dialled");
            assertEquals(1, victim.counters().getFirst().members());
        }
        victim.awaitGone(Duration.ofSeconds(15));
        friend.awaitGone(Duration.ofSeconds(15));
    }

    /** Attack 36: an AAAA record of four bytes ended the listener of every JmDNS that heard it. */
    @Tag("full")
    @Test
    void aRecordThatEndsJmdnssListenerIsDropped() throws IOException {
        underAttack((attacker, victim) -> {
            for (int i = 0; i < 20; i++) {
                byte[] name = Packet.dotted("x.local");
                byte[] four = {8, 8, 8, 8};
                assertEquals(
                        35,
                        Packet.response().record(name, DnsType.AAAA, 120, four).bytes().length);
                attacker.send(Packet.response().record(name, DnsType.AAAA, 120, four));
                attacker.send(Packet.query().ask(TYPE, DnsType.PTR).record(name, DnsType.AAAA, 120, four));
                attacker.send(Packet.response().ptr(TYPE, 120, "x." + TYPE));
            }
            await(victim, "it dropped them", () -> victim.counters().getFirst().dropped() >= 20);
        });
    }

    /** Attack 37: each of these made JmDNS keep 64 KiB for the time given in the packet. */
    @Tag("full")
    @Test
    void recordsThatClaimWhatTheyDoNotCarryTakeNoMemory() throws IOException {
        underAttack((attacker, victim) -> {
            long before = liveBytes();
            for (int i = 0; i < 10_000; i++) {
                byte[] name = {3, (byte) ('a' + i % 26), (byte) ('a' + i / 26 % 26), (byte) ('a' + i / 676), 0};
                assertEquals(27, record(name).bytes().length);
                attacker.send(record(name));
            }
            await(victim, "it dropped them", () -> victim.counters().getFirst().dropped() > 5_000);
            long grown = liveBytes() - before;
            assertTrue(grown < 20_000_000, "the heap grew by " + grown + " bytes");
        });
    }

    /** Attack 38: valid adverts under thousands of names, at unused addresses, before and while a node starts. */
    @Tag("full")
    @Test
    void replayedAdvertsHideNobody() throws IOException {
        Map<String, String> replayed = Keys.codec("home")
                .sign(Bytes.of(new byte[Advert.NONCE_BYTES]), 51_099, Optional.empty())
                .txt();
        underAttack((attacker, victim) -> {
            for (int i = 0; i < 9_000; i++) {
                attacker.announce("replay" + i, 51_099, replayed, 2 + i % 250);
            }
            assertTrue(
                    victim.counters().getFirst().members() <= 2, "a replay is the same member, and there is a friend");
        });
    }

    private interface Attack {
        void run(Attacker attacker, MdnsSource victim) throws IOException;
    }

    /** A node under attack still receives: another node, started half a second into the attack, is found during or after it. */
    private void underAttack(Attack attack) throws IOException {
        var seen = new ArrayBlockingQueue<Sighting>(FORGED);
        MdnsSource victim = source("home", VICTIM);
        MdnsSource friend = source("home", FRIEND);
        var seenByFriend = new ArrayBlockingQueue<Sighting>(FORGED);
        var failure = new AtomicReference<@Nullable Throwable>();
        try (victim;
                friend;
                var attacker = new Attacker(NetworkInterface.getByName(loopback))) {
            victim.start(seen::offer);
            await(
                    victim,
                    "it is up",
                    () -> !victim.counters().isEmpty()
                            && victim.counters().getFirst().sent() > 4);
            Thread flood = Thread.ofPlatform().daemon().start(() -> {
                try {
                    attack.run(attacker, victim);
                } catch (IOException | AssertionError broken) {
                    failure.set(broken);
                }
            });
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(500));
            long startNanos = System.nanoTime();
            friend.start(seenByFriend::offer);
            awaitSighting(seen, FRIEND);
            awaitSighting(seenByFriend, VICTIM);
            System.out.println("under attack: found after " + (System.nanoTime() - startNanos) / 1_000_000 + " ms");
            assertTrue(flood.join(Duration.ofSeconds(60)), "the attack does not end");
            assertNull(failure.get());
            assertEquals(0, victim.counters().getFirst().restarted(), () -> "" + victim.counters());
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
            throw new AssertionError(stop);
        }
        victim.awaitGone(Duration.ofSeconds(15));
        friend.awaitGone(Duration.ofSeconds(15));
    }

    private static void awaitSighting(ArrayBlockingQueue<Sighting> sightings, int port) {
        while (next(sightings).candidates().stream()
                .noneMatch(candidate -> candidate.address().equals(new PeerAddress("127.0.0.1", port)))) {
            // of another host
        }
    }

    private static Packet record(byte[] name) {
        return Packet.response().record(1, name, DnsType.TXT, 0x7FFF_FFFF, 65_535);
    }

    private static long liveBytes() {
        System.gc();
        var memory = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage();
        return memory.getUsed();
    }

    private static List<PeerAddress> dials(Sighting first, Iterable<Sighting> rest) {
        var machine = new PeerTableMachine(PeerTableLimits.DEFAULT);
        var all = new ArrayList<>(List.of(first));
        rest.forEach(all::add);
        PeerTable table = PeerTable.EMPTY;
        var dialled = new ArrayList<PeerAddress>();
        var effects = new ArrayList<Effect>();
        for (Sighting sighting : all) {
            var step = machine.step(table, new Event.Sighted(sighting), 0);
            table = step.state();
            effects.addAll(step.effects());
        }
        long later = PeerTableLimits.DEFAULT.giveWayNanos(); // the other node may dial first
        effects.addAll(machine.step(table, new Event.Tick(), later).effects());
        for (Effect effect : effects) {
            if (effect instanceof Effect.Dial dial) {
                dialled.add(dial.address());
            }
        }
        return dialled;
    }

    private static Map<String, String> otherNonce(Map<String, String> txt, int number) {
        var nonce = new byte[Advert.NONCE_BYTES];
        nonce[0] = (byte) (number >> 8);
        nonce[1] = (byte) number;
        nonce[2] = 1;
        var base64 = Base64.getUrlEncoder().withoutPadding();
        return Map.of("v", "1", "n", base64.encodeToString(nonce), "t", String.valueOf(txt.get("t")));
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

    private static Sighting next(ArrayBlockingQueue<Sighting> sightings) {
        try {
            Sighting next = sightings.poll(30, TimeUnit.SECONDS);
            assertNotNull(next, "nobody was seen within 30 s");
            return next;
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
            throw new AssertionError(stop);
        }
    }

    private static void await(MdnsSource source, String what, BooleanSupplier condition) {
        long deadlineNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        while (!condition.getAsBoolean()) {
            assertTrue(
                    System.nanoTime() - deadlineNanos < 0, () -> "not within 30 s: " + what + "; " + source.counters());
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
        }
    }

    /** Sends forged mDNS packets. */
    private static final class Attacker implements AutoCloseable {
        private final MulticastSocket socket = new MulticastSocket(0);
        private final InetSocketAddress group =
                new InetSocketAddress(InetAddress.ofLiteral("224.0.0.251"), Integer.getInteger("net.mdns.port", 5353));

        Attacker(NetworkInterface on) throws IOException {
            socket.setNetworkInterface(on);
        }

        void announce(String service, int port, Map<String, String> txt, int lastByte) throws IOException {
            String instance = service + "." + TYPE;
            String host = service + "-host.local";
            send(Packet.response()
                    .ptr(TYPE, TTL_SECONDS, instance)
                    .srv(instance, TTL_SECONDS, port, host)
                    .txt(instance, TTL_SECONDS, txt)
                    .address(host, TTL_SECONDS, (byte) 127, (byte) 0, (byte) 0, (byte) lastByte));
        }

        /** Sends a packet, with a pause, because a full socket buffer would lose packets. */
        void send(Packet packet) throws IOException {
            byte[] bytes = packet.bytes();
            socket.send(new DatagramPacket(bytes, bytes.length, group));
            LockSupport.parkNanos(TimeUnit.MICROSECONDS.toNanos(400));
        }

        @Override
        public void close() {
            socket.close();
        }
    }
}
