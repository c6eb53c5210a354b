package io.hearth.serve.member;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.common.util.concurrent.ListenableFuture;
import com.google.protobuf.Int64Value;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.netty.NegotiationType;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.ClientCalls;
import io.hearth.core.Clock;
import io.hearth.core.MalformedMessageException;
import io.hearth.election.Lineage;
import io.hearth.identity.NodeId;
import io.hearth.identity.NodeIdentity;
import io.hearth.serve.Counter;
import io.hearth.serve.grpc.PortPlace;
import io.hearth.serve.grpc.UnaryHandler;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The services of several nodes in one process, with real ports and links in memory. */
@Timeout(60)
final class MemberServicesTest {
    private static final InetAddress LOOPBACK = InetAddress.getLoopbackAddress();

    @TempDir
    private Path folder;

    /** One node: its links are a queue of one thread, as they are in an agent. */
    private final class Node implements MemberServices.Links {
        private final NodeIdentity identity = NodeIdentity.generate();
        private final NodeId id = new NodeId(identity.peer(), "agent");
        private final ExecutorService owner = Executors.newSingleThreadExecutor();
        private final MemberServices services;

        private Node() throws Exception {
            services = MemberServices.start(
                    new MemberServices.Node(
                            id,
                            1,
                            folder.resolve(id.text().replace('/', '-')),
                            Optional.empty(),
                            identity,
                            _ -> true,
                            this,
                            (_, why) -> failures.add(why),
                            Clock.system()),
                    List.of(new MemberServices.Offer(Counter.maker(), PortPlace.loopback(0))));
            nodes.put(id, this);
        }

        @Override
        public void send(NodeId to, int kind, byte[] message) {
            Node other = nodes.get(to);
            if (other != null) {
                other.owner.execute(() -> {
                    try {
                        other.services.heard(id, kind, message);
                    } catch (MalformedMessageException broken) {
                        failures.add(broken);
                    }
                });
            }
        }

        @Override
        public void close(NodeId node, String why) {
            failures.add(new IllegalStateException(why));
        }

        private ManagedChannel client() {
            ManagedChannel channel = NettyChannelBuilder.forAddress(
                            new InetSocketAddress(LOOPBACK, services.port("counter")))
                    .negotiationType(NegotiationType.PLAINTEXT)
                    .build();
            open.add(channel::shutdownNow);
            return channel;
        }
    }

    private final Map<NodeId, Node> nodes = new ConcurrentHashMap<>();
    private final List<Throwable> failures = Collections.synchronizedList(new ArrayList<>());
    private final List<AutoCloseable> open = new ArrayList<>();
    private long epochs;

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable each : open.reversed()) {
            each.close();
        }
        for (Node node : nodes.values()) {
            end(node);
        }
        assertEquals(List.of(), failures);
    }

    private void end(Node node) throws Exception {
        nodes.remove(node.id);
        node.owner.shutdown();
        assertTrue(node.owner.awaitTermination(10, TimeUnit.SECONDS));
        node.services.close();
    }

    /** Links two nodes, and waits until each knows what the other one serves: without a store, it would found one of its own. */
    private void link(Node one, Node other) throws Exception {
        atOnce(
                one, () -> one.services.linked(other.id, Optional.of(LOOPBACK)),
                other, () -> other.services.linked(one.id, Optional.of(LOOPBACK)));
        for (Node node : List.of(one, other, one, other)) {
            node.owner.submit(() -> {}).get();
        }
    }

    /** Both ends hear of a change of their link before they hear messages of it. */
    private static void atOnce(Node one, Runnable change, Node other, Runnable otherChange) {
        var go = new CountDownLatch(1);
        one.owner.execute(() -> {
            await(go);
            change.run();
        });
        other.owner.execute(() -> {
            await(go);
            otherChange.run();
        });
        go.countDown();
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException stop) {
            throw new IllegalStateException(stop);
        }
    }

    private void view(Node... members) {
        epochs++;
        List<NodeId> ids = Stream.of(members).map(each -> each.id).toList();
        var lineage = new Lineage(false, 1, members[0].id, 1, 0);
        for (Node member : members) {
            member.owner.execute(() -> member.services.viewed(lineage, epochs, ids));
        }
    }

    private static ListenableFuture<byte[]> add(Channel channel, long number) {
        return ClientCalls.futureUnaryCall(
                channel.newCall(
                        UnaryHandler.descriptor(Counter.SERVICE, "Add"),
                        CallOptions.DEFAULT.withDeadlineAfter(30, TimeUnit.SECONDS)),
                Int64Value.of(number).toByteArray());
    }

    private static long sum(ListenableFuture<byte[]> answer) throws Exception {
        return Int64Value.parseFrom(answer.get()).getValue();
    }

    @Test
    void aCallToAnyNodeReachesTheOneThatAnswers() throws Exception {
        Node a = new Node();
        Node b = new Node();
        Node c = new Node();
        link(a, b);
        link(a, c);
        link(b, c);
        view(a, b, c);
        assertEquals(1, sum(add(c.client(), 1)));
        assertEquals(3, sum(add(b.client(), 2)));
        assertEquals(6, sum(add(a.client(), 3)));
    }

    @Test
    void aCallWaitsForAnAnsweringNodeAndTheLossOfOneCostsNothingThatWasAnswered() throws Exception {
        Node a = new Node();
        Node b = new Node();
        Node c = new Node();
        link(a, b);
        link(a, c);
        link(b, c);
        ListenableFuture<byte[]> early = add(c.client(), 1);
        view(a, b, c);
        assertEquals(1, sum(early));
        ManagedChannel client = c.client();
        long sum = 1;
        for (int number = 2; number < 50; number++) {
            sum += number;
            ListenableFuture<byte[]> answer = add(client, number);
            if (number == 20) {
                end(a); // it is first in the view, so it answered
                b.owner.execute(() -> b.services.unlinked(a.id));
                c.owner.execute(() -> c.services.unlinked(a.id));
                view(b, c);
            }
            assertEquals(sum, sum(answer));
        }
    }

    @Test
    void storesThatWereFoundedApartBecomeOne() throws Exception {
        var all = new ArrayList<Node>();
        long sum = 0;
        for (int number = 1; number <= 3; number++) {
            Node node = new Node();
            all.add(node);
            view(node);
            assertEquals(number, sum(add(node.client(), number)));
            sum += number;
        }
        for (int one = 0; one < all.size(); one++) {
            for (int other = 0; other < one; other++) {
                link(all.get(one), all.get(other));
            }
        }
        for (int members = 2; members <= all.size(); members++) {
            view(all.subList(0, members).toArray(Node[]::new));
        }
        for (Node node : all) {
            ManagedChannel client = node.client();
            while (sum(add(client, 1)) < sum) {
                Thread.onSpinWait(); // until its store is a part of the oldest one
            }
        }
    }

    /** The dialled end may replace a connection before it knows that the other end lost it. */
    @Test
    void aLinkThatOnlyOneEndLostIsWholeAgain() throws Exception {
        Node a = new Node();
        Node b = new Node();
        link(a, b);
        view(a, b);
        assertEquals(1, sum(add(b.client(), 1)));
        atOnce(
                b,
                () -> {
                    b.services.unlinked(a.id);
                    b.services.linked(a.id, Optional.of(LOOPBACK));
                },
                a,
                () -> a.services.moved(b.id, Optional.of(LOOPBACK)));
        assertEquals(3, sum(add(b.client(), 2)));
        assertEquals(6, sum(add(a.client(), 3)));
    }

    @Test
    void aMachineWithoutALinkIsNotServedAndOnlyTheExpectedOneIsCalled() throws Exception {
        Node a = new Node();
        Node b = new Node();
        link(a, b);
        view(a, b);
        assertEquals(1, sum(add(b.client(), 1)));
        assertEquals(3, sum(add(channel(b.identity, a.id, a), 2)));
        assertUnavailable(channel(NodeIdentity.generate(), a.id, a));
        assertUnavailable(channel(b.identity, new NodeId(NodeIdentity.generate().peer(), "agent"), a));
        assertEquals(6, sum(add(b.client(), 3)));
    }

    /** A connection of a machine to the services of {@code there}, where it expects {@code expected}. */
    private Channel channel(NodeIdentity caller, NodeId expected, Node there) {
        var note = new ServesNote(new TreeMap<>(Map.of("counter", "")), there.services.memberPort());
        KnownNodes known =
                KnownNodes.NONE.linked(expected, Optional.of(LOOPBACK)).said(expected, note);
        var channels = new MemberChannels(new MemberTls(caller), () -> known);
        open.add(channels);
        return channels.to(expected).orElseThrow();
    }

    private static void assertUnavailable(Channel channel) {
        var refused = assertThrows(ExecutionException.class, () -> sum(add(channel, 9)));
        assertEquals(Status.Code.UNAVAILABLE, Status.fromThrowable(refused).getCode());
    }
}
