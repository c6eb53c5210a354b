package io.hearth.discovery.mdns;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.core.Clock;
import java.io.IOException;
import java.net.InetAddress;
import java.time.Duration;
import java.util.function.Consumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

final class MeteredJmdnsIT {
    private final MdnsTraffic traffic = new MdnsTraffic();

    @Tag("full")
    @Test
    void whatComesAfterTheEndStartsNoThread() throws IOException, InterruptedException {
        String host = "h-metered";
        var jmdns = open(host, _ -> {});
        jmdns.close();
        jmdns.startServiceResolver(MdnsInstance.SERVICE_TYPE);
        jmdns.startTypeResolver();
        jmdns.startReaper();
        jmdns.startRenewer();
        noThreadIsLeft(host);
    }

    @Tag("full")
    @Test
    void anInstanceThatIsClosedIsDeaf() throws Exception {
        var jmdns = open("h-closed", _ -> {});
        assertFalse(jmdns.isDeaf());
        jmdns.close(); // maybe before its listener has read once
        assertTrue(jmdns.isDeaf());
        noThreadIsLeft("h-closed");
        assertTrue(jmdns.isDeaf());
    }

    private static void noThreadIsLeft(String host) throws InterruptedException {
        for (Thread thread : Thread.getAllStackTraces().keySet()) {
            if (thread.getName().contains(host)) {
                assertTrue(thread.join(Duration.ofSeconds(15)), thread + " is left");
            }
        }
    }

    private MeteredJmdns open(String host, Consumer<String> broken) throws IOException {
        LoopbackMulticast.require();
        InetAddress loopback = InetAddress.getByAddress(host, new byte[] {127, 0, 0, 1});
        return new MeteredJmdns(loopback, host, traffic, Hearings.onLoopback(traffic, _ -> {}, Clock.system()), broken);
    }
}
