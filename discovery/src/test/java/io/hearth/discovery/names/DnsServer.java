package io.hearth.discovery.names;

import io.hearth.core.Bytes;
import io.hearth.discovery.dns.DnsType;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** A DNS server on loopback that says whatever a test wants, by UDP and TCP on one free port. */
final class DnsServer implements AutoCloseable {
    /** Which messages answer a query, in order; none for silence. */
    @FunctionalInterface
    interface Script {
        List<byte[]> answer(Asked asked);
    }

    /** A query. */
    record Asked(int id, String name, int type, boolean isTcp, Bytes question) {
        /** An answer with that id and question. */
        Reply reply() {
            return new Reply(id, question.toArray());
        }
    }

    /** A message that grows, right or wrong. */
    static final class Reply {
        private int id;
        private byte[] question;
        private int flags = 0x8180;
        private final int[] counts = {1, 0, 0, 0};
        private final ByteArrayOutputStream records = new ByteArrayOutputStream();

        private Reply(int id, byte[] question) {
            this.id = id;
            this.question = question;
        }

        Reply code(int code) {
            flags |= code;
            return this;
        }

        Reply truncated() {
            flags |= 0x0200;
            return this;
        }

        Reply otherId() {
            id ^= 1;
            return this;
        }

        Reply otherQuestion(String name, int type) {
            question = question(name, type);
            return this;
        }

        Reply lie(int section, int count) {
            counts[section] = count;
            return this;
        }

        Reply address(String name, long ttl, String literal) {
            return address(1, name, ttl, literal);
        }

        Reply address(int section, String name, long ttl, String literal) {
            byte[] address = InetAddress.ofLiteral(literal).getAddress();
            return record(section, name, address.length == 4 ? DnsType.A : DnsType.AAAA, ttl, address);
        }

        Reply alias(String name, long ttl, String target) {
            return record(1, name, DnsType.CNAME, ttl, dotted(target));
        }

        Reply service(String name, long ttl, int priority, int weight, int port, String host) {
            var data = new ByteArrayOutputStream();
            word(data, priority);
            word(data, weight);
            word(data, port);
            data.writeBytes(dotted(host));
            return record(1, name, DnsType.SRV, ttl, data.toByteArray());
        }

        Reply record(int section, String name, int type, long ttl, byte[] data) {
            counts[section]++;
            records.writeBytes(dotted(name));
            word(records, type);
            word(records, 1);
            word(records, (int) (ttl >>> 16));
            word(records, (int) ttl);
            word(records, data.length);
            records.writeBytes(data);
            return this;
        }

        byte[] bytes() {
            var bytes = new ByteArrayOutputStream();
            word(bytes, id);
            word(bytes, flags);
            Arrays.stream(counts).forEach(count -> word(bytes, count));
            bytes.writeBytes(question);
            bytes.writeBytes(records.toByteArray());
            return bytes.toByteArray();
        }

        List<byte[]> only() {
            return List.of(bytes());
        }
    }

    private final DatagramSocket udp;
    private final ServerSocket tcp;
    private final Script script;
    private final Thread datagrams;
    private final Thread connections;
    final AtomicInteger asked = new AtomicInteger(); // counted by both threads, read by the test

    DnsServer(Script script) throws IOException {
        this.script = script;
        InetAddress loopback = InetAddress.ofLiteral("127.0.0.1");
        DatagramSocket datagramSocket = new DatagramSocket(0, loopback);
        ServerSocket serverSocket = null;
        while (serverSocket == null) {
            try {
                serverSocket = new ServerSocket(datagramSocket.getLocalPort(), 8, loopback);
            } catch (IOException taken) {
                datagramSocket.close();
                datagramSocket = new DatagramSocket(0, loopback);
            }
        }
        udp = datagramSocket;
        tcp = serverSocket;
        datagrams = Thread.ofPlatform().daemon().name("test-dns-udp").start(this::answerDatagrams);
        connections = Thread.ofPlatform().daemon().name("test-dns-tcp").start(this::answerConnections);
    }

    int port() {
        return tcp.getLocalPort(); // known also after the end
    }

    /** Closes TCP alone, as a firewall would. */
    void closeTcp() throws IOException {
        tcp.close();
    }

    @Override
    public void close() throws IOException {
        udp.close();
        tcp.close();
        try {
            datagrams.join();
            connections.join();
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
        }
    }

    private void answerDatagrams() {
        var packet = new DatagramPacket(new byte[2_048], 2_048);
        try {
            while (true) {
                udp.receive(packet);
                for (byte[] answer : answers(Arrays.copyOf(packet.getData(), packet.getLength()), false)) {
                    udp.send(new DatagramPacket(answer, answer.length, packet.getSocketAddress()));
                }
                packet.setLength(2_048);
            }
        } catch (IOException closed) {
            return;
        }
    }

    private void answerConnections() {
        try {
            while (true) {
                try (Socket socket = tcp.accept()) {
                    var in = new DataInputStream(socket.getInputStream());
                    for (byte[] answer : answers(in.readNBytes(in.readUnsignedShort()), true)) {
                        var framed = new ByteArrayOutputStream();
                        word(framed, answer.length);
                        framed.writeBytes(answer);
                        socket.getOutputStream().write(framed.toByteArray());
                    }
                }
            }
        } catch (IOException closed) {
            return;
        }
    }

    private List<byte[]> answers(byte[] query, boolean isTcp) {
        asked.incrementAndGet();
        var name = new StringBuilder();
        int at = 12;
        for (; query[at] != 0; at += 1 + query[at]) {
            name.append(at == 12 ? "" : ".").append(new String(query, at + 1, query[at], StandardCharsets.ISO_8859_1));
        }
        byte[] question = Arrays.copyOfRange(query, 12, at + 5);
        int id = ((query[0] & 0xFF) << 8) | (query[1] & 0xFF);
        int type = ((query[at + 1] & 0xFF) << 8) | (query[at + 2] & 0xFF);
        return script.answer(new Asked(id, name.toString(), type, isTcp, Bytes.of(question)));
    }

    private static byte[] question(String name, int type) {
        var bytes = new ByteArrayOutputStream();
        bytes.writeBytes(dotted(name));
        word(bytes, type);
        word(bytes, 1);
        return bytes.toByteArray();
    }

    private static byte[] dotted(String name) {
        var bytes = new ByteArrayOutputStream();
        if (!name.isEmpty()) {
            for (String label : name.split("\\.", -1)) {
                bytes.write(label.length());
                bytes.writeBytes(label.getBytes(StandardCharsets.ISO_8859_1));
            }
        }
        bytes.write(0);
        return bytes.toByteArray();
    }

    private static void word(ByteArrayOutputStream bytes, int value) {
        bytes.write(value >>> 8);
        bytes.write(value);
    }
}
