package io.hearth.transport.links;

import io.hearth.core.Bytes;
import io.hearth.core.Clock;
import io.hearth.core.SetupException;
import io.hearth.identity.NamespaceKeys;
import io.hearth.identity.NetworkNamespace;
import io.hearth.identity.NodeId;
import io.hearth.identity.NodeIdentity;
import io.hearth.identity.PeerId;
import io.hearth.transport.DataTransport;
import io.hearth.transport.DialFailure;
import io.hearth.transport.Endpoint;
import io.hearth.transport.LinkInfo;
import io.hearth.transport.LinkLimits;
import io.hearth.transport.LinkObserver;
import io.hearth.transport.LinkOptions;
import io.hearth.transport.LinkRejection;
import io.hearth.transport.Purpose;
import io.hearth.transport.cipher.AeadCipher;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Connections over which machines pair: with TLS and the limits of every link, but without membership. The handshake's proof uses the
 * published key of an open namespace, so it proves nothing; the pairing protocol must prove the peers. These connections never reach
 * members or nodes of an open namespace, because those have another {@link Purpose}.
 */
public final class PairLinks implements AutoCloseable {
    /** Most connections at once, not counting those in their handshake. */
    private static final int LINKS_MAX = 16;

    private static final int DIALS_MAX = 4;
    private static final int KIND = 56;
    private static final String NAMESPACE = "pair";

    /** Receives the events. Called on the links' one thread; it must neither block nor throw. */
    public interface Observer {
        /**
         * A connection was opened.
         *
         * @param peer its identity as TLS proved it; the slot is the peer's claim
         * @param exporter 32 bytes that only the two ends know
         * @param address the dialled address, or the source of an accepted connection
         */
        void met(NodeId peer, Bytes exporter, InetSocketAddress address);

        /** A dial failed, or an incoming connection was rejected; {@code why} is one line for people. */
        void notMet(InetSocketAddress address, String why);

        /** A message arrived; the observer owns it. */
        void arrived(NodeId peer, byte[] message);

        /** The connection ended. */
        void gone(NodeId peer, String why);
    }

    private final Links links;
    private final NamespaceKeys keys;

    private PairLinks(LinkOptions options, NodeIdentity identity, Endpoint self, Observer observer)
            throws SetupException {
        keys = NetworkNamespace.open(NAMESPACE).keys();
        var adapter = new Adapter(observer);
        LinkLimits limits = options.limits();
        links = Links.open(
                Purpose.PAIR,
                options.withoutStreams().transport(DataTransport.TCP).limits(limits.links(LINKS_MAX, DIALS_MAX)),
                identity,
                self,
                keys,
                adapter,
                Clock.system(),
                AeadCipher::new);
        adapter.links = links;
        links.execute(adapter::catchUp);
    }

    /**
     * Opens the links of this machine, which can be dialled from now on.
     *
     * @param self this start of a node whose machine is that of {@code identity}
     * @throws SetupException if the port is taken or the address is not this machine's; its text says what to do
     */
    public static PairLinks open(LinkOptions options, NodeIdentity identity, Endpoint self, Observer observer)
            throws SetupException {
        return new PairLinks(options, identity, self, observer);
    }

    /** The port that this machine can be dialled at. */
    public int port() {
        return links.port();
    }

    /** Dials one address; the observer gets the outcome. */
    public void dial(InetSocketAddress address) {
        links.dial(address);
    }

    /** Sends a message without blocking; the message is dropped if the connection is gone. */
    public void send(NodeId peer, byte[] message) {
        links.send(peer, KIND, message);
    }

    /** Ends a connection after its queued messages, and sends the reason to the other side. */
    public void close(NodeId peer, String why) {
        links.close(peer, why);
    }

    /** Ends all connections within a few seconds; idempotent. */
    @Override
    public void close() {
        links.close();
        keys.close();
    }

    private static final class Adapter implements LinkObserver {
        private final Observer observer;
        private final List<LinkInfo> early =
                new ArrayList<>(); // event loop only; a few, before the links are known here
        private volatile @Nullable Links
                links; // set once by the constructor of the outer class, read on the event loop

        Adapter(Observer observer) {
            this.observer = observer;
        }

        @Override
        public void admitted(LinkInfo link) {
            Links open = links;
            if (open == null) {
                early.add(link);
            } else {
                met(open, link);
            }
        }

        void catchUp() {
            Links open = links;
            if (open != null) {
                early.forEach(link -> met(open, link));
                early.clear();
            }
        }

        private void met(Links open, LinkInfo link) {
            NodeId peer = link.peer().id();
            open.pairExporter(peer).ifPresent(exporter -> observer.met(peer, exporter, link.address()));
        }

        @Override
        public void received(NodeId from, long incarnation, int kind, byte[] message) {
            if (kind == KIND) {
                observer.arrived(from, message);
            }
        }

        @Override
        public void lost(NodeId peer, String reason) {
            observer.gone(peer, reason);
        }

        @Override
        public void refused(InetSocketAddress address, Optional<PeerId> peer, LinkRejection refusal, String text) {
            observer.notMet(address, text);
        }

        @Override
        public void dialFailed(InetSocketAddress address, DialFailure failure, String text) {
            observer.notMet(address, text);
        }
    }
}
