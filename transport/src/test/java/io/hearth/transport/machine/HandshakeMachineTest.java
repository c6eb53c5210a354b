package io.hearth.transport.machine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.core.Bytes;
import io.hearth.core.MalformedMessageException;
import io.hearth.core.Step;
import io.hearth.identity.NamespaceKeys;
import io.hearth.identity.NetworkNamespace;
import io.hearth.identity.NodeId;
import io.hearth.identity.NodeIdentity;
import io.hearth.identity.PeerId;
import io.hearth.identity.roster.Common;
import io.hearth.transport.Appearance;
import io.hearth.transport.CloseCause;
import io.hearth.transport.DoubledIdentity;
import io.hearth.transport.Endpoint;
import io.hearth.transport.Frame;
import io.hearth.transport.KeyRing;
import io.hearth.transport.LinkRejection;
import io.hearth.transport.Purpose;
import io.hearth.transport.TestNode;
import io.hearth.transport.cipher.RecordCipher;
import io.hearth.transport.machine.HandshakeMachine.Effect;
import io.hearth.transport.machine.HandshakeMachine.Event;
import io.hearth.transport.machine.HandshakeMachine.State;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

final class HandshakeMachineTest {
    private static final long LIMIT = 5_000_000_000L;
    private static final Bytes EXPORTER = Bytes.of(new byte[32]);
    private static final RecordCipher.Suite AES = RecordCipher.Suite.AES_256_GCM;
    private static final PeerId ALICE = NodeIdentity.generate().peer();
    private static final PeerId BOB = NodeIdentity.generate().peer();

    private final NamespaceKeys keys = NetworkNamespace.create("home").keys();

    /** One side, with all messages that it sent and its end. */
    private static final class Side {
        final HandshakeMachine machine;
        final List<LinkMessage> sent = new ArrayList<>();
        final List<Effect> ends = new ArrayList<>();
        final List<Effect.OwnDoubled> told = new ArrayList<>();
        State state;

        Side(HandshakeMachine machine, State state) {
            this.machine = machine;
            this.state = state;
        }

        void happens(Event event) {
            Step<State, Effect> step = machine.step(state, event, 0);
            state = step.state();
            for (Effect effect : step.effects()) {
                switch (effect) {
                    case Effect.Send(var message) -> sent.add(message);
                    case Effect.Ask _, Effect.Unknown _ -> happens(new Event.Allowed());
                    case Effect.OwnDoubled word -> told.add(word);
                    case Effect.Admit _, Effect.Refuse _ -> ends.add(effect);
                }
            }
        }

        LinkRejection refusal() {
            assertEquals(1, ends.size(), ends.toString());
            return assertInstanceOf(Effect.Refuse.class, ends.getFirst()).refusal();
        }
    }

    private static Endpoint endpoint(PeerId peer, String slot, Bytes systemBoot) {
        return new Endpoint(new NodeId(peer, slot), 3, TestNode.bootId(), Optional.of(systemBoot));
    }

    private static Endpoint endpoint(PeerId peer) {
        return new Endpoint(new NodeId(peer, NodeId.AGENT), 3, TestNode.bootId());
    }

    private static Side side(boolean client, Endpoint self, NamespaceKeys keys, String... features) {
        var machine = new HandshakeMachine(
                Purpose.MEMBER, self, KeyRing.borrowed(keys), 52_416, 4711, List.of(features), LIMIT);
        return new Side(machine, client ? State.client(7, false, Optional.empty(), 0) : State.server(0));
    }

    /** Runs both sides to their end; {@code edit} sees each frame on its way. */
    private static void run(Side client, PeerId clientId, Side server, PeerId serverId, UnaryOperator<Frame> edit)
            throws MalformedMessageException {
        run(client, clientId, EXPORTER, server, serverId, EXPORTER, edit);
    }

    private static void run(
            Side client,
            PeerId clientId,
            Bytes clientExporter,
            Side server,
            PeerId serverId,
            Bytes serverExporter,
            UnaryOperator<Frame> edit)
            throws MalformedMessageException {
        server.happens(new Event.Secured(clientId, serverExporter));
        client.happens(new Event.Secured(serverId, clientExporter));
        for (int turn = 0; turn < 10; turn++) {
            for (Side[] way : new Side[][] {{client, server}, {server, client}}) {
                List<LinkMessage> sent = List.copyOf(way[0].sent);
                way[0].sent.clear();
                for (LinkMessage message : sent) {
                    way[1].happens(new Event.Arrived(LinkEncoding.decode(edit.apply(LinkEncoding.encode(message)))));
                }
            }
        }
    }

    @Test
    void twoMembersAdmitEachOtherAsWhomTlsProved() throws MalformedMessageException {
        Endpoint alice = endpoint(ALICE);
        Endpoint bob = endpoint(BOB);
        Side client = side(true, alice, keys, "chacha20", "only-alice");
        Side server = side(false, bob, keys, "only-bob", "chacha20");
        run(client, ALICE, server, BOB, frame -> frame);
        assertEquals(List.of(new Effect.Admit(new RemoteNode(bob, 52_416, 4711, AES, true, 7), keys)), client.ends);
        assertEquals(List.of(new Effect.Admit(new RemoteNode(alice, 52_416, 4711, AES, false, 7), keys)), server.ends);
    }

    @Test
    void bothEndsKnowWhichSilentLinkAConnectionReplaces() throws MalformedMessageException {
        for (boolean own : new boolean[] {true, false}) {
            var silent = new LinkName(own, 4);
            var machine = side(true, endpoint(ALICE), keys).machine;
            var client = new Side(machine, State.client(7, true, Optional.of(silent), 0));
            Side server = side(false, endpoint(BOB), keys);
            run(client, ALICE, server, BOB, frame -> frame);
            assertEquals(Optional.of(silent), node(client).replaces());
            assertEquals(Optional.of(new LinkName(!own, 4)), node(server).replaces());
        }
    }

    private static RemoteNode node(Side side) {
        return assertInstanceOf(Effect.Admit.class, side.ends.getFirst()).node();
    }

    @Test
    void anotherConnectionsExporterProvesNothing() throws MalformedMessageException {
        Side client = side(true, endpoint(ALICE), keys);
        Side server = side(false, endpoint(BOB), keys);
        byte[] other = new byte[32];
        other[31] = 1;
        run(client, ALICE, EXPORTER, server, BOB, Bytes.of(other), frame -> frame);
        assertEquals(LinkRejection.NAMESPACE, client.refusal());
        assertEquals(LinkRejection.NAMESPACE, server.refusal());
    }

    @Test
    void anotherIdentityThanTheProvenOneProvesNothing() throws MalformedMessageException {
        Side client = side(true, endpoint(ALICE), keys);
        Side server = side(false, endpoint(BOB), keys);
        PeerId middle = NodeIdentity.generate().peer();
        run(client, middle, server, middle, frame -> frame);
        assertEquals(LinkRejection.NAMESPACE, client.refusal());
        assertEquals(LinkRejection.NAMESPACE, server.refusal());
    }

    @Test
    void everyBitOfBothHellosIsUnderTheProofs() throws MalformedMessageException {
        for (int kind = 1; kind <= 2; kind++) {
            int bits = bitsOf(kind);
            for (int bit = 0; bit < bits; bit++) {
                int target = bit;
                int victim = kind;
                Side client = side(true, endpoint(ALICE), keys, "chacha20");
                Side server = side(false, endpoint(BOB), keys, "chacha20");
                try {
                    run(client, ALICE, server, BOB, frame -> frame.kind() == victim ? flip(frame, target) : frame);
                } catch (MalformedMessageException alsoRefused) {
                    continue;
                }
                assertInstanceOf(Effect.Refuse.class, client.ends.getFirst(), "kind " + kind + " bit " + bit);
                assertInstanceOf(Effect.Refuse.class, server.ends.getFirst(), "kind " + kind + " bit " + bit);
            }
        }
    }

    private int bitsOf(int kind) throws MalformedMessageException {
        var sizes = new int[3];
        run(
                side(true, endpoint(ALICE), keys, "chacha20"),
                ALICE,
                side(false, endpoint(BOB), keys, "chacha20"),
                BOB,
                frame -> {
                    if (frame.kind() <= 2) {
                        sizes[frame.kind()] = frame.bytes().length * 8;
                    }
                    return frame;
                });
        return sizes[kind];
    }

    private static Frame flip(Frame frame, int bit) {
        byte[] bytes = frame.bytes().clone();
        bytes[bit / 8] ^= (byte) (1 << (bit % 8));
        return new Frame(frame.kind(), bytes);
    }

    @Test
    void aFeatureStrippedFromEitherHelloIsNoticed() throws MalformedMessageException {
        Side client = side(true, endpoint(ALICE), keys, "chacha20");
        Side server = side(false, endpoint(BOB), keys, "chacha20");
        run(client, ALICE, server, BOB, frame -> frame.kind() == 1 ? withoutFeatures(frame) : frame);
        assertEquals(LinkRejection.NAMESPACE, client.refusal());
    }

    private static Frame withoutFeatures(Frame frame) {
        try {
            var hello = ((LinkMessage.ClientHello) LinkEncoding.decode(frame)).hello();
            var poorer = new Hello(
                    hello.versions(),
                    List.of(),
                    hello.purpose(),
                    hello.slot(),
                    hello.incarnation(),
                    hello.bootId(),
                    hello.systemBoot(),
                    hello.keyId(),
                    hello.linkPort(),
                    hello.dataPort(),
                    hello.dial(),
                    hello.chosen(),
                    Optional.empty());
            return LinkEncoding.encode(new LinkMessage.ClientHello(poorer, LinkEncoding.encode(poorer)));
        } catch (MalformedMessageException impossible) {
            throw new AssertionError(impossible);
        }
    }

    private static Side side(boolean client, PeerId self, KeyRing ring) {
        var machine = new HandshakeMachine(Purpose.MEMBER, endpoint(self), ring, 52_416, 4711, List.of(), LIMIT);
        return new Side(machine, client ? State.client(7, false, Optional.empty(), 0) : State.server(0));
    }

    private static Common admitted(Side side) {
        return node(side).common();
    }

    @Test
    void aMachineThatWasAwayProvesTheFormerSecretWhicheverSideDials() throws MalformedMessageException {
        NetworkNamespace first = NetworkNamespace.create("home");
        NetworkNamespace second = first.successor();
        for (boolean sleeperDials : new boolean[] {true, false}) {
            KeyRing old = KeyRing.borrowed(first.keys());
            KeyRing renewed = KeyRing.of(second.keys(), Optional.of(first.keys()));
            Side client = side(true, ALICE, sleeperDials ? old : renewed);
            Side server = side(false, BOB, sleeperDials ? renewed : old);
            run(client, ALICE, server, BOB, frame -> frame);
            assertEquals(Common.PEER_IS_AHEAD, admitted(sleeperDials ? client : server));
            assertEquals(Common.PEER_IS_BEHIND, admitted(sleeperDials ? server : client));
        }
    }

    @Test
    void twoWithDifferentNewSecretsMeetByTheFormerOne() throws MalformedMessageException {
        NetworkNamespace first = NetworkNamespace.create("home");
        Side client = side(true, ALICE, KeyRing.of(first.successor().keys(), Optional.of(first.keys())));
        Side server = side(false, BOB, KeyRing.of(first.successor().keys(), Optional.of(first.keys())));
        run(client, ALICE, server, BOB, frame -> frame);
        assertEquals(Common.DIVERGED, admitted(server));
        assertTrue(admitted(client).isFormerHere());
    }

    @Test
    void whoMissedTwoSecretsProvesNothing() throws MalformedMessageException {
        NetworkNamespace first = NetworkNamespace.create("home");
        NetworkNamespace second = first.successor();
        Side client = side(true, ALICE, KeyRing.borrowed(first.keys()));
        Side server = side(false, BOB, KeyRing.of(second.successor().keys(), Optional.of(second.keys())));
        run(client, ALICE, server, BOB, frame -> frame);
        assertEquals(LinkRejection.NAMESPACE, server.refusal());
    }

    @Test
    void aKeyRingThatChangesServesWhatBeganBeforeByTheKeysOfThatTime() throws MalformedMessageException {
        NetworkNamespace first = NetworkNamespace.create("home");
        NetworkNamespace second = first.successor();
        KeyRing changing = KeyRing.of(first.keys(), Optional.empty());
        Side client = side(true, ALICE, KeyRing.borrowed(first.keys()));
        Side server = side(false, BOB, changing);
        run(client, ALICE, server, BOB, frame -> {
            changing.use(second.keys(), Optional.of(first.keys()));
            return frame;
        });
        assertTrue(Set.of(Common.CURRENT, Common.PEER_IS_BEHIND).contains(admitted(server)));
    }

    @Test
    void aForeignNamespaceIsRefusedByItsKeyId() throws MalformedMessageException {
        Side client = side(true, endpoint(ALICE), keys);
        Side server = side(false, endpoint(BOB), NetworkNamespace.create("home").keys());
        run(client, ALICE, server, BOB, frame -> frame);
        assertEquals(LinkRejection.NAMESPACE, server.refusal());
        assertEquals(
                new Effect.Refuse(LinkRejection.NAMESPACE, ((Effect.Refuse) server.ends.getFirst()).why(), true),
                client.ends.getFirst());
    }

    @Test
    void aNodeThatMeetsItselfOrItsDoubleSaysSo() throws MalformedMessageException {
        Endpoint alice = endpoint(ALICE);
        Side client = side(true, alice, keys);
        Side server = side(false, alice, keys);
        run(client, ALICE, server, ALICE, frame -> frame);
        assertEquals(LinkRejection.REFLECTION, server.refusal());

        Side twin = side(true, endpoint(ALICE), keys);
        Side other = side(false, alice, keys);
        run(twin, ALICE, other, ALICE, frame -> frame);
        assertEquals(LinkRejection.SAME_NODE, other.refusal());
    }

    @Test
    void twoComputersOfOneIdentityTellEachOtherWhenTheyMeet() throws MalformedMessageException {
        Bytes here = TestNode.bootId();
        Bytes there = TestNode.bootId();
        for (String slot : List.of("agent", "trainer-0")) {
            Endpoint original = endpoint(ALICE, "agent", here);
            Endpoint copy = endpoint(ALICE, slot, there);
            Side client = side(true, copy, keys);
            Side server = side(false, original, keys);
            run(client, ALICE, server, ALICE, frame -> frame);
            assertEquals(LinkRejection.DOUBLED, server.refusal());
            assertEquals(LinkRejection.DOUBLED, client.refusal());
            var atServer = server.told.getFirst();
            assertEquals(Appearance.of(copy, ""), atServer.found().other());
            assertEquals(original.id(), atServer.by());
            var atClient = client.told.getFirst();
            assertEquals(
                    new DoubledIdentity(ALICE, Appearance.of(copy, ""), Appearance.of(original, "")), atClient.found());
        }
    }

    @Test
    void processesOfOneComputerAndUnknownOnesMeetAsEver() throws MalformedMessageException {
        Bytes boot = TestNode.bootId();
        var unknown = new Endpoint(new NodeId(ALICE, "trainer-0"), 3, TestNode.bootId());
        for (Endpoint trainer : List.of(endpoint(ALICE, "trainer-0", boot), unknown)) {
            Side client = side(true, trainer, keys);
            Side server = side(false, endpoint(ALICE, "agent", boot), keys);
            run(client, ALICE, server, ALICE, frame -> frame);
            assertInstanceOf(Effect.Admit.class, client.ends.getFirst());
            assertTrue(client.told.isEmpty() && server.told.isEmpty());
        }
        Side client = side(true, endpoint(BOB, "agent", TestNode.bootId()), keys);
        Side server = side(false, endpoint(ALICE, "agent", boot), keys);
        run(client, BOB, server, ALICE, frame -> frame);
        assertInstanceOf(Effect.Admit.class, client.ends.getFirst(), "another machine, of course booted elsewhere");
    }

    @Test
    void aRefusedNodeIsToldOfItsDouble() throws MalformedMessageException {
        Endpoint alice = endpoint(ALICE, "agent", TestNode.bootId());
        var found = new DoubledIdentity(
                ALICE,
                Appearance.of(alice, "10.0.0.1"),
                Appearance.of(endpoint(ALICE, "agent", TestNode.bootId()), "10.0.0.2"));
        Side client = side(true, alice, keys);
        client.happens(new Event.Secured(BOB, EXPORTER));
        Side server = side(false, endpoint(BOB), keys);
        server.happens(new Event.Secured(ALICE, EXPORTER));
        server.happens(new Event.Arrived(client.sent.removeFirst()));
        client.happens(new Event.Arrived(server.sent.removeFirst()));
        Step<State, Effect> denied = server.machine.step(
                new State(
                        false,
                        0,
                        false,
                        Optional.empty(),
                        0,
                        new HandshakeMachine.Phase.Deciding(new RemoteNode(alice, 1, 1, AES, false, 1), keys)),
                new Event.Denied(LinkRejection.DOUBLED, "told", Optional.of(found)),
                0);
        for (Effect effect : denied.effects()) {
            if (effect instanceof Effect.Send(var message)) {
                client.happens(new Event.Arrived(message));
            }
        }
        assertEquals(List.of(new Effect.OwnDoubled(found, new NodeId(BOB, "agent"))), client.told);
        assertEquals(LinkRejection.DOUBLED, client.refusal());
    }

    @Test
    void aStrangersWordOnTheIdentityCountsForNothing() {
        Endpoint alice = endpoint(ALICE, "agent", TestNode.bootId());
        var lie = new LinkMessage.Duplicate(new DoubledIdentity(
                ALICE, Appearance.of(alice, ""), Appearance.of(endpoint(ALICE, "agent", TestNode.bootId()), "")));
        Side client = side(true, alice, keys);
        client.happens(new Event.Secured(BOB, EXPORTER));
        client.happens(new Event.Arrived(lie));
        assertEquals(List.of(), client.told);
        assertEquals(LinkRejection.MALFORMED, client.refusal());
        Side server = side(false, alice, keys);
        server.happens(new Event.Secured(BOB, EXPORTER));
        server.happens(new Event.Arrived(lie));
        assertEquals(List.of(), server.told);
        assertEquals(LinkRejection.MALFORMED, server.refusal());
    }

    @Test
    void onlyVersionsAndPurposesThatAreServedGoOn() {
        assertEquals(LinkRejection.VERSION, afterHello(List.of(1, 3), Purpose.MEMBER));
        assertEquals(LinkRejection.PURPOSE, afterHello(HandshakeMachine.VERSIONS, Purpose.PAIR));
        assertEquals(LinkRejection.PURPOSE, afterHello(HandshakeMachine.VERSIONS, Purpose.REKEY));
        assertEquals(LinkRejection.PURPOSE, afterHello(HandshakeMachine.VERSIONS, Purpose.UNKNOWN));
    }

    private LinkRejection afterHello(List<Integer> versions, Purpose purpose) {
        Side server = side(false, endpoint(BOB), keys);
        server.happens(new Event.Secured(ALICE, EXPORTER));
        var hello = new Hello(
                versions,
                List.of(),
                purpose,
                "agent",
                1,
                TestNode.bootId(),
                Optional.empty(),
                Bytes.of(keys.id()),
                1,
                1,
                1,
                0,
                Optional.empty());
        server.happens(new Event.Arrived(new LinkMessage.ClientHello(hello, LinkEncoding.encode(hello))));
        return server.refusal();
    }

    @Test
    void aMessageOutOfPlaceEndsTheHandshakeWhereverItComes() throws MalformedMessageException {
        List<LinkMessage> wrong = List.of(
                new LinkMessage.Admitted(),
                new LinkMessage.Proof(Bytes.of(new byte[32])),
                new LinkMessage.Probe(),
                new LinkMessage.Close(CloseCause.REQUESTED, ""));
        for (LinkMessage message : wrong) {
            Side waiting = side(false, endpoint(BOB), keys);
            waiting.happens(new Event.Secured(ALICE, EXPORTER));
            waiting.happens(new Event.Arrived(message));
            assertEquals(LinkRejection.MALFORMED, waiting.refusal());

            Side early = side(false, endpoint(BOB), keys);
            early.happens(new Event.Arrived(message));
            assertEquals(LinkRejection.MALFORMED, early.refusal());
            assertEquals(List.of(), early.sent, "nothing may be said before TLS is up");

            Side client = side(true, endpoint(ALICE), keys);
            client.happens(new Event.Secured(BOB, EXPORTER));
            client.happens(new Event.Arrived(message));
            assertEquals(LinkRejection.MALFORMED, client.refusal());
        }
    }

    @Test
    void theServersOwnProofSentBackIsNotTheClients() {
        Side server = side(false, endpoint(BOB), keys);
        Side client = side(true, endpoint(ALICE), keys);
        server.happens(new Event.Secured(ALICE, EXPORTER));
        client.happens(new Event.Secured(BOB, EXPORTER));
        server.happens(new Event.Arrived(client.sent.getFirst()));
        var answer = assertInstanceOf(LinkMessage.ServerHello.class, server.sent.getFirst());
        server.happens(new Event.Arrived(new LinkMessage.Proof(answer.proof())));
        assertEquals(LinkRejection.NAMESPACE, server.refusal());
    }

    @Test
    void timeIsUpInEveryPhase() {
        Side server = side(false, endpoint(BOB), keys);
        assertEquals(LIMIT, server.machine.sleepNanos(server.state, 0));
        assertTrue(server.machine
                .step(server.state, new Event.Tick(), LIMIT - 1)
                .effects()
                .isEmpty());
        var late = server.machine.step(server.state, new Event.Tick(), LIMIT).effects();
        assertEquals(1, late.size()); // TLS is not established, so no reason can be sent
        assertEquals(LinkRejection.TOO_LATE, ((Effect.Refuse) late.getFirst()).refusal());

        Side client = side(true, endpoint(ALICE), keys);
        client.happens(new Event.Secured(BOB, EXPORTER));
        var told = client.machine.step(client.state, new Event.Tick(), LIMIT).effects();
        assertEquals(LinkRejection.TOO_LATE, ((Effect.Refuse) told.getLast()).refusal());
        assertInstanceOf(Effect.Send.class, told.getFirst());
    }

    @Test
    void theOwnersNoIsToldAndNothingMovesAfterTheEnd() throws MalformedMessageException {
        Side server = side(false, endpoint(BOB), keys);
        Step<State, Effect> denied = server.machine.step(
                new State(
                        false,
                        0,
                        false,
                        Optional.empty(),
                        0,
                        new HandshakeMachine.Phase.Deciding(
                                new RemoteNode(endpoint(ALICE), 1, 1, AES, false, 1), keys)),
                new Event.Denied(LinkRejection.BLOCKED, "not today"),
                0);
        assertEquals(
                List.of(
                        new Effect.Send(new LinkMessage.Refused(LinkRejection.BLOCKED, "not today")),
                        new Effect.Refuse(LinkRejection.BLOCKED, "not today", false)),
                denied.effects());
        for (Event event : List.of(new Event.Tick(), new Event.Allowed(), new Event.Secured(ALICE, EXPORTER))) {
            assertEquals(Step.quiet(denied.state()), server.machine.step(denied.state(), event, 2 * LIMIT));
        }
        assertEquals(Long.MAX_VALUE, server.machine.sleepNanos(denied.state(), 0));
    }
}
