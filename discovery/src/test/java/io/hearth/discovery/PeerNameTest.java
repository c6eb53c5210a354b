package io.hearth.discovery;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class PeerNameTest {
    @Test
    void eachFormIsRead() {
        assertEquals(new PeerName.Host(new HostPort("nas", 7)), PeerName.parse("nas:7"));
        assertEquals(new PeerName.Host(new HostPort("fe80::1%eth0", 7)), PeerName.parse("[fe80::1%eth0]:7"));
        assertEquals(new PeerName.Dns("all.example.org", 52_416), PeerName.parse("dns:All.Example.org"));
        assertEquals(new PeerName.Dns("all.example.org.", 7), PeerName.parse("dns:all.example.org.:7"));
        assertEquals(new PeerName.Service("_hearth._tcp.example.org"), PeerName.parse("srv:_hearth._tcp.example.org"));
        assertEquals(new PeerName.Kubernetes("trainers", 52_416), PeerName.parse("k8s:trainers"));
        assertEquals(new PeerName.Kubernetes("trainers.ml", 7), PeerName.parse("k8s:trainers.ml:7"));
        assertEquals(
                new PeerName.Kubernetes("trainers.ml.svc.cluster.local", 52_416),
                PeerName.parse("k8s:trainers.ml.svc.cluster.local"));
    }

    @ParameterizedTest
    @CsvSource({"dns:80", "srv:80", "k8s:80"})
    void aHostMayHaveTheNameOfAPrefix(String text) {
        assertEquals(new PeerName.Host(new HostPort(text.substring(0, 3), 80)), PeerName.parse(text));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"nas:7", "dns:a.b:7", "dns:a.b", "srv:_hearth._tcp.b", "k8s:trainers", "k8s:a.b:7", "[::1]:7"})
    void theTextFormIsReadAsTheSame(String text) {
        assertEquals(PeerName.parse(text), PeerName.parse(PeerName.parse(text).toString()));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                ":",
                "dns:",
                "srv:",
                "k8s:",
                "dns:10.0.0.1",
                "dns:[::1]:7",
                "dns:a..b",
                "dns:.",
                "dns:a b",
                "dns:bücher.example",
                "dns:a:0",
                "dns:a:65536",
                "dns:a:7:8",
                "srv:_hearth._tcp.b:7",
                "k8s:a.b.service.c",
                "k8s:a/b",
                "consul:hearth",
                "nas:port"
            })
    void anotherFormIsRejectedWithAllFormsAndTheValue(String text) {
        String said = String.valueOf(assertThrows(IllegalArgumentException.class, () -> PeerName.parse(text))
                .getMessage());
        assertTrue(said.startsWith("peer must be " + PeerName.FORMS), said);
        assertTrue(said.contains("got '" + text + "'"), said);
    }

    @Test
    void namesHaveTheLengthThatDnsAllows() {
        String longest = "a.".repeat(126) + "a";
        assertEquals(253, longest.length());
        assertEquals(new PeerName.Dns(longest, 52_416), PeerName.parse("dns:" + longest));
        assertThrows(IllegalArgumentException.class, () -> PeerName.parse("dns:" + longest + "b"));
        assertThrows(IllegalArgumentException.class, () -> PeerName.parse("dns:" + "a".repeat(64) + ".b"));
        String said = String.valueOf(assertThrows(
                        IllegalArgumentException.class, () -> PeerName.parse("dns:\u001b[2J" + "x".repeat(9_999)))
                .getMessage());
        assertFalse(said.contains("\u001b"));
        assertTrue(said.length() < 400, said);
    }
}
