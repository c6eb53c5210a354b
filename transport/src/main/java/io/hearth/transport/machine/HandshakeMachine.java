package io.hearth.transport.machine;

import io.hearth.core.Bytes;
import io.hearth.core.Machine;
import io.hearth.core.Step;
import io.hearth.identity.MembershipProof;
import io.hearth.identity.NamespaceKeys;
import io.hearth.identity.NodeId;
import io.hearth.identity.PeerId;
import io.hearth.identity.roster.Common;
import io.hearth.transport.Appearance;
import io.hearth.transport.DoubledIdentity;
import io.hearth.transport.Endpoint;
import io.hearth.transport.KeyRing;
import io.hearth.transport.LinkRejection;
import io.hearth.transport.Purpose;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The handshake that turns a TCP connection into a link between two members, for either side.
 *
 * <pre>
 * client                                                         server
 * Securing      TLS 1.3, a certificate from each side            Securing
 * AwaitServer   hello ---------------------------------------&gt;   AwaitClient
 *               &lt;---------------------------- hello and proof    AwaitProof
 * AwaitAdmitted proof ---------------------------------------&gt;   Deciding
 *               &lt;----------------------------------- admitted    Ended (admitted)
 * Deciding
 * Ended (admitted)
 * </pre>
 *
 * <p>Any other message, a wrong proof or the end of the time limit ends the connection with a {@link LinkRejection}. Each side asks its
 * owner ({@link Effect.Ask}) only after it verified the other's proof. The client asks last, because in TLS 1.3 its handshake succeeds
 * before the server has checked its certificate.
 *
 * <p>TLS proves the identity of the other side. Slot and incarnation are claims of that identity.
 */
public final class HandshakeMachine
        implements Machine<HandshakeMachine.State, HandshakeMachine.Event, HandshakeMachine.Effect> {
    /** The protocol versions that this code speaks. */
    public static final List<Integer> VERSIONS = List.of(2);

    /** The message for both computers with one identity. */
    public static final String DOUBLED =
            "another computer uses the same identity: run 'hearth identity reset' on one of the two,"
                    + " then start Hearth again on both";

    private final Purpose purpose;
    private final Endpoint self;
    private final KeyRing ring;
    private final int linkPort;
    private final int dataPort;
    private final List<String> features;
    private final long limitNanos;

    /**
     * @param purpose purpose of the connections, whichever side dials
     * @param self this start of this node
     * @param ring keys of the namespace; borrowed for the machine's life
     * @param linkPort port at which this node can be dialled
     * @param dataPort port at which this node accepts data streams; 0 if it accepts none
     * @param features that this node has
     * @param limitNanos from the start to the end of a handshake, TLS included
     */
    public HandshakeMachine(
            Purpose purpose,
            Endpoint self,
            KeyRing ring,
            int linkPort,
            int dataPort,
            List<String> features,
            long limitNanos) {
        this.purpose = purpose;
        this.self = self;
        this.ring = ring;
        this.linkPort = linkPort;
        this.dataPort = dataPort;
        this.features = List.copyOf(features);
        this.limitNanos = limitNanos;
    }

    public sealed interface Event {
        /** TLS is established; {@code exporter} is the connection's exporter, 32 bytes. */
        record Secured(PeerId remote, Bytes exporter) implements Event {}

        record Arrived(LinkMessage message) implements Event {}

        /** The peer broke the rules of a lower layer. It can still get the reason if TLS is established. */
        record Broken(LinkRejection refusal, String why) implements Event {}

        /** The connection is gone, or TLS failed. */
        record Lost(LinkRejection refusal, String why) implements Event {}

        /** The owner admits the node that it was asked about. */
        record Allowed() implements Event {}

        /** The owner rejects the node. If another computer uses its identity, {@code doubled} is sent first. */
        record Denied(LinkRejection refusal, String why, Optional<DoubledIdentity> doubled) implements Event {
            public Denied(LinkRejection refusal, String why) {
                this(refusal, why, Optional.empty());
            }
        }

        record Tick() implements Event {}
    }

    public sealed interface Effect {
        record Send(LinkMessage message) implements Effect {}

        /** The owner answers with {@link Event.Allowed} or {@link Event.Denied}. */
        record Ask(RemoteNode node) implements Effect {}

        /** The connection is now a link, or a channel for re-keying; {@code keys} are those that both sides proved. */
        record Admit(RemoteNode node, NamespaceKeys keys) implements Effect {}

        /**
         * No secret in common: the owner answers with {@link Event.Denied} if it knows the machine, else with {@link Event.Allowed}.
         */
        record Unknown(PeerId remote) implements Effect {}

        /** Node {@code by} reports that another computer uses this node's identity; it proved the secret or has that identity itself. */
        record OwnDoubled(DoubledIdentity found, NodeId by) implements Effect {}

        /** Close the connection after everything queued was sent. */
        record Refuse(LinkRejection refusal, String why, boolean byPeer) implements Effect {}
    }

    /** The facts that TLS proved. */
    record Secure(PeerId remote, Bytes exporter) {}

    sealed interface Phase {
        record Securing() implements Phase {}

        record AwaitClient(Secure secure) implements Phase {}

        record AwaitServer(Secure secure, Bytes clientHello, KeyRing.Keys keys) implements Phase {}

        record AwaitProof(RemoteNode node, Bytes transcript, NamespaceKeys keys) implements Phase {}

        record AwaitAdmitted(RemoteNode node, NamespaceKeys keys) implements Phase {}

        record Deciding(RemoteNode node, NamespaceKeys keys) implements Phase {}

        /** No secret in common; the owner chooses the message. */
        record Strange(String why) implements Phase {}

        record Ended() implements Phase {}
    }

    /**
     * The progress of a handshake.
     *
     * @param dialed whether this side dialled
     * @param dial this process's counter of dials if it dialled, else 0
     * @param relayed whether this side dialled through a relay
     * @param replaces the silent link that this side wants to replace; empty on the server's side
     */
    public record State(
            boolean dialed, long dial, boolean relayed, Optional<LinkName> replaces, long startedNanos, Phase phase) {
        public static State client(long dial, boolean relayed, Optional<LinkName> replaces, long nowNanos) {
            return new State(true, dial, relayed, replaces, nowNanos, new Phase.Securing());
        }

        public static State server(long nowNanos) {
            return new State(false, 0, false, Optional.empty(), nowNanos, new Phase.Securing());
        }

        private State at(Phase next) {
            return new State(dialed, dial, relayed, replaces, startedNanos, next);
        }
    }

    @Override
    public Step<State, Effect> step(State state, Event event, long nowNanos) {
        if (state.phase() instanceof Phase.Ended) {
            return Step.quiet(state);
        }
        return switch (event) {
            case Event.Secured secured -> onSecured(state, secured);
            case Event.Arrived arrived -> onMessage(state, arrived.message());
            case Event.Broken broken -> refuse(state, broken.refusal(), broken.why());
            case Event.Lost lost -> end(state, List.of(new Effect.Refuse(lost.refusal(), lost.why(), false)));
            case Event.Allowed() -> onAllowed(state);
            case Event.Denied denied -> deny(state, denied);
            case Event.Tick() ->
                nowNanos - state.startedNanos() < limitNanos
                        ? Step.quiet(state)
                        : refuse(
                                state,
                                LinkRejection.TOO_LATE,
                                "no admission within " + limitNanos / 1_000_000 + " ms, stopped in "
                                        + state.phase().getClass().getSimpleName());
        };
    }

    @Override
    public long sleepNanos(State state, long nowNanos) {
        return state.phase() instanceof Phase.Ended
                ? Long.MAX_VALUE
                : Math.max(0, limitNanos - (nowNanos - state.startedNanos()));
    }

    private Step<State, Effect> onSecured(State state, Event.Secured secured) {
        if (!(state.phase() instanceof Phase.Securing)) {
            return refuse(state, LinkRejection.MALFORMED, "TLS came up twice");
        }
        var secure = new Secure(secured.remote(), secured.exporter());
        if (!state.dialed()) {
            return Step.quiet(state.at(new Phase.AwaitClient(secure)));
        }
        KeyRing.Keys keys = ring.keys();
        List<String> said = state.relayed() ? Feature.relayed(features) : features;
        Hello hello = ownHello(purpose, said, keys, keys.current(), state.dial(), 0, state.replaces());
        Bytes encoded = LinkEncoding.encode(hello);
        return new Step<>(
                state.at(new Phase.AwaitServer(secure, encoded, keys)),
                List.of(new Effect.Send(new LinkMessage.ClientHello(hello, encoded))));
    }

    private Step<State, Effect> onMessage(State state, LinkMessage message) {
        if (message instanceof LinkMessage.Refused(var refusal, var text)) {
            return end(state, List.of(new Effect.Refuse(refusal, text, true)));
        }
        if (message instanceof LinkMessage.Duplicate(var found)) {
            Optional<NodeId> by = believed(state);
            return by.isPresent()
                    ? new Step<>(state, List.of(new Effect.OwnDoubled(found, by.get())))
                    : refuse(state, LinkRejection.MALFORMED, "Duplicate does not belong before the proof");
        }
        return switch (state.phase()) {
            case Phase.AwaitClient(var secure)
            when message instanceof LinkMessage.ClientHello(var hello, var encoded) ->
                onClientHello(state, secure, hello, encoded);
            case Phase.AwaitServer waiting
            when message instanceof LinkMessage.ServerHello answer -> onServerHello(state, waiting, answer);
            case Phase.AwaitProof waiting
            when message instanceof LinkMessage.Proof(var proof) -> onProof(state, waiting, proof);
            case Phase.AwaitAdmitted(var node, var keys)
            when message instanceof LinkMessage.Admitted -> ask(state, node, keys);
            case Phase phase ->
                refuse(
                        state,
                        LinkRejection.MALFORMED,
                        message.getClass().getSimpleName() + " does not belong in "
                                + phase.getClass().getSimpleName());
        };
    }

    /** The peer, if its report about this node's identity counts: it proved the secret or has this identity. */
    private Optional<NodeId> believed(State state) {
        return switch (state.phase()) {
            case Phase.AwaitAdmitted(var node, var _) ->
                Optional.of(node.endpoint().id());
            case Phase.AwaitServer(var secure, var _, var _)
            when secure.remote().equals(self.id().peer()) -> Optional.of(self.id());
            case Phase _ -> Optional.empty();
        };
    }

    private Step<State, Effect> onClientHello(State state, Secure secure, Hello hello, Bytes encoded) {
        var common = new ArrayList<>(hello.versions());
        common.retainAll(VERSIONS);
        if (common.isEmpty()) {
            return refuse(
                    state,
                    LinkRejection.VERSION,
                    "no protocol version in common: this node speaks " + VERSIONS + ", the peer " + hello.versions()
                            + "; update the older of the two");
        }
        KeyRing.Keys keys = ring.keys();
        Common secret = Common.of(keys.id(), keys.formerId(), hello.keyId(), hello.formerKeyId());
        var refusal = judge(state, secure, hello, keys, secret);
        if (refusal != null) {
            return refusal;
        }
        NamespaceKeys shared = keys.shared(secret).orElseThrow();
        Hello own = ownHello(
                secret == Common.CURRENT ? purpose : Purpose.REKEY,
                features,
                keys,
                shared,
                0,
                Collections.max(common),
                Optional.empty());
        Bytes ownEncoded = LinkEncoding.encode(own);
        Bytes transcript = MembershipProof.transcript(
                secure.exporter().toArray(),
                secure.remote(),
                self.id().peer(),
                encoded.toArray(),
                ownEncoded.toArray());
        Bytes proof = Bytes.of(MembershipProof.ofServer(shared, transcript));
        return new Step<>(
                state.at(new Phase.AwaitProof(node(state, secure, hello, secret), transcript, shared)),
                List.of(new Effect.Send(new LinkMessage.ServerHello(own, ownEncoded, proof))));
    }

    private Step<State, Effect> onServerHello(State state, Phase.AwaitServer waiting, LinkMessage.ServerHello answer) {
        Hello hello = answer.hello();
        if (!VERSIONS.contains(hello.chosen())) {
            return refuse(
                    state,
                    LinkRejection.VERSION,
                    "no protocol version in common: this node speaks " + VERSIONS + ", the peer chose " + hello.chosen()
                            + "; update the older of the two");
        }
        Secure secure = waiting.secure();
        Common secret = proven(waiting.keys(), hello);
        var refusal = judge(state, secure, hello, waiting.keys(), secret);
        if (refusal != null) {
            return refusal;
        }
        if (hello.purpose() != (secret == Common.CURRENT ? purpose : Purpose.REKEY)) {
            return refuse(state, LinkRejection.PURPOSE, "the peer answers for " + hello.purpose());
        }
        NamespaceKeys shared = waiting.keys().shared(secret).orElseThrow();
        Bytes transcript = MembershipProof.transcript(
                secure.exporter().toArray(),
                self.id().peer(),
                secure.remote(),
                waiting.clientHello().toArray(),
                answer.encoded().toArray());
        if (!MembershipProof.matches(
                MembershipProof.ofServer(shared, transcript), answer.proof().toArray())) {
            return refuse(state, LinkRejection.NAMESPACE, "the peer did not prove this namespace's secret");
        }
        Bytes proof = Bytes.of(MembershipProof.ofClient(shared, transcript));
        return new Step<>(
                state.at(new Phase.AwaitAdmitted(node(state, secure, hello, secret), shared)),
                List.of(new Effect.Send(new LinkMessage.Proof(proof))));
    }

    private Step<State, Effect> onProof(State state, Phase.AwaitProof waiting, Bytes proof) {
        return MembershipProof.matches(MembershipProof.ofClient(waiting.keys(), waiting.transcript()), proof.toArray())
                ? ask(state, waiting.node(), waiting.keys())
                : refuse(state, LinkRejection.NAMESPACE, "the peer did not prove this namespace's secret");
    }

    /** The secret that a server's hello refers to by its one key id, and how this node can prove it. */
    private static Common proven(KeyRing.Keys keys, Hello hello) {
        boolean isCurrent = hello.keyId().equals(keys.id());
        if (hello.purpose() != Purpose.REKEY) {
            return isCurrent ? Common.CURRENT : Common.NONE;
        }
        boolean isFormer = keys.formerId().equals(Optional.of(hello.keyId()));
        return isCurrent ? Common.PEER_IS_AHEAD : isFormer ? Common.PEER_IS_BEHIND : Common.NONE;
    }

    private static Step<State, Effect> ask(State state, RemoteNode node, NamespaceKeys keys) {
        return new Step<>(state.at(new Phase.Deciding(node, keys)), List.of(new Effect.Ask(node)));
    }

    private static Step<State, Effect> onAllowed(State state) {
        if (state.phase() instanceof Phase.Strange(var why)) {
            return refuse(state, LinkRejection.NAMESPACE, why);
        }
        if (!(state.phase() instanceof Phase.Deciding(var node, var keys))) {
            throw new IllegalStateException("an answer about admission without a question, in " + state.phase());
        }
        var admit = new Effect.Admit(node, keys);
        return end(
                state, state.dialed() ? List.of(admit) : List.of(new Effect.Send(new LinkMessage.Admitted()), admit));
    }

    /** The checks of the other side's hello that both sides make: a rejection, or null if the hello passes. */
    private @Nullable Step<State, Effect> judge(
            State state, Secure secure, Hello hello, KeyRing.Keys keys, Common secret) {
        var id = new NodeId(secure.remote(), hello.slot());
        if (secure.remote().equals(self.id().peer()) && hello.bootId().equals(self.bootId())) {
            return refuse(state, LinkRejection.REFLECTION, "this node met itself");
        }
        boolean isReKeying = purpose == Purpose.MEMBER && state.dialed() && hello.purpose() == Purpose.REKEY;
        if (hello.purpose() != purpose && !isReKeying) {
            return refuse(state, LinkRejection.PURPOSE, purpose.refusal() + ", the peer came to " + hello.purpose());
        }
        if (secret == Common.NONE) {
            String why = "another namespace or secret: the key ids " + keys.id().hex() + " and "
                    + hello.keyId().hex() + " differ";
            return new Step<>(state.at(new Phase.Strange(why)), List.of(new Effect.Unknown(secure.remote())));
        }
        var met = new Endpoint(id, hello.incarnation(), hello.bootId(), hello.systemBoot());
        if (id.peer().equals(self.id().peer()) && self.isElsewhere(met.systemBoot())) {
            return meetDouble(state, met);
        }
        if (id.equals(self.id())) {
            return refuse(
                    state,
                    LinkRejection.SAME_NODE,
                    "another process of this machine runs as " + id.slot() + "; stop one");
        }
        return null;
    }

    /** Handles a peer that holds this machine's key and runs now on another computer, as TLS proved: no more evidence is needed. */
    private Step<State, Effect> meetDouble(State state, Endpoint met) {
        var own = Appearance.of(self, "");
        var other = Appearance.of(met, "");
        var refuse = new Effect.Refuse(LinkRejection.DOUBLED, DOUBLED, false);
        return end(
                state,
                List.of(
                        new Effect.Send(new LinkMessage.Duplicate(
                                new DoubledIdentity(self.id().peer(), other, own))),
                        new Effect.Send(new LinkMessage.Refused(LinkRejection.DOUBLED, DOUBLED)),
                        new Effect.OwnDoubled(new DoubledIdentity(self.id().peer(), own, other), self.id()),
                        refuse));
    }

    private static Step<State, Effect> deny(State state, Event.Denied denied) {
        Step<State, Effect> refused = refuse(state, denied.refusal(), denied.why());
        if (denied.doubled().isEmpty()) {
            return refused;
        }
        var effects = new ArrayList<Effect>();
        effects.add(new Effect.Send(new LinkMessage.Duplicate(denied.doubled().get())));
        effects.addAll(refused.effects());
        return new Step<>(refused.state(), effects);
    }

    private Hello ownHello(
            Purpose why,
            List<String> said,
            KeyRing.Keys keys,
            NamespaceKeys proven,
            long dial,
            int chosen,
            Optional<LinkName> replaces) {
        return new Hello(
                VERSIONS,
                said,
                why,
                self.id().slot(),
                self.incarnation(),
                self.bootId(),
                self.systemBoot(),
                Bytes.of(proven.id()),
                linkPort,
                dataPort,
                dial,
                chosen,
                keys.formerId(),
                replaces);
    }

    private RemoteNode node(State state, Secure secure, Hello hello, Common secret) {
        return new RemoteNode(
                new Endpoint(
                        new NodeId(secure.remote(), hello.slot()),
                        hello.incarnation(),
                        hello.bootId(),
                        hello.systemBoot()),
                hello.linkPort(),
                hello.dataPort(),
                Feature.suite(features, hello.features()),
                state.dialed(),
                state.dialed() ? state.dial() : hello.dial(),
                state.dialed() ? state.relayed() : hello.features().contains(Feature.RELAYED),
                secret,
                state.dialed() ? state.replaces() : hello.replaces().map(LinkName::seenFromThere));
    }

    /** Ends the handshake, and sends the reason to the other side if TLS is established. */
    private static Step<State, Effect> refuse(State state, LinkRejection refusal, String why) {
        var refuse = new Effect.Refuse(refusal, why, false);
        return end(
                state,
                state.phase() instanceof Phase.Securing
                        ? List.of(refuse)
                        : List.of(new Effect.Send(new LinkMessage.Refused(refusal, why)), refuse));
    }

    private static Step<State, Effect> end(State state, List<Effect> effects) {
        return new Step<>(state.at(new Phase.Ended()), effects);
    }
}
