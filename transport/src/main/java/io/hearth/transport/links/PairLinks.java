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
 * Connections over which machines pair: TLS and the bounds of every link, and no membership. The proof of the handshake is made
 * with the published key of an open namespace, so it proves nothing; what runs over these links has to. They meet neither members nor
 * nodes of an open namespace, because those come for another {@link Purpose}.
 */
public final class PairLinks implements AutoCloseable {
    /** Connections at a time, beside those in their handshake. */
    private static final int LINKS_MAX = 16;

    private static final int DIALS_MAX = 4;
    private static final int KIND = 56;
    private static final String NAMESPACE = "pair";

    /** Hears what happens; called on the links' one thread, must not block and never throws. */
    public interface Observer {
        /**
         * A connection is up.
         *
         * @param peer as TLS proved its identity; its slot is its own word
         * @param exporter 32 bytes that only the two ends know
         * @param address as dialled, or from where it came
         */
        void met(NodeId peer, Bytes exporter, InetSocketAddress address);

        /** One that was dialled did not come up, or one that came was turned away; {@code why} is one line for people. */
        void notMet(InetSocketAddress address, String why);

        /** A message came; given away. */
        void arrived(NodeId peer, byte[] message);

        /** It ended. */
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
     * Opens the links of this machine; it can be dialled from now on.
     *
     * @param self this start of a node whose machine is that of {@code identity}
     * @throws SetupException the port is taken or the address is not this machine's; says what to do
     */
    public static PairLinks open(LinkOptions options, NodeIdentity identity, Endpoint self, Observer observer)
            throws SetupException {
        return new PairLinks(options, identity, self, observer);
    }

    /** The port that this machine can be dialled at. */
    public int port() {
        return links.port();
    }

    /** What comes of it is told to the observer. */
    public void dial(InetSocketAddress address) {
        links.dial(address);
    }

    /** Sends a message, without blocking; nothing happens if the connection is gone. */
    public void send(NodeId peer, byte[] message) {
        links.send(peer, KIND, message);
    }

    /** Ends a connection after what was sent on it, and tells the other side why. */
    public void close(NodeId peer, String why) {
        links.close(peer, why);
    }

    /** Ends all; bounded by a few seconds, idempotent. */
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
