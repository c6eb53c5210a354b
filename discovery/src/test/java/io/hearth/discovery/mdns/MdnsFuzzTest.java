package io.hearth.discovery.mdns;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.core.Bytes;
import io.hearth.core.MalformedMessageException;
import io.hearth.discovery.dns.DnsName;
import io.hearth.discovery.dns.DnsReader;
import io.hearth.discovery.dns.DnsWriter;
import io.hearth.discovery.dns.Packet;
import io.hearth.discovery.mdns.machine.MdnsIdentity;
import io.hearth.discovery.mdns.machine.MdnsJudge;
import io.hearth.discovery.mdns.machine.MdnsJudgeTest;
import io.hearth.discovery.mdns.machine.TagEncoding;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.InetAddress;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import javax.jmdns.impl.DNSIncoming;
import org.junit.jupiter.api.Test;

/**
 * Random messages of right and wrong types, lengths, counts, pointers and adverts. A run with {@code hearth.full} plays more of
 * them.
 */
final class MdnsFuzzTest {
    private static final int PACKETS = Boolean.getBoolean("hearth.full") ? 300_000 : 50_000;
    private static final long SEED = Long.getLong("hearth.seed", 18);
    private static final String TYPE = "_hearth._tcp.local";
    private static final int[] TYPES = {1, 12, 16, 28, 33, 255, 5, 13, 41, 47, 64, 0, 65_535};
    private static final List<String> NAMES = List.of(
            TYPE,
            "self." + TYPE,
            "a." + TYPE,
            "b." + TYPE,
            "hself.local",
            "h.local",
            "_services._dns-sd._udp.local",
            "x._ipp._tcp.local",
            "local");

    private final SplittableRandom random = new SplittableRandom(SEED);
    private final TagEncoding home = Keys.codec("home");
    private final List<Map<String, String>> texts = List.of(
            home.sign(MdnsJudgeTest.nonce(1), 52_416, Optional.empty()).txt(),
            home.sign(MdnsJudgeTest.nonce(2), 52_416, Optional.of("42")).txt(),
            home.sign(MdnsJudgeTest.nonce(999), 52_416, Optional.empty()).txt(),
            Keys.codec("office")
                    .sign(MdnsJudgeTest.nonce(3), 52_416, Optional.empty())
                    .txt(),
            Map.of("v", "1"),
            Map.of());

    /** The reader throws only rejections, the tables stay bounded, and JmDNS reads all messages that are written for it. */
    @Test
    void noMessageBreaksTheJudgeOrJmdns() throws IOException {
        var stay = new MdnsIdentity(home.sign(MdnsJudgeTest.nonce(999), 52_416, Optional.empty()), "self", "hself");
        var judge =
                new MdnsJudge(stay, home, nonce -> nonce.equals(stay.advert().nonce()), _ -> true, 0);
        int bound = MdnsJudge.MEMBERS_MAX + MdnsJudge.HALVES_MAX + MdnsJudge.STRANGERS_MAX;
        int read = 0;
        int passed = 0;
        int told = 0;
        for (int i = 0; i < PACKETS; i++) {
            byte[] packet = packet();
            long nowNanos = i * 10_000_000L;
            try {
                var message = DnsReader.read(packet, packet.length);
                read++;
                var verdict = judge.judge(message, Bytes.of((byte) 10, (byte) 0, (byte) 0, (byte) i), nowNanos);
                told += verdict.heard().size();
                if (!verdict.questions().isEmpty()) {
                    byte[] written = DnsWriter.query(verdict.questions());
                    var parsed = new DNSIncoming(
                            new DatagramPacket(written, written.length, InetAddress.getLoopbackAddress(), 5353));
                    assertEquals(
                            verdict.questions().size(), parsed.getQuestions().size(), where(i));
                    assertTrue(parsed.getAllAnswers().isEmpty(), where(i));
                    passed++;
                }
            } catch (MalformedMessageException rejected) {
                continue;
            }
            assertTrue(judge.size() <= bound, () -> judge.size() + " entries");
        }
        assertTrue(read > PACKETS / 10, read + " of " + PACKETS + " were read");
        assertTrue(passed > PACKETS / 500, passed + " questions passed");
        assertTrue(told > PACKETS / 500, told + " times a member was told");
    }

    private static String where(int packet) {
        return "packet " + packet + " of seed " + SEED;
    }

    private byte[] packet() {
        Packet packet = switch (random.nextInt(4)) {
            case 0, 1 -> Packet.response();
            case 2 -> Packet.probe();
            default -> Packet.query();
        };
        for (int questions = random.nextInt(4); questions > 0; questions--) {
            packet.ask(name(), TYPES[random.nextInt(TYPES.length)]);
        }
        int records = random.nextInt(random.nextInt(10) == 0 ? 80 : 6);
        for (int i = 0; i < records; i++) {
            record(packet);
        }
        byte[] bytes = packet.bytes();
        if (random.nextInt(4) == 0) {
            for (int changes = random.nextInt(1, 4); changes > 0; changes--) {
                bytes[random.nextInt(bytes.length)] = (byte) random.nextInt(256);
            }
        }
        return random.nextInt(8) == 0 ? java.util.Arrays.copyOf(bytes, random.nextInt(bytes.length + 1)) : bytes;
    }

    private void record(Packet packet) {
        String owner = NAMES.get(random.nextInt(NAMES.size()));
        long ttlSeconds = random.nextInt(4) == 0 ? 0 : random.nextLong(1L << 32);
        switch (random.nextInt(6)) {
            case 0 -> packet.srv(owner, ttlSeconds, random.nextBoolean() ? 52_416 : random.nextInt(65_536), "h.local");
            case 1 -> packet.txt(owner, ttlSeconds, texts.get(random.nextInt(texts.size())));
            case 2 -> packet.address(owner, ttlSeconds, bytes(random.nextBoolean() ? 4 : 16));
            case 3 -> packet.ptr(owner, ttlSeconds, NAMES.get(random.nextInt(NAMES.size())));
            case 4 -> {
                byte[] data = bytes(random.nextInt(30));
                int length = random.nextInt(6) == 0 ? random.nextInt(65_536) : data.length;
                packet.record(
                        random.nextInt(1, 4), name(), TYPES[random.nextInt(TYPES.length)], ttlSeconds, length, data);
            }
            default -> {
                packet.srv("a." + TYPE, 120, 52_416, "h.local");
                packet.txt("a." + TYPE, 120, texts.get(random.nextInt(2)));
                packet.address("h.local", 120, bytes(4));
            }
        }
    }

    private byte[] name() {
        return switch (random.nextInt(8)) {
            case 0 -> new byte[] {(byte) 0xC0, (byte) random.nextInt(12, 60)};
            case 1 -> new byte[] {1, (byte) random.nextInt(256), (byte) 0xC0, (byte) random.nextInt(12, 60)};
            case 2 -> bytes(random.nextInt(1, 12));
            case 3 ->
                DnsName.of("x".repeat(random.nextInt(1, 64)), "local")
                        .wire()
                        .getBytes(java.nio.charset.StandardCharsets.ISO_8859_1);
            default -> Packet.dotted(NAMES.get(random.nextInt(NAMES.size())));
        };
    }

    private byte[] bytes(int count) {
        var bytes = new byte[count];
        random.nextBytes(bytes);
        return bytes;
    }
}
