package io.hearth.discovery;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.time.Duration;
import org.junit.jupiter.api.Test;

final class MeteredJmdnsIT {
    @Test
    void whatComesAfterTheEndStartsNoThread() throws IOException, InterruptedException {
        LoopbackMulticast.require();
        String host = "h-metered";
        InetAddress loopback = InetAddress.getByAddress(host, new byte[] {127, 0, 0, 1});
        var jmdns = new MeteredJmdns(loopback, host, new MdnsTraffic(), () -> {});
        jmdns.close();
        jmdns.startServiceResolver(MdnsInstance.SERVICE_TYPE);
        jmdns.startTypeResolver();
        jmdns.startReaper();
        jmdns.startRenewer();
        for (Thread thread : Thread.getAllStackTraces().keySet()) {
            if (thread.getName().contains(host)) {
                assertTrue(thread.join(Duration.ofSeconds(15)), thread + " is left");
            }
        }
    }
}
