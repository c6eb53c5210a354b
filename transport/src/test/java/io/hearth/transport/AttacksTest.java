package io.hearth.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.core.Bytes;
import io.hearth.identity.NamespaceKeys;
import io.hearth.identity.NetworkNamespace;
import io.hearth.identity.NodeId;
import io.hearth.identity.NodeIdentity;
import io.hearth.transport.TestNode.Seen;
import io.hearth.transport.cipher.AeadCipher;
import io.hearth.transport.machine.Hello;
import io.hearth.transport.machine.LinkEncoding;
import io.hearth.transport.machine.LinkMessage;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.security.Provider;
import java.security.Security;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Properties;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.Test;

/** Attacks of strangers and members on a control link; the numbers are those of the list of attacks. */
final class AttacksTest {
    private final NamespaceKeys keys = NetworkNamespace.create("home").keys();

    private static TestNode node(NamespaceKeys keys, UnaryOperator<LinkOptions> options) throws Exception {
        return new TestNode(NodeIdentity.generate(), "agent", 1, keys, options, AeadCipher::new);
    }

    private static void nobodyWasAdmitted(TestNode... nodes) {
        for (TestNode node : nodes) {
            assertEquals(0, node.links.counters().admitted());
            assertEquals(List.of(), node.links.links());
            assertTrue(node.seen.stream().noneMatch(Seen.Admitted.class::isInstance), node.seen.toString());
        }
    }

    /** Checks that the victim works as before the attack. */
    private void stillWorks(TestNode victim) throws Exception {
        try (var friend = new TestNode(keys)) {
            friend.link(victim);
            assertTrue(friend.links.send(victim.id(), 16, new byte[1]));
            assertEquals(friend.id(), victim.await(Seen.Received.class).from());
        }
    }

    @Test
    void reflectionIsNoMember() throws Exception {
        try (var a = new TestNode(keys);
                var mirror = new ServerSocket(0, 10, InetAddress.getLoopbackAddress())) {
            a.dial(a);
            assertEquals(LinkRejection.REFLECTION, a.await(Seen.Refused.class).refusal());
            assertEquals(LinkRejection.REFLECTION, a.await(Seen.Refused.class).refusal()); // the other end of it

            Thread echo = Thread.ofVirtual().start(() -> {
                try (Socket socket = mirror.accept()) {
                    socket.getInputStream().transferTo(socket.getOutputStream());
                } catch (IOException hungUp) {
                    // as expected
                }
            });
            a.links.dial(new InetSocketAddress(InetAddress.getLoopbackAddress(), mirror.getLocalPort()));
            assertEquals(LinkRejection.TLS, a.await(Seen.Refused.class).refusal());
            echo.join();
            nobodyWasAdmitted(a);
        }
    }

    @Test
    void aServersProofSentBackAsTheClientsIsRefused() throws Exception {
        NodeIdentity outsider = NodeIdentity.generate();
        try (var a = new TestNode(keys);
                var raw = RawPeer.dial(RawPeer.context(outsider), a.address())) {
            Hello hello = RawPeer.hello(keys); // the key id is no secret
            raw.say(new LinkMessage.ClientHello(hello, LinkEncoding.encode(hello)));
            var answer = (LinkMessage.ServerHello) raw.hear();
            raw.say(new LinkMessage.Proof(answer.proof()));
            assertEquals(LinkRejection.NAMESPACE, ((LinkMessage.Refused) raw.hear()).refusal());
            assertTrue(raw.isEnded());
            Seen.Refused seen = a.await(Seen.Refused.class);
            assertEquals(LinkRejection.NAMESPACE, seen.refusal());
            assertEquals(Optional.of(outsider.peer()), seen.peer());
            nobodyWasAdmitted(a);
            stillWorks(a);
        }
    }

    @Test
    void aRecordedHandshakeOpensNothing() throws Exception {
        NodeIdentity member = NodeIdentity.generate();
        try (var a = new TestNode(keys)) {
            List<Frame> recorded;
            try (var good = RawPeer.dial(RawPeer.context(member), a.address())) {
                recorded = good.becomeMember(member, keys);
            }
            a.await(Seen.Lost.class);
            try (var replay = RawPeer.dial(RawPeer.context(member), a.address())) {
                replay.say(recorded.get(0));
                assertInstanceOf(LinkMessage.ServerHello.class, replay.hear());
                replay.say(recorded.get(1));
                assertEquals(LinkRejection.NAMESPACE, ((LinkMessage.Refused) replay.hear()).refusal());
            }
            assertEquals(LinkRejection.NAMESPACE, a.await(Seen.Refused.class).refusal());
            assertEquals(1, a.links.counters().admitted());
        }
    }

    @Test
    void anOutsiderBetweenTwoMembersIsRefusedByBoth() throws Exception {
        SSLContext outsider = RawPeer.context(NodeIdentity.generate());
        try (var a = new TestNode(keys);
                var b = new TestNode(keys);
                var front = RawPeer.listen(outsider)) {
            a.links.dial(new InetSocketAddress(InetAddress.getLoopbackAddress(), front.getLocalPort()));
            try (var legA = RawPeer.accept(front);
                    var legB = RawPeer.dial(outsider, b.address())) {
                legB.say(legA.hearFrame());
                legA.say(legB.hearFrame());
                Frame verdict = legA.hearFrame();
                assertEquals(LinkRejection.NAMESPACE, ((LinkMessage.Refused) LinkEncoding.decode(verdict)).refusal());
                legB.say(new LinkMessage.Proof(Bytes.of(new byte[32])));
                assertEquals(LinkRejection.NAMESPACE, ((LinkMessage.Refused) legB.hear()).refusal());
            }
            assertEquals(LinkRejection.NAMESPACE, a.await(Seen.Refused.class).refusal());
            assertEquals(LinkRejection.NAMESPACE, b.await(Seen.Refused.class).refusal());
            nobodyWasAdmitted(a, b);
        }
    }

    @Test
    void aMemberInTheMiddleIsSeenAsItself() throws Exception {
        try (var a = new TestNode(keys);
                var b = new TestNode(keys);
                var middle = new TestNode(keys)) {
            a.dial(middle); // A was told that B is there
            assertEquals(middle.self, a.await(Seen.Admitted.class).link().peer());
            assertFalse(a.links.send(b.id(), 16, new byte[0]));
            middle.await(Seen.Admitted.class);
            middle.links.send(a.id(), 16, "from B, I swear".getBytes(StandardCharsets.US_ASCII));
            assertEquals(middle.id(), a.await(Seen.Received.class).from());
        }
    }

    @Test
    void aCertificateWithoutItsKeyFailsInTls() throws Exception {
        NodeIdentity member = NodeIdentity.generate();
        NodeIdentity thief = NodeIdentity.generate();
        SSLContext stolen = RawPeer.context(thief.privateKey(), member.certificate());
        wrongClient(stolen);
        wrongServer(stolen);
    }

    @Test
    void everyOtherKindOfCertificateFailsInTls() throws Exception {
        NodeIdentity good = NodeIdentity.generate();
        for (String kind : List.of("EC", "RSA", "Ed448")) {
            var odd = OddCertificates.of(kind, 0);
            wrongClient(RawPeer.context(odd.key(), odd.certificate()));
            wrongServer(RawPeer.context(odd.key(), odd.certificate()));
        }
        SSLContext chain = RawPeer.context(
                good.privateKey(), good.certificate(), NodeIdentity.generate().certificate());
        wrongClient(chain);
        wrongServer(chain);
        wrongClient(RawPeer.context(good.privateKey())); // none
    }

    private void wrongClient(SSLContext context) throws Exception {
        try (var a = new TestNode(keys)) {
            try (var raw = RawPeer.dial(context, a.address())) {
                raw.say(new LinkMessage.Probe()); // for a TLS 1.3 client the handshake may have succeeded
                assertTrue(raw.isEnded());
            } catch (IOException refusedAtOnce) {
                // also fine
            }
            assertEquals(LinkRejection.TLS, a.await(Seen.Refused.class).refusal());
            nobodyWasAdmitted(a);
        }
    }

    private void wrongServer(SSLContext context) throws Exception {
        try (var a = new TestNode(keys);
                var server = RawPeer.listen(context)) {
            Thread accepting = Thread.ofVirtual().start(() -> {
                try (var raw = RawPeer.accept(server)) {
                    raw.socket.startHandshake();
                } catch (IOException refused) {
                    // as expected
                }
            });
            a.links.dial(new InetSocketAddress(InetAddress.getLoopbackAddress(), server.getLocalPort()));
            assertEquals(LinkRejection.TLS, a.await(Seen.Refused.class).refusal());
            nobodyWasAdmitted(a);
            accepting.join();
        }
    }

    /** It may be a member whose process ends; a stranger would not be dialled again soon. */
    @Test
    void whoHangsUpInTheMiddleOfTlsIsNotTakenForAStranger() throws Exception {
        try (var a = new TestNode(keys);
                var ending = new ServerSocket(0, 10, InetAddress.getLoopbackAddress())) {
            for (int heard : new int[] {0, 5, 100}) {
                a.links.dial(new InetSocketAddress(InetAddress.getLoopbackAddress(), ending.getLocalPort()));
                try (Socket socket = ending.accept()) {
                    assertEquals(heard, socket.getInputStream().readNBytes(heard).length);
                }
                assertEquals(LinkRejection.HUNG_UP, a.await(Seen.Refused.class).refusal());
            }
            stillWorks(a);
        }
    }

    @Test
    void olderTlsAndOtherProtocolsFailAtOnce() throws Exception {
        try (var a = new TestNode(keys)) {
            try (var raw = RawPeer.dial(RawPeer.context(NodeIdentity.generate()), a.address(), "TLSv1.2")) {
                assertThrows(IOException.class, raw.socket::startHandshake);
            }
            assertEquals(LinkRejection.TLS, a.await(Seen.Refused.class).refusal());
            try (var http = new Socket(a.address().getAddress(), a.links.port())) {
                http.getOutputStream()
                        .write("GET / HTTP/1.1\r\nHost: evil\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
                assertEnded(http);
            }
            assertEquals(LinkRejection.TLS, a.await(Seen.Refused.class).refusal());
            nobodyWasAdmitted(a);
            stillWorks(a);
        }
    }

    @Test
    void aSecondConnectionShowsItsCertificateAgain() throws Exception {
        NodeIdentity member = NodeIdentity.generate();
        var shown = new AtomicInteger();
        // One context: its client offers to resume the session.
        SSLContext remembers = RawPeer.context(shown, member.privateKey(), member.certificate());
        AtomicReference<Optional<NodeId>> blocked = new AtomicReference<>(Optional.empty());
        AdmissionPolicy policy = id -> blocked.get().filter(id::equals).map(_ -> "blocked on this machine");
        try (var a = node(keys, options -> options.policy(policy))) {
            try (var first = RawPeer.dial(remembers, a.address())) {
                first.becomeMember(member, keys);
                a.await(Seen.Admitted.class);
                a.links.send(new NodeId(member.peer(), "agent"), 16, new byte[1]);
                assertEquals(16, first.hearFrame().kind()); // and with it any session ticket
            }
            a.await(Seen.Lost.class);
            blocked.set(Optional.of(new NodeId(member.peer(), "agent")));
            try (var second = RawPeer.dial(remembers, a.address())) {
                IOException refused = assertThrows(IOException.class, () -> second.becomeMember(member, keys));
                assertTrue(String.valueOf(refused.getMessage()).contains("blocked on this machine"));
                assertEquals(2, shown.get());
            }
            Seen.Refused seen = a.await(Seen.Refused.class);
            assertEquals(LinkRejection.BLOCKED, seen.refusal());
            assertEquals(Optional.of(member.peer()), seen.peer());
        }
    }

    @Test
    void anotherSecretIsForeignAndOpenNeverMeetsClosed() throws Exception {
        try (var a = new TestNode(keys);
                var foreign = new TestNode(NetworkNamespace.create("home").keys());
                var open = new TestNode(NetworkNamespace.open("home").keys())) {
            for (TestNode stranger : List.of(foreign, open)) {
                stranger.dial(a);
                assertEquals(
                        LinkRejection.NAMESPACE,
                        stranger.await(Seen.Refused.class).refusal());
                assertEquals(
                        LinkRejection.NAMESPACE, a.await(Seen.Refused.class).refusal());
                a.dial(stranger);
                assertEquals(
                        LinkRejection.NAMESPACE, a.await(Seen.Refused.class).refusal());
            }
            assertEquals(4L, a.links.counters().refusals().get(LinkRejection.NAMESPACE));
            nobodyWasAdmitted(a, foreign, open);
        }
    }

    @Test
    void tooMuchBeforeAdmissionIsCutOff() throws Exception {
        var huge = OddCertificates.of("Ed25519", 30_000);
        try (var a = new TestNode(keys)) {
            try (var raw = RawPeer.dial(RawPeer.context(huge.key(), huge.certificate()), a.address())) {
                raw.say(new LinkMessage.Probe());
                assertTrue(raw.isEnded());
            } catch (IOException cutOff) {
                // while still writing
            }
            assertEquals(LinkRejection.TOO_LARGE, a.await(Seen.Refused.class).refusal());

            try (var raw = RawPeer.dial(RawPeer.context(NodeIdentity.generate()), a.address())) {
                raw.say(new Frame(1, new byte[Frame.BYTES_MAX]));
                assertTrue(raw.isEnded());
            } catch (IOException cutOff) {
                // while still writing
            }
            assertEquals(LinkRejection.TOO_LARGE, a.await(Seen.Refused.class).refusal());

            try (var raw = new Socket(a.address().getAddress(), a.links.port())) {
                byte[] emptyRecords = new byte[9_000];
                for (int i = 0; i + 5 <= emptyRecords.length; i += 5) {
                    emptyRecords[i] = 0x14; // change_cipher_spec of length 0
                    emptyRecords[i + 1] = 3;
                    emptyRecords[i + 2] = 3;
                }
                raw.getOutputStream().write(emptyRecords);
                assertEnded(raw);
            }
            a.await(Seen.Refused.class);
            nobodyWasAdmitted(a);
            stillWorks(a);
        }
    }

    @Test
    void silenceIsCutOffInEveryPhase() throws Exception {
        LinkLimits quick = LinkLimits.DEFAULT.handshake(Duration.ofMillis(300));
        try (var a = node(keys, options -> options.limits(quick))) {
            try (var mute = new Socket(a.address().getAddress(), a.links.port())) {
                assertEnded(mute);
            }
            assertEquals(LinkRejection.TOO_LATE, a.await(Seen.Refused.class).refusal());
            try (var raw = RawPeer.dial(RawPeer.context(NodeIdentity.generate()), a.address())) {
                raw.socket.startHandshake();
                assertTrue(raw.isEnded());
            }
            assertEquals(LinkRejection.TOO_LATE, a.await(Seen.Refused.class).refusal());
            try (var deaf = new ServerSocket(0, 10, InetAddress.getLoopbackAddress())) {
                a.links.dial(new InetSocketAddress(InetAddress.getLoopbackAddress(), deaf.getLocalPort()));
                assertEquals(LinkRejection.TOO_LATE, a.await(Seen.Refused.class).refusal());
            }
            nobodyWasAdmitted(a);
        }
    }

    @Test
    void connectionsBeyondTheLimitAreClosedUnheard() throws Exception {
        List<Socket> open = new ArrayList<>();
        try (var a = new TestNode(keys)) {
            for (int i = 0; i < 17; i++) {
                open.add(new Socket(a.address().getAddress(), a.links.port()));
            }
            open.getLast().setSoTimeout(20_000);
            assertEquals(-1, open.getLast().getInputStream().read());
            assertEquals(1L, a.links.counters().refusals().get(LinkRejection.TOO_MANY));
        } finally {
            for (Socket socket : open) {
                socket.close();
            }
        }
    }

    private interface Nonsense {
        void say(RawPeer raw) throws IOException;
    }

    @Test
    void nonsenseOnAnAdmittedLinkClosesItAndBothEndsKnowWhy() throws Exception {
        NodeIdentity member = NodeIdentity.generate();
        List<Nonsense> nonsense = List.of(
                raw -> raw.say(new Frame(7, new byte[] {1, 2, 3})),
                raw -> raw.say(LinkEncoding.encode(new LinkMessage.Admitted())),
                raw -> raw.sayHeader(16, Frame.BYTES_MAX + 1));
        try (var a = new TestNode(keys)) {
            for (Nonsense wrong : nonsense) {
                try (var raw = RawPeer.dial(RawPeer.context(member), a.address())) {
                    raw.becomeMember(member, keys);
                    raw.say(new Frame(15, new byte[7])); // of a later version: counted and ignored
                    wrong.say(raw);
                    var close = (LinkMessage.Close) raw.hear();
                    assertEquals(CloseCause.MALFORMED, close.cause());
                    assertTrue(a.await(Seen.Lost.class).reason().startsWith("malformed"));
                }
            }
            assertEquals(nonsense.size(), a.links.counters().malformed());
            assertEquals(nonsense.size(), a.links.counters().unknownKinds());
            stillWorks(a);
        }
    }

    @Test
    void aPeerThatTakesNothingIsCutOffAtFourMebibytes() throws Exception {
        NodeIdentity member = NodeIdentity.generate();
        try (var a = new TestNode(keys);
                var raw = RawPeer.dial(RawPeer.context(member), a.address())) {
            raw.becomeMember(member, keys);
            a.await(Seen.Admitted.class);
            var peer = new NodeId(member.peer(), "agent");
            int sent = 0;
            while (a.links.send(peer, 16, new byte[Frame.BYTES_MAX])) {
                sent++;
                assertTrue(sent < 10_000, "600 MB were queued for a peer that reads nothing");
            }
            assertTrue(a.await(Seen.Lost.class).reason().contains("did not take"));
        }
    }

    @Test
    void theProcessAroundIsLeftAsItWas() throws Exception {
        List<Provider> providers = List.of(Security.getProviders());
        SSLContext defaults = SSLContext.getDefault();
        var properties = (Properties) System.getProperties().clone();
        var security = Security.getProperty("jdk.tls.disabledAlgorithms");
        try (var a = new TestNode(keys);
                var b = new TestNode(keys)) {
            a.link(b);
        }
        assertEquals(providers, List.of(Security.getProviders()));
        assertEquals(defaults, SSLContext.getDefault());
        assertEquals(properties, System.getProperties());
        assertEquals(security, Security.getProperty("jdk.tls.disabledAlgorithms"));
    }

    private static void assertEnded(Socket socket) throws IOException {
        socket.setSoTimeout(20_000);
        try {
            while (socket.getInputStream().read() >= 0) {
                // an alert, at most
            }
        } catch (SocketTimeoutException stillOpen) {
            throw new AssertionError("the connection is still open", stillOpen);
        } catch (IOException reset) {
            // also the end
        }
    }
}
