package io.hearth.discovery.dns;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.core.Bytes;
import io.hearth.core.MalformedMessageException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Messages of strangers are read exactly or rejected as a whole. */
final class DnsReaderTest {
    private static final byte[] HOST = Packet.dotted("h1.local");
    private static final byte[] INSTANCE = Packet.dotted("a._hearth._tcp.local");
    private static final byte[] FOUR = {10, 0, 0, 1};

    @Test
    void anAnnouncementIsReadWhole() throws MalformedMessageException {
        byte[] packet = Packet.response()
                .ptr("_hearth._tcp.local", 3_600, "a._hearth._tcp.local")
                .srv("a._hearth._tcp.local", 120, 52_416, "h1.local")
                .txt("a._hearth._tcp.local", 0xFFFF_FFFFL, Map.of("v", "1"))
                .address("H1.Local", 120, FOUR)
                .address("h1.local", 0, new byte[16])
                .bytes();
        DnsMessage message = DnsReader.read(packet, packet.length);
        DnsName instance = DnsName.of("a", "_hearth", "_tcp", "local");
        DnsName host = DnsName.of("h1", "local");
        assertTrue(message.isResponse());
        assertEquals(5, message.recordsSeen());
        assertEquals(
                List.of(
                        new DnsRecord.Service(instance, 120, 0, 0, 52_416, host),
                        new DnsRecord.Text(instance, 0xFFFF_FFFFL, Bytes.of(Packet.text(Map.of("v", "1")))),
                        new DnsRecord.Address(host, 120, Bytes.of(FOUR)),
                        new DnsRecord.Address(host, 0, Bytes.of(new byte[16]))),
                message.records());
    }

    /** The form that JmDNS and all other writers use: names end with pointers to earlier names. */
    @Test
    void pointersThatLeadBackAreFollowed() throws MalformedMessageException {
        byte[] packet = Packet.response()
                .record(INSTANCE, DnsType.TXT, 1, (byte) 0) // at 12: label 1, then _hearth at 14
                .record(new byte[] {1, 'B', (byte) 0xC0, 14}, DnsType.SRV, 1, Packet.service(7, new byte[] {
                    (byte) 0xC0, 12
                }))
                .bytes();
        DnsMessage message = DnsReader.read(packet, packet.length);
        assertEquals(
                new DnsRecord.Service(
                        DnsName.of("b", "_hearth", "_tcp", "local"),
                        1,
                        0,
                        0,
                        7,
                        DnsName.of("a", "_hearth", "_tcp", "local")),
                message.records().getLast());
        assertTrue(message.records().getLast().name().isChildOf(DnsName.of("_hearth", "_tcp", "local")));
    }

    /** A host that probes for a name says what it will announce; the answers that it knows already are others' records. */
    @Test
    void recordsOfAQueryAreThoseThatItsAskerWantsToOwn() throws MalformedMessageException {
        byte[] packet = Packet.query()
                .ask("_hearth._tcp.local", DnsType.PTR)
                .address("h1.local", 120, FOUR)
                .record(2, HOST, DnsType.A, 120, 4, FOUR)
                .bytes();
        DnsMessage message = DnsReader.read(packet, packet.length);
        assertFalse(message.isResponse());
        assertEquals(List.of(new DnsRecord.Address(DnsName.of("h1", "local"), 120, Bytes.of(FOUR))), message.records());
        assertEquals(2, message.recordsSeen());
        assertEquals(
                List.of(new DnsQuestion(DnsName.of("_hearth", "_tcp", "local"), DnsType.PTR)), message.questions());
    }

    @Test
    void authoritiesOfAResponseAreNoAnswers() throws MalformedMessageException {
        byte[] packet =
                Packet.response().record(2, HOST, DnsType.A, 120, 4, FOUR).bytes();
        assertEquals(List.of(), DnsReader.read(packet, packet.length).records());
    }

    @Test
    void whatIsWrittenCanBeRead() throws MalformedMessageException {
        var questions = List.of(
                new DnsQuestion(DnsName.of("_hearth", "_tcp", "local"), DnsType.PTR),
                new DnsQuestion(DnsName.of("h1", "local"), DnsType.AAAA));
        byte[] packet = DnsWriter.query(questions);
        assertEquals(new DnsMessage(false, questions, List.of(), 0), DnsReader.read(packet, packet.length));
        assertArrayEquals(
                HexFormat.of().parseHex("000000000001000000000000" + "026831056c6f63616c00" + "00010001"),
                DnsWriter.query(List.of(new DnsQuestion(DnsName.of("h1", "local"), DnsType.A))));
    }

    @Test
    void namesOfTheSameTextAreNotTheSameName() {
        assertFalse(DnsName.of("a.b").equals(DnsName.of("a", "b")));
        assertFalse(DnsName.of("x._hearth", "_tcp", "local").isChildOf(DnsName.of("_hearth", "_tcp", "local")));
        assertFalse(DnsName.of("y", "x", "_hearth", "_tcp", "local").isChildOf(DnsName.of("_hearth", "_tcp", "local")));
    }

    static Stream<Arguments> malformed() {
        byte[] loop = {(byte) 0xC0, 12};
        var full = Packet.response();
        for (int i = 0; i < DnsReader.RECORDS_MAX; i++) {
            full.record(new byte[1], 99, 1);
        }
        return Stream.of(
                Arguments.of("empty", new byte[0]),
                Arguments.of("half a header", new byte[11]),
                Arguments.of("another operation", Packet.flagged(0x2800).bytes()),
                Arguments.of("an error", Packet.flagged(0x8403).bytes()),
                Arguments.of("too large", Packet.response().raw(new byte[1_500]).bytes()),
                Arguments.of("bytes behind", Packet.response().raw(new byte[1]).bytes()),
                Arguments.of(
                        "a question that is missing", Packet.query().lie(0, 1).bytes()),
                Arguments.of(
                        "a record that is missing", Packet.response().lie(1, 1).bytes()),
                Arguments.of("65535 questions", Packet.query().lie(0, 65_535).bytes()),
                Arguments.of("65535 records", Packet.response().lie(3, 65_535).bytes()),
                Arguments.of("65 records", full.record(new byte[1], 99, 1).bytes()),
                Arguments.of(
                        "A of 3",
                        Packet.response()
                                .record(HOST, DnsType.A, 1, new byte[3])
                                .bytes()),
                Arguments.of(
                        "A of 16",
                        Packet.response()
                                .record(HOST, DnsType.A, 1, new byte[16])
                                .bytes()),
                Arguments.of(
                        "AAAA of 4",
                        Packet.response().record(HOST, DnsType.AAAA, 1, FOUR).bytes()),
                Arguments.of(
                        "AAAA of 17",
                        Packet.response()
                                .record(HOST, DnsType.AAAA, 1, new byte[17])
                                .bytes()),
                Arguments.of(
                        "TXT of 65535 that is not there",
                        Packet.response()
                                .record(1, new byte[1], DnsType.TXT, 1, 65_535)
                                .bytes()),
                Arguments.of(
                        "TXT of 513",
                        Packet.response()
                                .record(INSTANCE, DnsType.TXT, 1, new byte[513])
                                .bytes()),
                Arguments.of(
                        "data longer than the message",
                        Packet.response().record(1, HOST, 99, 1, 5, FOUR).bytes()),
                Arguments.of(
                        "a string longer than its TXT",
                        Packet.response()
                                .record(INSTANCE, DnsType.TXT, 1, (byte) 2, (byte) 'a')
                                .bytes()),
                Arguments.of(
                        "SRV without a host",
                        Packet.response()
                                .record(INSTANCE, DnsType.SRV, 1, new byte[6])
                                .bytes()),
                Arguments.of(
                        "SRV with bytes behind its host",
                        Packet.response()
                                .record(INSTANCE, DnsType.SRV, 1, new byte[8])
                                .bytes()),
                Arguments.of(
                        "SRV whose host leaves the data",
                        Packet.response()
                                .record(1, INSTANCE, DnsType.SRV, 1, 9, Packet.service(1, HOST))
                                .bytes()),
                Arguments.of("a pointer to itself", Packet.query().ask(loop, 1).bytes()),
                Arguments.of(
                        "a pointer ahead",
                        Packet.query().ask(new byte[] {(byte) 0xC0, 40}, 1).bytes()),
                Arguments.of(
                        "a pointer ahead to a name",
                        Packet.query()
                                .ask(new byte[] {(byte) 0xC0, 18}, 1)
                                .ask(HOST, 1)
                                .bytes()),
                Arguments.of(
                        "a pointer into the header",
                        Packet.query().ask(new byte[] {(byte) 0xC0, 0}, 1).bytes()),
                Arguments.of(
                        "a label, then a pointer to it",
                        Packet.query()
                                .ask(new byte[] {1, 'a', (byte) 0xC0, 12}, 1)
                                .bytes()),
                Arguments.of(
                        "half a pointer",
                        Packet.query().lie(0, 1).raw((byte) 0xC0).bytes()),
                Arguments.of(
                        "a label longer than the message",
                        Packet.query().lie(0, 1).raw((byte) 63, (byte) 'a').bytes()),
                Arguments.of(
                        "a label of 64",
                        Packet.query().ask(new byte[] {64, 'a', 0}, 1).bytes()),
                Arguments.of(
                        "an extended label",
                        Packet.query().ask(new byte[] {(byte) 0x80, 'a', 0}, 1).bytes()),
                Arguments.of(
                        "a name without end",
                        Packet.query().lie(0, 1).raw((byte) 1, (byte) 'a').bytes()),
                Arguments.of(
                        "a name of 256", Packet.query().ask(longName(62), 1).bytes()),
                Arguments.of("17 pointers", pointers(17)));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("malformed")
    void whatBreaksARuleIsRejected(String what, byte[] packet) {
        assertThrows(MalformedMessageException.class, () -> DnsReader.read(packet, packet.length), what);
    }

    @Test
    void whatJustKeepsTheRulesIsRead() throws MalformedMessageException {
        byte[] longest = Packet.query().ask(longName(61), 1).bytes();
        assertEquals(
                255,
                DnsReader.read(longest, longest.length)
                        .questions()
                        .getFirst()
                        .name()
                        .wire()
                        .length());
        byte[] chain = pointers(16);
        assertEquals(17, DnsReader.read(chain, chain.length).questions().size());
        var full = Packet.response();
        for (int i = 0; i < DnsReader.RECORDS_MAX; i++) {
            full.record(new byte[1], 99, 1);
        }
        assertEquals(
                DnsReader.RECORDS_MAX,
                DnsReader.read(full.bytes(), full.bytes().length).recordsSeen());
        byte[] text = Packet.response()
                .record(INSTANCE, DnsType.TXT, 1, new byte[512])
                .bytes();
        assertEquals(1, DnsReader.read(text, text.length).records().size());
    }

    /** Every prefix and a hundred thousand mutations of valid messages are read or rejected, without any other exception. */
    @Test
    void noBytesBreakTheReader() {
        byte[] good = Packet.response()
                .srv("a._hearth._tcp.local", 120, 52_416, "h1.local")
                .record(new byte[] {(byte) 0xC0, 12}, DnsType.TXT, 1, Packet.text(Map.of("v", "1", "n", "xyz")))
                .record(new byte[] {1, 'b', (byte) 0xC0, 14}, DnsType.AAAA, 1, new byte[16])
                .bytes();
        for (int length = 0; length < good.length; length++) {
            int cut = length;
            assertThrows(MalformedMessageException.class, () -> DnsReader.read(good, cut), "cut to " + cut);
        }
        var random = new SplittableRandom(5);
        int read = 0;
        int rejected = 0;
        for (int i = 0; i < 100_000; i++) {
            byte[] bytes = Arrays.copyOf(good, random.nextInt(good.length / 2, good.length + 20));
            for (int changes = random.nextInt(4); changes >= 0; changes--) {
                bytes[random.nextInt(bytes.length)] = (byte) random.nextInt(256);
            }
            try {
                DnsReader.read(bytes, random.nextInt(8) == 0 ? bytes.length : Math.min(good.length, bytes.length));
                read++;
            } catch (MalformedMessageException expected) {
                rejected++;
            }
        }
        assertTrue(read > 5_000 && rejected > 5_000, read + " were read, " + rejected + " rejected, seed 5");
    }

    /** Three labels of 63 and one more: 3 * 64 + 1 + last + 1 bytes. */
    private static byte[] longName(int last) {
        String label = "x".repeat(63);
        return Packet.name(label, label, label, "y".repeat(last));
    }

    /** Questions that each point to the previous one. */
    private static byte[] pointers(int count) {
        var packet = Packet.query().ask(new byte[] {1, 'a', 0}, 1);
        int before = 12;
        int next = 12 + 7;
        for (int i = 0; i < count; i++) {
            packet.ask(new byte[] {(byte) 0xC0, (byte) before}, 1);
            before = next;
            next += 6;
        }
        return packet.bytes();
    }
}
