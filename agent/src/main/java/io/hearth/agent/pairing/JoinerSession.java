package io.hearth.agent.pairing;

import io.hearth.agent.HearthConfig;
import io.hearth.agent.ListenOptions;
import io.hearth.core.Bytes;
import io.hearth.core.Clock;
import io.hearth.core.SetupException;
import io.hearth.discovery.HostPort;
import io.hearth.discovery.PeerName;
import io.hearth.discovery.PeerSource;
import io.hearth.discovery.Sighting;
import io.hearth.discovery.SocketAddresses;
import io.hearth.discovery.mdns.MdnsOptions;
import io.hearth.discovery.mdns.machine.TagEncoding;
import io.hearth.discovery.names.NamedPeers;
import io.hearth.identity.HearthHome;
import io.hearth.identity.NodeId;
import io.hearth.identity.SlotLease;
import io.hearth.identity.pairing.JPake;
import io.hearth.identity.pairing.Newcomer;
import io.hearth.identity.pairing.machine.JoinerMachine;
import io.hearth.identity.pairing.machine.JoinerMachine.Effect;
import io.hearth.identity.pairing.machine.JoinerMachine.Event;
import io.hearth.identity.pairing.machine.JoinerMachine.Outcome;
import io.hearth.identity.pairing.machine.JoinerMachine.State;
import io.hearth.identity.pairing.machine.PairingCode;
import io.hearth.identity.pairing.machine.PairingLimits;
import io.hearth.transport.links.PairLinks;
import java.net.InetSocketAddress;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The joining side of a pairing: this machine has a code, searches the machine that shows it, and joins its namespace. */
public final class JoinerSession implements AutoCloseable {
    /** The dial in progress; there is at most one. */
    private record Dialled(String text, InetSocketAddress address) {}

    private final Clock clock;
    private final SecureRandom random;
    private final PairingNode node;
    private final Newcomer newcomer;
    private final JoinerMachine machine;
    private final Turns<State, Event, Effect> turns;
    private final PairLinks links;
    private final PeerSource source;
    private volatile @Nullable Dialled dialled; // written by the thread of run(), read by the links' thread
    private Optional<Outcome> outcome = Optional.empty(); // used by the thread of run() only

    private JoinerSession(
            HearthConfig config,
            PairingNode node,
            PairingCode code,
            List<HostPort> peers,
            Newcomer newcomer,
            PairingLimits limits,
            SecureRandom random,
            Clock clock)
            throws SetupException {
        this.clock = clock;
        this.random = random;
        this.node = node;
        this.newcomer = newcomer;
        machine = new JoinerMachine(
                node.identity().peer(),
                node.label(),
                code,
                JPake.nist3072(random),
                peers.isEmpty() ? limits : limits.graceNanos(0));
        turns = new Turns<>(machine, clock);
        links = node.links(ListenOptions.newcomer(config), new Events());
        source = peers.isEmpty()
                ? PairingNode.mdns(
                        TagEncoding.seeking(code.nameplate(), PairingNode.throwawayKey(random)),
                        MdnsOptions.ofPort(links.port())
                                .on(ListenOptions.interfaces(config))
                                .silent(),
                        clock)
                : NamedPeers.of(peers.stream().<PeerName>map(PeerName.Host::new).toList());
        source.start(this::sighted);
    }

    /**
     * Starts the search; no machine is dialled before {@link #run}.
     *
     * @param config its interfaces and label are used
     * @param peers addresses of the other machine; empty: mDNS finds it
     * @throws SetupException if something on this machine prevents it; its text says what to do
     */
    public static JoinerSession open(
            HearthConfig config,
            HearthHome home,
            PairingCode code,
            List<HostPort> peers,
            Newcomer newcomer,
            PairingLimits limits,
            Clock clock)
            throws SetupException {
        PairingNode node = PairingNode.open(config, home, SlotLease.JOIN, clock);
        try {
            return new JoinerSession(config, node, code, peers, newcomer, limits, new SecureRandom(), clock);
        } catch (SetupException failed) {
            node.close();
            throw failed;
        }
    }

    /**
     * Pairs on the caller's thread, within the limits of a joining machine.
     *
     * @param failed called for each failed run
     */
    public Outcome run(Consumer<Effect.Failed> failed) throws InterruptedException {
        var _ = JPake.rehearse(random); // while a person types, or mDNS looks
        turns.run(
                machine.fresh(clock.nanoTime()),
                new Event.Tick(),
                effect -> carryOut(effect, failed),
                () -> outcome.isPresent());
        return outcome.orElseThrow();
    }

    private void carryOut(Effect effect, Consumer<Effect.Failed> failed) {
        switch (effect) {
            case Effect.Dial(var address) -> dial(address);
            case Effect.Send(var to, var frame) -> links.send(to, frame.toArray());
            case Effect.Close(var to, var why) -> links.close(to, why);
            case Effect.Accept(var sponsor, var label, var welcome) -> turns.answer(accept(sponsor, label, welcome));
            case Effect.Failed news -> failed.accept(news);
            case Effect.Ended(var end) -> outcome = Optional.of(end);
        }
    }

    private void dial(String text) {
        try {
            var address = SocketAddresses.of(HostPort.parse(text).literal().orElseThrow());
            dialled = new Dialled(text, address);
            links.dial(address);
        } catch (IllegalArgumentException unknownScope) {
            turns.answer(new Event.NotMet(text, "its interface is not there any more"));
        }
    }

    private Event accept(NodeId sponsor, String label, Bytes welcome) {
        byte[] content = welcome.toArray();
        try {
            newcomer.accept(sponsor, label, content);
            return new Event.Stored();
        } catch (SetupException refused) {
            return new Event.NotStored(String.valueOf(refused.getMessage()));
        } finally {
            Arrays.fill(content, (byte) 0);
        }
    }

    private void sighted(Sighting sighting) {
        turns.offer(new Event.Sighted(
                sighting.name(),
                sighting.candidates().stream()
                        .map(candidate -> candidate.address().toString())
                        .toList()));
    }

    @Override
    public void close() {
        source.close();
        links.close();
        node.close();
    }

    private final class Events implements PairLinks.Observer {
        @Override
        public void met(NodeId peer, Bytes exporter, InetSocketAddress address) {
            turns.offer(new Event.Met(peer, exporter, text(address)));
        }

        @Override
        public void notMet(InetSocketAddress address, String why) {
            turns.offer(new Event.NotMet(text(address), why));
        }

        @Override
        public void arrived(NodeId peer, byte[] message) {
            turns.offer(new Event.Arrived(peer, PairingNode.frame(message)));
        }

        @Override
        public void gone(NodeId peer, String why) {
            turns.offer(new Event.Gone(peer));
        }

        /** The text of the dialled address: the system may use another name for an interface. */
        private String text(InetSocketAddress address) {
            Dialled current = dialled;
            return current != null && current.address().equals(address)
                    ? current.text()
                    : SocketAddresses.peer(address.getAddress(), address.getPort())
                            .toString();
        }
    }
}
