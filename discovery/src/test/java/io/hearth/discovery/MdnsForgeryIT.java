package io.hearth.discovery;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.core.Bytes;
import io.hearth.core.Clock;
import io.hearth.discovery.PeerTableMachine.Effect;
import io.hearth.discovery.PeerTableMachine.Event;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.MulticastSocket;
import java.net.NetworkInterface;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;

/** Somebody on the LAN forges records by the thousand: none is dialled, and a real peer is found all the same. */
final class MdnsForgeryIT {
    private static final int FORGED = 3_000;
    private static final int VICTIM = 51_011;
    private static final int FRIEND = 51_012;
    private static final String TYPE = "_hearth._tcp.local";

    private final String loopback = LoopbackMulticast.require();

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
                attacker.announce("forged" + i, 50_000 + i % 1_000, i % 2 == 0 ? replayed : otherNonce(replayed, i));
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1)); // a socket buffer of them is lost otherwise
            }
            await(victim, "it was flooded", () -> victim.counters().getFirst().recycled() > 0);
            long startNanos = System.nanoTime();
            friend.start(_ -> {});
            Sighting first = next(seen);
            System.out.println("flooded with " + victim.counters().getFirst().foreign() + " foreign services, recycled "
                    + victim.counters().getFirst().recycled() + " times; the real peer was found after "
                    + (System.nanoTime() - startNanos) / 1_000_000 + " ms");
            assertEquals(
                    List.of(new PeerAddress("127.0.0.1", FRIEND)), dials(first, seen), "a forged record was dialled");
            assertEquals(1, victim.counters().getFirst().members());
        }
        victim.awaitGone(Duration.ofSeconds(15));
        friend.awaitGone(Duration.ofSeconds(15));
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
        long later = PeerTableLimits.DEFAULT.giveWayNanos(); // it may be the other one's turn to dial
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
                () -> {});
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

    /** Writes mDNS responses of its own making: PTR, SRV, TXT and A records of one service in one packet. */
    private static final class Attacker implements AutoCloseable {
        private static final int RESPONSE = 0x8400;
        private static final int TTL_SECONDS = 120;
        private static final int A = 1;
        private static final int PTR = 12;
        private static final int TXT = 16;
        private static final int SRV = 33;

        private final MulticastSocket socket = new MulticastSocket(0);
        private final InetSocketAddress group =
                new InetSocketAddress(InetAddress.ofLiteral("224.0.0.251"), Integer.getInteger("net.mdns.port", 5353));

        Attacker(NetworkInterface on) throws IOException {
            socket.setNetworkInterface(on);
        }

        void announce(String service, int port, Map<String, String> txt) throws IOException {
            var bytes = new ByteArrayOutputStream();
            var out = new DataOutputStream(bytes);
            for (int word : new int[] {0, RESPONSE, 0, 4, 0, 0}) {
                out.writeShort(word);
            }
            String instance = service + "." + TYPE;
            String host = service + "-host.local";
            record(out, TYPE, PTR, name(instance));
            var srv = new ByteArrayOutputStream();
            new DataOutputStream(srv).writeInt(0); // priority and weight
            new DataOutputStream(srv).writeShort(port);
            srv.writeBytes(name(host));
            record(out, instance, SRV, srv.toByteArray());
            var text = new ByteArrayOutputStream();
            txt.forEach((key, value) -> {
                text.write(key.length() + 1 + value.length());
                text.writeBytes((key + "=" + value).getBytes(StandardCharsets.US_ASCII));
            });
            record(out, instance, TXT, text.toByteArray());
            record(out, host, A, new byte[] {127, 0, 0, 1});
            socket.send(new DatagramPacket(bytes.toByteArray(), bytes.size(), group));
        }

        @Override
        public void close() {
            socket.close();
        }

        private static void record(DataOutputStream out, String owner, int type, byte[] data) throws IOException {
            out.write(name(owner));
            out.writeShort(type);
            out.writeShort(1); // class IN
            out.writeInt(TTL_SECONDS);
            out.writeShort(data.length);
            out.write(data);
        }

        private static byte[] name(String name) {
            var bytes = new ByteArrayOutputStream();
            for (String label : name.split("\\.", 16)) {
                bytes.write(label.length());
                bytes.writeBytes(label.getBytes(StandardCharsets.US_ASCII));
            }
            bytes.write(0);
            return bytes.toByteArray();
        }
    }
}
