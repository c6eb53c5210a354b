package io.hearth.discovery.protobuf;

import com.google.protobuf.ByteString;
import io.hearth.core.BoundedDecoder;
import io.hearth.core.MalformedMessageException;
import io.hearth.discovery.PeerAddress;
import io.hearth.discovery.SocketAddresses;
import io.hearth.discovery.gossip.AddressNews;
import io.hearth.discovery.gossip.Reached;
import io.hearth.discovery.wire.AddressMessage;
import io.hearth.discovery.wire.AddressNewsMessage;
import io.hearth.discovery.wire.ReachedMessage;
import io.hearth.identity.NodeId;
import io.hearth.identity.PeerId;
import java.net.InetAddress;
import java.util.ArrayList;

/** Converts between {@link AddressNews} and its wire form. */
public final class AddressNewsEncoding {
    /** Kind of the message on a control link. */
    public static final int KIND = 42;

    private AddressNewsEncoding() {}

    /** The wire form, at most about 40 KiB. Scopes of link-local addresses are left out: they name the sender's interfaces. */
    public static byte[] encode(AddressNews news) {
        var message = AddressNewsMessage.newBuilder();
        for (Reached reached : news.reached()) {
            var one = ReachedMessage.newBuilder()
                    .setPeer(ByteString.copyFrom(reached.node().peer().publicKey()))
                    .setSlot(reached.node().slot());
            for (PeerAddress address : reached.addresses()) {
                int scope = address.host().indexOf('%');
                one.addAddresses(AddressMessage.newBuilder()
                        .setHost(scope < 0 ? address.host() : address.host().substring(0, scope))
                        .setPort(address.port()));
            }
            message.addReached(one);
        }
        return message.build().toByteArray();
    }

    /**
     * Reads a peer's message.
     *
     * @throws MalformedMessageException if the bytes are no such message, or contain an invalid address
     */
    public static AddressNews decode(byte[] bytes) throws MalformedMessageException {
        AddressNewsMessage message =
                BoundedDecoder.parse(AddressNewsMessage.parser(), AddressNewsMessage.getDescriptor(), bytes);
        try {
            var reached = new ArrayList<Reached>();
            for (ReachedMessage one : message.getReachedList()) {
                var node = new NodeId(PeerId.of(one.getPeer().toByteArray()), one.getSlot());
                var addresses = new ArrayList<PeerAddress>();
                for (AddressMessage address : one.getAddressesList()) {
                    addresses.add(address(address));
                }
                reached.add(new Reached(node, addresses));
            }
            return new AddressNews(reached);
        } catch (IllegalArgumentException invalid) {
            throw new MalformedMessageException(
                    "news of addresses that are not valid: " + invalid.getMessage(), invalid);
        }
    }

    private static PeerAddress address(AddressMessage message) {
        if (message.getHost().indexOf('%') >= 0) {
            throw new IllegalArgumentException("an address of a peer names an interface");
        }
        InetAddress address = InetAddress.ofLiteral(message.getHost());
        if (address.isAnyLocalAddress() || address.isMulticastAddress()) {
            throw new IllegalArgumentException("an address of a peer is a group or a wildcard");
        }
        return SocketAddresses.peer(address, message.getPort());
    }
}
