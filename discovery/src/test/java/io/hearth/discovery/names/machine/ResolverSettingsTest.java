package io.hearth.discovery.names.machine;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hearth.discovery.PeerAddress;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

final class ResolverSettingsTest {
    @Test
    void theFileOfAPodIsRead() {
        String text = """
                search ml.svc.cluster.local svc.cluster.local cluster.local Example.ORG.
                nameserver 10.96.0.10
                options ndots:5 timeout:1
                """;
        assertEquals(
                new ResolverSettings(
                        List.of(new PeerAddress("10.96.0.10", 53)),
                        List.of("ml.svc.cluster.local", "svc.cluster.local", "cluster.local", "example.org"),
                        5,
                        Optional.of("ml")),
                ResolverSettings.parse(text, "ml\n"));
    }

    @Test
    void aMachineWithoutFilesHasTheDefaults() {
        assertEquals(
                new ResolverSettings(List.of(new PeerAddress("127.0.0.1", 53)), List.of(), 1, Optional.empty()),
                ResolverSettings.parse("", ""));
    }

    @Test
    void theLaterOfSearchAndDomainApplies() {
        assertEquals(
                List.of("b.org"),
                ResolverSettings.parse("search a.org\ndomain b.org", "").search());
    }

    @Test
    void whatCannotBeReadIsLeftOutAndListsAreBounded() {
        String servers = IntStream.range(0, 9)
                .mapToObj(i -> "nameserver 10.0.0." + i + "\n")
                .collect(Collectors.joining());
        String text =
                "; a comment\n# another\nnameserver\nnameserver not/an/address\nnameserver 10.0.0.9:53\nnameserver fe80::1%eth0 extra\nnameserver [127.0.0.1]:5353\n"
                        + servers + "search " + "x".repeat(64) + " a..b / " + "a b c d e f g h i j k\n"
                        + "options ndots:99999 ndots:9999 ndots:x\nnonsense\n\u0000\n";
        ResolverSettings read = ResolverSettings.parse(text, "../../etc");
        assertEquals(
                List.of(
                        new PeerAddress("fe80::1%eth0", 53),
                        new PeerAddress("127.0.0.1", 5_353),
                        new PeerAddress("10.0.0.0", 53)),
                read.servers());
        assertEquals(List.of("a", "b", "c", "d", "e", "f", "g", "h"), read.search());
        assertEquals(15, read.dotsMin());
        assertEquals(Optional.empty(), read.podNamespace());
    }
}
