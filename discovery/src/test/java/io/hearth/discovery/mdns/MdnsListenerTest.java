package io.hearth.discovery.mdns;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hearth.core.Clock;
import io.hearth.discovery.Candidate;
import io.hearth.discovery.Medium;
import io.hearth.discovery.PeerAddress;
import io.hearth.discovery.Sighting;
import io.hearth.discovery.dns.DnsName;
import io.hearth.discovery.dns.DnsQuestion;
import io.hearth.discovery.dns.DnsType;
import io.hearth.discovery.dns.DnsWriter;
import io.hearth.discovery.dns.Packet;
import io.hearth.discovery.mdns.machine.MdnsJudgeTest;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class MdnsListenerTest {
    private static final String TYPE = "_hearth._tcp.local";

    private final MdnsTraffic traffic = new MdnsTraffic();
    private final List<Sighting> seen = new ArrayList<>();
    private final MdnsListener hearing = Hearings.onLoopback(traffic, seen::add, Clock.system());

    @Test
    void aMemberIsToldWithTheAddressThatItSpokeFrom() {
        assertEquals(Optional.empty(), hear("127.0.0.7", announcement()));
        assertEquals("mdns:" + MdnsJudgeTest.nonce(1).hex(), seen.getFirst().name());
        assertEquals(
                List.of(new Candidate(new PeerAddress("127.0.0.7", 52_416), Medium.WIRED)),
                seen.getFirst().candidates());
        assertEquals(1, traffic.members.get());
        assertEquals(2, traffic.recordsHeard.get());
        hearing.reportAll();
        assertEquals(2, seen.size());
    }

    @Test
    void whatDoesNotComeFromThisLinkIsDropped() {
        hear("192.0.2.1", announcement());
        hear("::1", announcement());
        assertEquals(List.of(), seen);
        assertEquals(2, traffic.dropped.get());
    }

    @Test
    void whatIsMalformedIsDroppedAndCounted() {
        hear("127.0.0.1", Packet.response().raw((byte) 1));
        assertEquals(1, traffic.dropped.get());
        assertEquals(0, traffic.recordsHeard.get());
    }

    /** JmDNS gets the question as this node writes it: without known answers, the unicast-response bit or other questions. */
    @Test
    void aQuestionIsHandedOnInOtherBytes() {
        var asked = Packet.query()
                .ask("_HEARTH._tcp.local", DnsType.PTR)
                .ask("_ipp._tcp.local", DnsType.PTR)
                .ptr(TYPE, 3_600, "self." + TYPE);
        var question = new DnsQuestion(DnsName.of("_hearth", "_tcp", "local"), DnsType.PTR);
        assertArrayEquals(
                DnsWriter.query(List.of(question)), hear("127.0.0.1", asked).orElseThrow());
    }

    private static Packet announcement() {
        return Packet.response()
                .srv("a." + TYPE, 120, 52_416, "h.local")
                .txt(
                        "a." + TYPE,
                        120,
                        Keys.codec("home")
                                .sign(MdnsJudgeTest.nonce(1), 52_416, Optional.empty())
                                .txt());
    }

    private Optional<byte[]> hear(String source, Packet packet) {
        byte[] bytes = packet.bytes();
        return hearing.hear(bytes, bytes.length, InetAddress.ofLiteral(source));
    }
}
