package io.hearth.transport.control;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.DatagramChannel;
import java.nio.channels.UnresolvedAddressException;
import java.util.Optional;

/** Which of this machine's addresses a connection would come from. */
public final class OwnAddress {
    private OwnAddress() {}

    /** The address that the system's routes choose for {@code remote}, with port 0; empty without a route. Sends nothing. */
    public static Optional<InetSocketAddress> towards(InetSocketAddress remote) {
        try (var channel = DatagramChannel.open()) {
            channel.connect(remote); // of a datagram socket: the route is looked up, and that is all
            return channel.getLocalAddress() instanceof InetSocketAddress own
                    ? Optional.of(new InetSocketAddress(own.getAddress(), 0))
                    : Optional.empty();
        } catch (IOException | UnresolvedAddressException noRoute) {
            return Optional.empty();
        }
    }
}
