package io.hearth.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import io.hearth.agent.status.ClusterStatus;
import io.hearth.collective.CollectiveOptions;
import io.hearth.core.Bytes;
import io.hearth.core.CollectiveException;
import io.hearth.core.HearthException;
import io.hearth.election.Ballot;
import io.hearth.election.GroupPhase;
import io.hearth.election.GroupView;
import io.hearth.election.Lineage;
import io.hearth.election.Member;
import io.hearth.election.Message;
import io.hearth.election.Role;
import io.hearth.election.View;
import io.hearth.election.protobuf.MessageEncoding;
import io.hearth.identity.NodeId;
import io.hearth.identity.NodeIdentity;
import io.hearth.identity.PeerId;
import io.hearth.identity.roster.RosterEntry;
import io.hearth.identity.roster.machine.RosterMessage;
import io.hearth.identity.roster.machine.RosterMessageEncoding;
import io.hearth.topology.NodeProfileEncoding;
import io.hearth.transport.DialFailure;
import io.hearth.transport.Endpoint;
import io.hearth.transport.LinkInfo;
import io.hearth.transport.LinkObserver;
import io.hearth.transport.LinkOptions;
import io.hearth.transport.LinkRejection;
import io.hearth.transport.links.Links;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A member with the secret that sends forbidden messages, and fatal errors. */
final class HostileMemberIT {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    /** A report or resolution whose first number is 2^63-1. */
    private static final Bytes HUGE = Bytes.of(new byte[] {8, -1, -1, -1, -1, -1, -1, -1, -1, 127});

    @TempDir
    @SuppressWarnings("NullAway.Init") // JUnit sets it
    private Path folder;

    private final BlockingQueue<String> heard = new LinkedBlockingQueue<>();
    private final NodeIdentity identity = NodeIdentity.generate();
    private final NodeId self = new NodeId(identity.peer(), NodeId.AGENT);

    private final class Ear implements LinkObserver {
        @Override
        public void admitted(LinkInfo link) {
            heard.add("admitted");
        }

        @Override
        public void received(NodeId from, long incarnation, int kind, byte[] message) {}

        @Override
        public void lost(NodeId peer, String reason) {
            heard.add("lost " + reason);
        }

        @Override
        public void refused(InetSocketAddress address, Optional<PeerId> peer, LinkRejection refusal, String text) {
            heard.add("refused " + text);
        }

        @Override
        public void dialFailed(InetSocketAddress address, DialFailure failure, String text) {
            heard.add("failed " + text);
        }
    }

    /** Links begin and end in turn. The rejection of a second link between the same two nodes is skipped. */
    private String next(String prefix) throws InterruptedException {
        while (true) {
            String line = heard.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            assertTrue(line != null, () -> "wanted " + prefix + ", heard nothing");
            if (line.startsWith(prefix)) {
                return line;
            }
        }
    }

    /**
     * Sends it on each new link, until a link is lost for {@code reason}. Both ends may dial at once, and a message on the replaced link
     * may be lost: so it is sent again on the next one.
     */
    private void speaksUntil(String reason, Links links, InetSocketAddress address, Runnable speech)
            throws InterruptedException {
        speech.run();
        List<String> lines = new ArrayList<>();
        for (long quiet = 0; quiet < PATIENCE.toSeconds(); ) {
            String line = heard.poll(1, TimeUnit.SECONDS);
            if (line == null) {
                quiet++;
                links.dial(address);
                continue;
            }
            lines.add(line);
            if (line.startsWith("admitted")) {
                speech.run();
            } else if (line.startsWith("lost ")) {
                if (line.contains(reason)) {
                    return;
                }
                links.dial(address);
            }
        }
        fail("wanted a link lost for: " + reason + "; heard " + lines);
    }

    private View view(Bytes resolution) {
        var member = new Member(self, 1, 1, Role.TRAINER, "g", 1);
        return new View(
                new Lineage(false, 1, self, 1, 0), 2, List.of(member), List.of(new GroupView("g", 1, resolution)));
    }

    @Test
    void eachLieCostsItTheLinkAndTheOthersTrainOn() throws Exception {
        try (var nodes = new TestNodes(folder)) {
            AutoDiscoveryBackend node = nodes.trainers(2).getFirst();
            node.waitForPeers(1, PATIENCE);
            var ballot = new Ballot(1, self);
            var lineage = new Lineage(false, 1, self, 1, 0);
            List<Message> lies = List.of(
                    new Message.Commit(view(HUGE)),
                    new Message.Prepare(view(HUGE), ballot),
                    new Message.Accept(view(Bytes.EMPTY), ballot, view(HUGE)),
                    new Message.Here(lineage, 1, ballot, Optional.of(new Message.Status(false, HUGE))));
            var endpoint = new Endpoint(self, 1, Bytes.of(new byte[Endpoint.BOOT_ID_BYTES]));
            try (var keys = nodes.keys();
                    Links links = Links.open(LinkOptions.loopback(0), identity, endpoint, keys, new Ear())) {
                var address = new InetSocketAddress(
                        InetAddress.getLoopbackAddress(), node.node().port());
                for (Message lie : lies) {
                    speaksUntil(
                            "malformed message: ",
                            links,
                            address,
                            () -> links.send(node.id(), MessageEncoding.kind(lie), MessageEncoding.encode(lie)));
                }
                speaksUntil(
                        "malformed message: ",
                        links,
                        address,
                        () -> links.send(node.id(), NodeProfileEncoding.KIND, new byte[] {-1}));
                ClusterStatus status = node.node()
                        .latestStatus()
                        .await(now -> now.faults().stream().anyMatch(fault -> fault.count() >= 5), PATIENCE)
                        .orElseThrow();
                assertEquals(self.shortText(), status.faults().getFirst().who());
            }
            assertEquals(Optional.empty(), node.node().failure());
            assertEquals(1, node.peerCount());
        }
    }

    /** Attack 22: a well-formed message in another node's name is counted and its link remains; a forged roster entry closes the link. */
    @Test
    void speechInAnothersNameIsCountedAndAForgedRosterEntryCostsTheLink() throws Exception {
        try (var nodes = new TestNodes(folder);
                var keys = nodes.keys()) {
            AutoDiscoveryBackend node = nodes.trainer(TestNodes.loopback());
            var lineage = new Lineage(false, 1, self, 1, 0);
            var itsBallot = new Ballot(1, node.id());
            var endpoint = new Endpoint(self, 1, Bytes.of(new byte[Endpoint.BOOT_ID_BYTES]));
            try (Links links = Links.open(LinkOptions.loopback(0), identity, endpoint, keys, new Ear())) {
                var address = new InetSocketAddress(
                        InetAddress.getLoopbackAddress(), node.node().port());
                links.dial(address);
                next("admitted");
                for (Message forged : List.of(
                        new Message.Prepare(view(Bytes.EMPTY), itsBallot),
                        new Message.Accept(view(Bytes.EMPTY), itsBallot, view(Bytes.EMPTY)),
                        new Message.Promise(lineage, 1, itsBallot, Optional.empty()),
                        new Message.Accepted(lineage, 1, itsBallot))) {
                    links.send(node.id(), MessageEncoding.kind(forged), MessageEncoding.encode(forged));
                }
                ClusterStatus counted = node.node()
                        .latestStatus()
                        .await(
                                now -> ignored(now, io.hearth.election.MessageRejection.FOREIGN_BALLOT) == 2
                                        && ignored(now, io.hearth.election.MessageRejection.STRAY_ANSWER) == 2,
                                PATIENCE)
                        .orElseThrow();
                assertEquals(List.of(), counted.faults(), "no reason to end the link");

                var entry = new RosterEntry.Removal(identity.peer(), node.id().peer(), 1, Bytes.of(new byte[64]));
                var page = new RosterMessage.Page(Optional.empty(), List.of(entry));
                speaksUntil(
                        "a roster entry with a wrong signature",
                        links,
                        address,
                        () -> links.send(
                                node.id(), RosterMessageEncoding.kind(page), RosterMessageEncoding.encode(page)));
            }
            assertEquals(Optional.empty(), node.node().failure());
        }
    }

    private static long ignored(ClusterStatus status, io.hearth.election.MessageRejection reason) {
        return status.ignored().getOrDefault(reason, 0L);
    }

    /** As when memory is short, or a class cannot be loaded. */
    @Test
    void anErrorThatNobodyCanHandleEndsTheNodeAndTheNextCallSaysSo() throws Exception {
        try (var nodes = new TestNodes(folder)) {
            AutoDiscoveryBackend node = nodes.trainer(TestNodes.loopback());
            node.node().failed("a planted thread", new NoClassDefFoundError("planted"));
            assertTrue(node.node()
                    .latestStatus()
                    .await(_ -> node.node().failure().isPresent(), PATIENCE)
                    .isPresent());
            HearthException failure = node.node().failure().orElseThrow();
            String why = String.valueOf(failure.getMessage());
            assertEquals("this node stopped: a planted thread failed: java.lang.NoClassDefFoundError: planted", why);
            assertEquals(
                    why,
                    assertThrows(HearthException.class, () -> node.waitForPeers(1, PATIENCE))
                            .getMessage());
            var next = assertThrows(CollectiveException.class, node::context);
            assertEquals(why, next.getMessage());
            assertInstanceOf(HearthException.class, next.getCause());
        }
    }

    @Tag("full")
    @Test
    void aCallThatWaitsHearsOfItToo() throws Exception {
        try (var nodes = new TestNodes(folder)) {
            AutoDiscoveryBackend node = nodes.trainers(2).getFirst();
            node.waitForPeers(1, PATIENCE);
            Thread.ofVirtual().start(() -> {
                while (node.node().engine().orElseThrow().phase() == GroupPhase.FRESH) {
                    Thread.onSpinWait();
                }
                node.node().failed("a planted thread", new StackOverflowError("planted"));
            });
            var next = assertThrows( // the other node calls nothing
                    CollectiveException.class,
                    () -> node.node().engine().orElseThrow().barrier(CollectiveOptions.DEFAULTS));
            assertTrue(String.valueOf(next.getMessage()).contains("StackOverflowError: planted"), next::toString);
            assertThrows(
                    CollectiveException.class,
                    () -> node.node().engine().orElseThrow().barrier(CollectiveOptions.DEFAULTS));
        }
    }
}
