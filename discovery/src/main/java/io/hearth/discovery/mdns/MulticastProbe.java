package io.hearth.discovery.mdns;

import io.hearth.core.Bytes;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.MulticastSocket;
import java.net.NetworkInterface;
import java.net.SocketTimeoutException;
import java.net.StandardSocketOptions;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * Tries whether multicast DNS works on one interface: asks for Hearth's service by multicast, and listens. For diagnosis; discovery itself
 * has sockets of its own.
 */
public final class MulticastProbe {
    private static final InetAddress GROUP = InetAddress.ofLiteral("224.0.0.251");
    private static final InetAddress GROUP_IPV6 = InetAddress.ofLiteral("ff02::fb");
    private static final int PORT = 5_353;
    private static final int PACKET_MAX = 9_000;
    private static final int OTHERS_MAX = 64; // senders may be invented

    /**
     * The result.
     *
     * @param failure the system's message if the socket could not be opened or the question not be sent
     * @param heardItself whether the system gave the question back, as it does to all members of the group on this machine
     * @param others addresses of other machines from which any mDNS packet came
     */
    public record Result(Optional<String> failure, boolean heardItself, SortedSet<String> others) {}

    private MulticastProbe() {}

    /**
     * Runs a probe for {@code span}.
     *
     * @param state of the interface; it has an address
     */
    public static Result run(InterfaceState state, Duration span) {
        SortedSet<String> others = new TreeSet<>();
        InetAddress own = InetAddress.ofLiteral(state.mdnsAddress().orElseThrow());
        InetAddress group = own.getAddress().length == 4 ? GROUP : GROUP_IPV6;
        boolean heardItself = false;
        try (var socket = new MulticastSocket(null)) {
            socket.setReuseAddress(true);
            if (socket.supportedOptions().contains(StandardSocketOptions.SO_REUSEPORT)) {
                socket.setOption(StandardSocketOptions.SO_REUSEPORT, true);
            }
            socket.bind(new InetSocketAddress(PORT));
            NetworkInterface network = NetworkInterface.getByName(state.name());
            socket.setNetworkInterface(network);
            socket.joinGroup(new InetSocketAddress(group, PORT), network);
            byte[] question = question();
            socket.send(new DatagramPacket(question, question.length, group, PORT));
            long deadline = System.nanoTime() + span.toNanos();
            var packet = new DatagramPacket(new byte[PACKET_MAX], PACKET_MAX);
            for (long left = span.toNanos(); left > 0; left = deadline - System.nanoTime()) {
                socket.setSoTimeout((int) Math.max(1, left / 1_000_000));
                packet.setLength(PACKET_MAX);
                socket.receive(packet);
                String from = literal(packet.getAddress());
                if (state.addresses().contains(from)) {
                    heardItself = true;
                } else if (others.size() < OTHERS_MAX
                        && state.isOnLink(Bytes.of(packet.getAddress().getAddress()))) {
                    others.add(from);
                }
            }
        } catch (SocketTimeoutException over) {
            return new Result(Optional.empty(), heardItself, others);
        } catch (IOException failed) {
            return new Result(Optional.of(String.valueOf(failed.getMessage())), heardItself, others);
        }
        return new Result(Optional.empty(), heardItself, others);
    }

    private static String literal(InetAddress address) {
        String text = address.getHostAddress();
        int scope = text.indexOf('%');
        return scope < 0 ? text : text.substring(0, scope);
    }

    /** A query with one question, RFC 6762 section 5: all PTR records of the service. */
    private static byte[] question() {
        var out = new ByteArrayOutputStream();
        out.writeBytes(new byte[] {0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0}); // no id, no flags, one question
        for (String label : MdnsInstance.SERVICE_TYPE.split("\\.", -1)) {
            out.write(label.length());
            out.writeBytes(label.getBytes(StandardCharsets.US_ASCII));
        }
        out.writeBytes(new byte[] {0, 12, 0, 1}); // type PTR, class IN
        return out.toByteArray();
    }
}
