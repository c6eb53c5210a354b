package io.hearth.transport.machine;

import io.hearth.core.Bytes;
import io.hearth.identity.NodeId;
import io.hearth.transport.CloseCause;
import io.hearth.transport.DoubledIdentity;
import io.hearth.transport.LinkRejection;
import io.hearth.transport.StreamId;
import java.util.List;
import java.util.Optional;

/** The messages of the link itself: frame kinds 1 to 15. */
public sealed interface LinkMessage {
    /** Opens the handshake; {@code encoded} is {@code hello} byte for byte as on the wire. */
    record ClientHello(Hello hello, Bytes encoded) implements LinkMessage {}

    /** The server's hello with its proof of membership. */
    record ServerHello(Hello hello, Bytes encoded, Bytes proof) implements LinkMessage {}

    /** The client's proof of membership. */
    record Proof(Bytes proof) implements LinkMessage {}

    /** The server's last message of a successful handshake. */
    record Admitted() implements LinkMessage {}

    /** The last message of a failed handshake. */
    record Refused(LinkRejection refusal, String text) implements LinkMessage {}

    /** The last frame of a link in this direction; frames before it are valid. */
    record Close(CloseCause cause, String text) implements LinkMessage {}

    /**
     * Asks the side that was dialled for a ticket of stream {@code id}, or of a lane of a stream.
     *
     * @param lanes of the stream, 1 to {@link LaneLimits#LANES_MAX}
     * @param path of a lane; empty for a stream, which has the addresses of the link
     */
    record StreamRequest(long request, StreamId id, int lanes, Optional<AddressPair> path) implements LinkMessage {
        /** A request for a stream of one lane. */
        public StreamRequest(long request, StreamId id) {
            this(request, id, 1, Optional.empty());
        }
    }

    /**
     * A one-use ticket for the stream of {@code request}.
     *
     * @param socket path of the unix socket that accepts it too, empty for none
     * @param addresses of the sender over which lanes may go, at most {@link LaneLimits#ADDRESSES_MAX}, 4 or 16 bytes each
     */
    record StreamTicket(long request, Bytes ticket, String socket, List<Bytes> addresses) implements LinkMessage {
        public StreamTicket {
            addresses = List.copyOf(addresses);
        }

        /** A ticket of a node that names no addresses. */
        public StreamTicket(long request, Bytes ticket, String socket) {
            this(request, ticket, socket, List.of());
        }
    }

    /**
     * Asks a member to pass the bytes of a connection to a node on, because the sender cannot reach that node.
     *
     * @param toData whether the connection goes to the port of data streams; else to that of links
     */
    record RelayRequest(long request, NodeId target, boolean toData) implements LinkMessage {}

    /**
     * The answer to {@code request}.
     *
     * @param ticket for one connection to the data port of the sender; empty if it does not relay
     * @param why one line for people if it does not, else empty
     */
    record RelayTicket(long request, Bytes ticket, String why) implements LinkMessage {}

    /** Another computer uses the receiver's identity, which is {@code found}'s first appearance. */
    record Duplicate(DoubledIdentity found) implements LinkMessage {}

    /** An empty message; a dead connection answers it with a reset. */
    record Probe() implements LinkMessage {}
}
