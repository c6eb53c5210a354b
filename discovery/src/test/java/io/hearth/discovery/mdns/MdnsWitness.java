package io.hearth.discovery.mdns;

import io.hearth.core.MalformedMessageException;
import io.hearth.discovery.dns.DnsMessage;
import io.hearth.discovery.dns.DnsReader;
import io.hearth.discovery.dns.DnsRecord;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.MulticastSocket;
import java.net.NetworkInterface;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** An observer on the LAN without the secret, which keeps every mDNS packet. */
final class MdnsWitness implements AutoCloseable {
    /** Length of the byte runs that are common to two nodes. */
    static final int COMMON = 3;

    private static final int PACKET_BYTES_MAX = 9_000;

    private final ConcurrentLinkedQueue<byte[]> packets = new ConcurrentLinkedQueue<>();
    private final MulticastSocket socket;
    private final Thread thread;

    MdnsWitness(String interfaceName) throws IOException {
        int port = Integer.getInteger("net.mdns.port", 5353);
        var on = NetworkInterface.getByName(interfaceName);
        socket = new MulticastSocket(port);
        socket.setNetworkInterface(on);
        socket.joinGroup(new InetSocketAddress(InetAddress.ofLiteral("224.0.0.251"), port), on);
        thread = Thread.ofPlatform().daemon().name("mdns-listener").start(this::listen);
    }

    private void listen() {
        try {
            while (true) {
                var packet = new DatagramPacket(new byte[PACKET_BYTES_MAX], PACKET_BYTES_MAX);
                socket.receive(packet);
                packets.add(Arrays.copyOf(packet.getData(), packet.getLength()));
            }
        } catch (IOException closed) {
            if (!socket.isClosed()) {
                throw new AssertionError("deaf", closed);
            }
        }
    }

    /** The first message with a service on that port; waits for it. */
    DnsMessage first(int port) {
        long deadlineNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        while (true) {
            for (byte[] packet : packets) {
                DnsMessage message = read(packet);
                if (message.records().stream()
                        .anyMatch(record -> record instanceof DnsRecord.Service service && service.port() == port)) {
                    return message;
                }
            }
            if (System.nanoTime() - deadlineNanos >= 0) {
                throw new AssertionError("no service on port " + port + " within 30 s");
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
        }
    }

    /** All bytes that were heard, one character for each byte, in lower case. */
    String heard() {
        var all = new StringBuilder();
        for (byte[] packet : packets) {
            all.append(text(packet)).append('\n');
        }
        return all.toString();
    }

    /**
     * The names under which services on that port were probed for or announced, in order: of the instance, and of its host. One line of two
     * labels for each guise.
     */
    List<List<String>> guises(int port) {
        var guises = new LinkedHashMap<String, List<String>>();
        for (byte[] packet : packets) {
            for (DnsRecord record : read(packet).records()) {
                if (record instanceof DnsRecord.Service service && service.port() == port) {
                    String instance = firstLabel(service.name().wire());
                    guises.putIfAbsent(
                            instance,
                            List.of(instance, firstLabel(service.host().wire())));
                }
            }
        }
        return new ArrayList<>(guises.values());
    }

    private static String firstLabel(String wire) {
        return wire.substring(1, 1 + wire.charAt(0));
    }

    private static DnsMessage read(byte[] packet) {
        try {
            return DnsReader.read(packet, packet.length);
        } catch (MalformedMessageException foreign) {
            return new DnsMessage(false, List.of(), List.of(), 0);
        }
    }

    /** Each run of {@code length} bytes in the packets that hold any of these labels, with zeros in place of the port. */
    Set<String> runs(List<String> labels, int port, int length) {
        return runs(labels, port, length, Set.of());
    }

    /**
     * The same of the bytes that belong to none of {@code common}.
     *
     * @param common of {@value #COMMON} bytes each
     */
    Set<String> runs(List<String> labels, int port, int length, Set<String> common) {
        String asSent = "" + (char) (port >> 8) + (char) (port & 0xFF);
        var runs = new TreeSet<String>();
        for (byte[] packet : packets) {
            String text = text(packet).replace(asSent.toLowerCase(Locale.ROOT), "\0\0");
            if (labels.stream().anyMatch(text::contains)) {
                BitSet isCommon = places(text, common);
                for (int from = 0; from + length <= text.length(); from++) {
                    if (isCommon.get(from, from + length).isEmpty()) {
                        runs.add(text.substring(from, from + length));
                    }
                }
            }
        }
        return runs;
    }

    private static BitSet places(String text, Set<String> common) {
        var places = new BitSet();
        for (int from = 0; from + COMMON <= text.length(); from++) {
            if (common.contains(text.substring(from, from + COMMON))) {
                places.set(from, from + COMMON);
            }
        }
        return places;
    }

    private static String text(byte[] packet) {
        return new String(packet, StandardCharsets.ISO_8859_1).toLowerCase(Locale.ROOT);
    }

    @Override
    public void close() {
        socket.close();
        try {
            thread.join();
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
        }
    }
}
