package io.hearth.parameterserver.etcd;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class EtcdPlaceTest {
    @ParameterizedTest
    @CsvSource({
        "127.0.0.1:2379, http://127.0.0.1:2379",
        "etcd, http://etcd:2379",
        "http://etcd.home:1, http://etcd.home:1",
        "HTTP://[::1]:4001/, http://[::1]:4001",
    })
    void endPointsAreRead(String text, String endpoint) {
        assertEquals(endpoint, EtcdPlace.parse(List.of(text), "").text());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                ":2379",
                "http://",
                "http://host:0",
                "http://host:70000",
                "http://host:port",
                "ftp://host:21",
                "http://me:secret@host:1",
                "http://host/path",
                "http://host?a=b",
                "two words",
                "unix:///etcd.sock"
            })
    void whatIsNoEndPointIsRefusedWithAnExample(String text) {
        IllegalArgumentException refused =
                assertThrows(IllegalArgumentException.class, () -> EtcdPlace.parse(List.of(text), ""));
        assertTrue(String.valueOf(refused.getMessage()).contains("http://127.0.0.1:2379"), refused.getMessage());
    }

    @Test
    void tlsIsRefusedWithAWayOut() {
        IllegalArgumentException refused =
                assertThrows(IllegalArgumentException.class, () -> EtcdPlace.parse(List.of("https://etcd:2379"), ""));
        assertTrue(String.valueOf(refused.getMessage()).contains("tunnel"), refused.getMessage());
    }

    @Test
    void thereAreOneToSixteenEndPoints() {
        assertThrows(IllegalArgumentException.class, () -> EtcdPlace.parse(List.of(), ""));
        assertThrows(IllegalArgumentException.class, () -> EtcdPlace.parse(Collections.nCopies(17, "a"), ""));
        assertEquals(
                "http://a:2379,http://b:2379",
                EtcdPlace.parse(List.of("a", " b "), "").text());
    }

    @Test
    void keysHaveThePrefix() {
        assertEquals("/ps_desired", EtcdPlace.parse(List.of("a"), "").desiredKey());
        EtcdPlace place = EtcdPlace.parse(List.of("a"), "/jobs/mnist");
        assertEquals("/jobs/mnist/ps/3", place.serverKey(3));
        assertEquals("/jobs/mnist/checkpoints/3", place.checkpointKey(3));
        for (String wrong : List.of("/", "jobs", "/jobs/", "//jobs", "/a b", "/" + "a".repeat(256))) {
            assertThrows(IllegalArgumentException.class, () -> EtcdPlace.parse(List.of("a"), wrong), wrong);
        }
    }

    @Test
    void addressesAreReadAndWritten() {
        for (String text : List.of("10.0.0.1:29513", "[::1]:1", "ps-0.home:65535")) {
            InetSocketAddress address = HostPort.parse(text).orElseThrow();
            assertTrue(address.isUnresolved());
        }
        for (String text :
                List.of("", "a", ":1", "a:", "a:0", "a:65536", "a b:1", "http://a:1", "::1:1", "[a:1", "a:-1")) {
            assertEquals(Optional.empty(), HostPort.parse(text), text);
        }
        assertEquals("127.0.0.1:5", HostPort.text(new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), 5)));
        assertEquals("[0:0:0:0:0:0:0:1]:5", HostPort.text(new InetSocketAddress(InetAddress.ofLiteral("::1"), 5)));
    }

    @Test
    void publicationsAreChecked() {
        EtcdPlace place = EtcdPlace.parse(List.of("a"), "");
        Duration lease = EtcdPublication.LEASE_DEFAULT;
        for (Runnable wrong : List.<Runnable>of(
                () -> new EtcdPublication(place, Optional.of("nowhere"), 1, lease),
                () -> new EtcdPublication(place, Optional.empty(), 0, lease),
                () -> new EtcdPublication(place, Optional.empty(), 1, Duration.ofMillis(999)),
                () -> new EtcdPublication(place, Optional.empty(), 1, Duration.ofHours(2)))) {
            assertThrows(IllegalArgumentException.class, wrong::run);
        }
    }
}
