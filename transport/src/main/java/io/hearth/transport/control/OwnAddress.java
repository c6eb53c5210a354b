package io.hearth.transport.control;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.DatagramChannel;
import java.nio.channels.UnresolvedAddressException;
import java.util.Optional;

/** Finds the address of this machine from which a connection would come. */
public final class OwnAddress {
    private OwnAddress() {}

    /** The address that the system's routes choose for {@code remote}, with port 0; empty without a route. Sends nothing. */
    public static Optional<InetSocketAddress> towards(InetSocketAddress remote) {
        try (var channel = DatagramChannel.open()) {
            channel.connect(remote); // on a datagram socket this only looks up the route
            return channel.getLocalAddress() instanceof InetSocketAddress own
                    ? Optional.of(new InetSocketAddress(own.getAddress(), 0))
                    : Optional.empty();
        } catch (IOException | UnresolvedAddressException noRoute) {
            return Optional.empty();
        }
    }
}
