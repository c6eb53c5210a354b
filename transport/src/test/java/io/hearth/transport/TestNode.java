package io.hearth.transport;

import io.hearth.core.Bytes;
import io.hearth.core.Clock;
import io.hearth.core.SetupException;
import io.hearth.identity.NamespaceKeys;
import io.hearth.identity.NodeId;
import io.hearth.identity.NodeIdentity;
import io.hearth.identity.PeerId;
import io.hearth.transport.cipher.AeadCipher;
import io.hearth.transport.cipher.RecordCipher;
import io.hearth.transport.links.Links;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Optional;
import java.util.SortedMap;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;

/** A node on the loopback interface whose observer keeps all events in order. */
public final class TestNode implements AutoCloseable {
    private static final AtomicLong BOOTS = new AtomicLong();

    public sealed interface Seen {
        record Admitted(LinkInfo link) implements Seen {}

        record Moved(LinkInfo link) implements Seen {}

        record Reached(LinkInfo link) implements Seen {}

        record RelayFailed(NodeId via, NodeId target, String why) implements Seen {}

        record Received(NodeId from, int kind, Bytes message) implements Seen {}

        record Lost(NodeId peer, String reason) implements Seen {}

        record Refused(Optional<PeerId> peer, LinkRejection refusal, String text) implements Seen {}

        record Doubled(SortedMap<PeerId, DoubledIdentity> machines) implements Seen {}

        record Told(DoubledIdentity found, NodeId by) implements Seen {}

        record DialFailed(DialFailure failure) implements Seen {}
    }

    final NodeIdentity identity;
    public final Endpoint self;
    public final Links links;
    public final BlockingQueue<Seen> seen = new LinkedBlockingQueue<>();

    public TestNode(NamespaceKeys keys) throws SetupException {
        this(NodeIdentity.generate(), NodeId.AGENT, 1, keys, options -> options, AeadCipher::new);
    }

    public TestNode(
            NodeIdentity identity,
            String slot,
            long incarnation,
            NamespaceKeys keys,
            UnaryOperator<LinkOptions> options,
            RecordCipher.Factory ciphers)
            throws SetupException {
        this(identity, slot, incarnation, keys, options, ciphers, Clock.system());
    }

    public TestNode(
            NodeIdentity identity,
            String slot,
            long incarnation,
            NamespaceKeys keys,
            UnaryOperator<LinkOptions> options,
            RecordCipher.Factory ciphers,
            Clock clock)
            throws SetupException {
        this(
                identity,
                new Endpoint(new NodeId(identity.peer(), slot), incarnation, bootId()),
                keys,
                options,
                ciphers,
                clock);
    }

    public TestNode(
            NodeIdentity identity,
            Endpoint self,
            NamespaceKeys keys,
            UnaryOperator<LinkOptions> options,
            RecordCipher.Factory ciphers,
            Clock clock)
            throws SetupException {
        this.identity = identity;
        this.self = self;
        this.links = Links.open(
                options.apply(LinkOptions.loopback(0)), identity, self, keys, new Recorder(), clock, ciphers);
    }

    private final class Recorder implements LinkObserver {
        @Override
        public void admitted(LinkInfo link) {
            seen.add(new Seen.Admitted(link));
        }

        @Override
        public void moved(LinkInfo link) {
            seen.add(new Seen.Moved(link));
        }

        @Override
        public void reached(LinkInfo link) {
            seen.add(new Seen.Reached(link));
        }

        @Override
        public void relayFailed(NodeId via, NodeId target, String text) {
            seen.add(new Seen.RelayFailed(via, target, text));
        }

        @Override
        public void received(NodeId from, long incarnation, int kind, byte[] message) {
            seen.add(new Seen.Received(from, kind, Bytes.of(message)));
        }

        @Override
        public void lost(NodeId peer, String reason) {
            seen.add(new Seen.Lost(peer, reason));
        }

        @Override
        public void refused(InetSocketAddress address, Optional<PeerId> peer, LinkRejection refusal, String text) {
            seen.add(new Seen.Refused(peer, refusal, text));
        }

        @Override
        public void doubled(SortedMap<PeerId, DoubledIdentity> machines) {
            seen.add(new Seen.Doubled(machines));
        }

        @Override
        public void ownDoubled(DoubledIdentity found, NodeId by) {
            seen.add(new Seen.Told(found, by));
        }

        @Override
        public void dialFailed(InetSocketAddress address, DialFailure failure, String text) {
            seen.add(new Seen.DialFailed(failure));
        }
    }

    public static Bytes bootId() {
        byte[] bytes = new byte[Endpoint.BOOT_ID_BYTES];
        long boot = BOOTS.incrementAndGet();
        for (int i = 0; i < Long.BYTES; i++) {
            bytes[i] = (byte) (boot >>> (8 * i));
        }
        return Bytes.of(bytes);
    }

    public NodeId id() {
        return self.id();
    }

    public InetSocketAddress address() {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), links.port());
    }

    public void dial(TestNode other) {
        links.dial(other.address());
    }

    /** The next event of that kind; earlier ones are skipped. */
    public <T extends Seen> T await(Class<T> kind) throws InterruptedException {
        return kind.cast(await(kind.getSimpleName(), kind::isInstance));
    }

    /** As {@link #await(Class)}, for the next event that matches {@code wanted}. */
    public Seen await(String what, Predicate<Seen> wanted) throws InterruptedException {
        while (true) {
            Seen next = seen.poll(20, TimeUnit.SECONDS);
            if (next == null) {
                throw new AssertionError("no " + what + " within 20 s");
            }
            if (wanted.test(next)) {
                return next;
            }
        }
    }

    /** Waits for a state that must come by itself, with a generous timeout. */
    public static void until(String what, BooleanSupplier reached) {
        long startNanos = System.nanoTime();
        while (!reached.getAsBoolean()) {
            if (System.nanoTime() - startNanos > TimeUnit.SECONDS.toNanos(20)) {
                throw new AssertionError("not within 20 s: " + what);
            }
            LockSupport.parkNanos(1_000_000);
        }
    }

    /** Dials and waits until both sides have the link. */
    public void link(TestNode other) throws InterruptedException {
        dial(other);
        await(Seen.Admitted.class);
        other.await(Seen.Admitted.class);
    }

    @Override
    public void close() {
        links.close();
    }
}
