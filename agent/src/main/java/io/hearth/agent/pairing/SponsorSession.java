package io.hearth.agent.pairing;

import io.hearth.agent.HearthConfig;
import io.hearth.agent.ListenOptions;
import io.hearth.core.Bytes;
import io.hearth.core.Clock;
import io.hearth.core.SetupException;
import io.hearth.discovery.SocketAddresses;
import io.hearth.discovery.mdns.MdnsOptions;
import io.hearth.discovery.mdns.MdnsSource;
import io.hearth.discovery.mdns.machine.TagEncoding;
import io.hearth.identity.HearthHome;
import io.hearth.identity.NodeId;
import io.hearth.identity.SlotLease;
import io.hearth.identity.pairing.JPake;
import io.hearth.identity.pairing.Sponsor;
import io.hearth.identity.pairing.machine.PairingCode;
import io.hearth.identity.pairing.machine.PairingLimits;
import io.hearth.identity.pairing.machine.SponsorMachine;
import io.hearth.identity.pairing.machine.SponsorMachine.Effect;
import io.hearth.identity.pairing.machine.SponsorMachine.Event;
import io.hearth.identity.pairing.machine.SponsorMachine.Outcome;
import io.hearth.identity.pairing.machine.SponsorMachine.State;
import io.hearth.transport.links.PairLinks;
import java.net.InetSocketAddress;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/** The sponsor's side of a pairing: this machine shows a code, and can be found and dialled until the code is used or expires. */
public final class SponsorSession implements AutoCloseable {
    private final Clock clock;
    private final SecureRandom random;
    private final PairingNode node;
    private final Sponsor sponsor;
    private final Turns<State, Event, Effect> turns;
    private final PairLinks links;
    private final MdnsSource mdns;
    private Optional<Outcome> outcome = Optional.empty(); // used by the thread of run() only

    private SponsorSession(
            HearthConfig config,
            PairingNode node,
            PairingCode code,
            Sponsor sponsor,
            PairingLimits limits,
            SecureRandom random,
            Clock clock)
            throws SetupException {
        this.clock = clock;
        this.random = random;
        this.node = node;
        this.sponsor = sponsor;
        turns = new Turns<>(
                new SponsorMachine(node.identity().peer(), node.label(), code, JPake.nist3072(random), limits), clock);
        links = node.links(ListenOptions.sponsor(config), new Events());
        mdns = PairingNode.mdns(
                new TagEncoding(List.of(PairingNode.throwawayKey(random))),
                MdnsOptions.ofPort(links.port())
                        .on(ListenOptions.interfaces(config))
                        .nameplate(code.nameplate()),
                clock);
        mdns.start(_ -> {});
    }

    /**
     * Starts to listen; no machine is paired before {@link #run}.
     *
     * @param config its interfaces, port and label are used
     * @param code shown to a person, who types it on the new machine
     * @throws SetupException if another process of this home already shows a code, or the port is taken; its text says what to do
     */
    public static SponsorSession open(
            HearthConfig config, HearthHome home, PairingCode code, Sponsor sponsor, PairingLimits limits, Clock clock)
            throws SetupException {
        PairingNode node = PairingNode.open(config, home, SlotLease.PAIR, clock);
        try {
            return new SponsorSession(config, node, code, sponsor, limits, new SecureRandom(), clock);
        } catch (SetupException failed) {
            node.close();
            throw failed;
        }
    }

    /** The port at which this machine listens. */
    public int port() {
        return links.port();
    }

    /**
     * Pairs one machine on the caller's thread, within the lifetime of the code.
     *
     * @param failed called for each failed run
     */
    public Outcome run(Consumer<Effect.Failed> failed) throws InterruptedException {
        var _ = JPake.rehearse(random); // while a person types, or mDNS looks
        turns.run(
                State.fresh(clock.nanoTime()),
                new Event.Tick(),
                effect -> carryOut(effect, failed),
                () -> outcome.isPresent());
        return outcome.orElseThrow();
    }

    private void carryOut(Effect effect, Consumer<Effect.Failed> failed) {
        switch (effect) {
            case Effect.Send(var to, var frame) -> links.send(to, frame.toArray());
            case Effect.Close(var to, var why) -> links.close(to, why);
            case Effect.Ask(var joiner, var label) -> turns.answer(ask(joiner, label));
            case Effect.Failed news -> failed.accept(news);
            case Effect.Ended(var end) -> outcome = Optional.of(end);
        }
    }

    private Event ask(NodeId joiner, String label) {
        try {
            byte[] welcome = sponsor.welcome(joiner, label);
            Bytes copy = Bytes.of(welcome);
            Arrays.fill(welcome, (byte) 0);
            return new Event.Ready(copy);
        } catch (SetupException none) {
            return new Event.Unable(String.valueOf(none.getMessage()));
        }
    }

    @Override
    public void close() {
        mdns.close();
        links.close();
        node.close();
    }

    private final class Events implements PairLinks.Observer {
        @Override
        public void met(NodeId peer, Bytes exporter, InetSocketAddress address) {
            turns.offer(new Event.Met(
                    peer,
                    exporter,
                    SocketAddresses.peer(address.getAddress(), address.getPort())
                            .host()));
        }

        @Override
        public void notMet(InetSocketAddress address, String why) {}

        @Override
        public void arrived(NodeId peer, byte[] message) {
            turns.offer(new Event.Arrived(peer, PairingNode.frame(message)));
        }

        @Override
        public void gone(NodeId peer, String why) {
            turns.offer(new Event.Gone(peer));
        }
    }
}
