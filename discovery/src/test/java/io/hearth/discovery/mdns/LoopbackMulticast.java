package io.hearth.discovery.mdns;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.MulticastSocket;
import java.net.NetworkInterface;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Assumptions;

/** The loopback interface as a LAN of one machine, with mDNS moved to a port that no other program uses. */
final class LoopbackMulticast {
    private static final String GROUP = "224.0.0.251";

    private LoopbackMulticast() {}

    /** Moves JmDNS to a free port before its constants are read; skips the test with a message if lo cannot multicast. */
    static String require() {
        try {
            if (System.getProperty("net.mdns.port") == null) {
                try (var free = new DatagramSocket(0)) {
                    System.setProperty("net.mdns.port", Integer.toString(free.getLocalPort()));
                }
            }
            NetworkInterface loopback = NetworkInterface.getByInetAddress(InetAddress.ofLiteral("127.0.0.1"));
            if (!echoes(loopback)) {
                String why = "SKIPPED: the loopback interface " + loopback.getName()
                        + " of this machine does not carry multicast, so mDNS was not tested";
                System.out.println(why);
                Assumptions.abort(why);
            }
            return loopback.getName();
        } catch (IOException broken) {
            throw new UncheckedIOException(broken);
        }
    }

    private static boolean echoes(NetworkInterface loopback) throws IOException {
        try (var socket = new MulticastSocket(0)) {
            var group = new InetSocketAddress(InetAddress.ofLiteral(GROUP), socket.getLocalPort());
            socket.setNetworkInterface(loopback);
            socket.joinGroup(group, loopback);
            socket.setSoTimeout(1_000);
            byte[] probe = "hearth".getBytes(StandardCharsets.US_ASCII);
            socket.send(new DatagramPacket(probe, probe.length, group));
            socket.receive(new DatagramPacket(new byte[16], 16));
            return true;
        } catch (SocketTimeoutException silent) {
            return false;
        } catch (IOException refused) {
            return false;
        }
    }
}
