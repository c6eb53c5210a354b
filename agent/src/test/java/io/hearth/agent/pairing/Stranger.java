package io.hearth.agent.pairing;

import io.hearth.core.Bytes;
import io.hearth.core.Clock;
import io.hearth.core.MalformedMessageException;
import io.hearth.core.Step;
import io.hearth.identity.NodeId;
import io.hearth.identity.NodeIdentity;
import io.hearth.identity.pairing.JPake;
import io.hearth.identity.pairing.machine.JoinerMachine;
import io.hearth.identity.pairing.machine.PairingCode;
import io.hearth.identity.pairing.machine.PairingEncoding;
import io.hearth.identity.pairing.machine.PairingLimits;
import io.hearth.identity.pairing.machine.PairingMessage;
import io.hearth.transport.Endpoint;
import io.hearth.transport.LinkOptions;
import io.hearth.transport.links.PairLinks;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/** An uninvited machine, with the product's links and without the product's rules. */
final class Stranger implements PairLinks.Observer, AutoCloseable {
    sealed interface Seen {
        record Met(NodeId peer, Bytes exporter) implements Seen {}

        record NotMet(String why) implements Seen {}

        record Arrived(NodeId peer, Bytes frame) implements Seen {}

        record Gone(NodeId peer) implements Seen {}
    }

    private static final String ADDRESS = "sponsor";

    final NodeIdentity identity = NodeIdentity.generate();
    final PairLinks links;
    final BlockingQueue<Seen> seen = new LinkedBlockingQueue<>();
    final List<PairingMessage> heard = new ArrayList<>();

    Stranger() throws Exception {
        byte[] boot = new byte[Endpoint.BOOT_ID_BYTES];
        new SecureRandom().nextBytes(boot);
        links = PairLinks.open(
                LinkOptions.loopback(0),
                identity,
                new Endpoint(new NodeId(identity.peer(), "join"), 1, Bytes.of(boot)),
                this);
    }

    static InetSocketAddress loopback(int port) {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    }

    @Override
    public void met(NodeId peer, Bytes exporter, InetSocketAddress address) {
        seen.add(new Seen.Met(peer, exporter));
    }

    @Override
    public void notMet(InetSocketAddress address, String why) {
        seen.add(new Seen.NotMet(why));
    }

    @Override
    public void arrived(NodeId peer, byte[] message) {
        seen.add(new Seen.Arrived(peer, Bytes.of(message)));
    }

    @Override
    public void gone(NodeId peer, String why) {
        seen.add(new Seen.Gone(peer));
    }

    Seen next() throws InterruptedException {
        Seen next = seen.poll(20, TimeUnit.SECONDS);
        if (next == null) {
            throw new AssertionError("nothing happened within 20 s");
        }
        return next;
    }

    /**
     * Runs once against a sponsor, by the rules, except that {@code said} replaces each own message; an empty list hangs up. All messages
     * of the sponsor are in {@link #heard}.
     */
    void run(int port, PairingCode code, Function<PairingMessage, List<Bytes>> said) throws Exception {
        var machine = new JoinerMachine(
                identity.peer(),
                "stranger",
                code,
                JPake.nist3072(new SecureRandom()),
                PairingLimits.DEFAULT.graceNanos(0));
        links.dial(loopback(port));
        Step<JoinerMachine.State, JoinerMachine.Effect> step =
                machine.step(machine.fresh(now()), new JoinerMachine.Event.Sighted(ADDRESS, List.of(ADDRESS)), now());
        while (true) {
            JoinerMachine.Event event = switch (next()) {
                case Seen.Met(var peer, var exporter) -> new JoinerMachine.Event.Met(peer, exporter, ADDRESS);
                case Seen.NotMet _, Seen.Gone _ -> null;
                case Seen.Arrived(var peer, var frame) -> {
                    heard.add(PairingEncoding.decode(frame));
                    yield new JoinerMachine.Event.Arrived(peer, frame);
                }
            };
            if (event == null) {
                return;
            }
            step = machine.step(step.state(), event, now());
            for (JoinerMachine.Effect effect : step.effects()) {
                if (effect instanceof JoinerMachine.Effect.Send(var to, var frame)) {
                    List<Bytes> instead = said.apply(decode(frame));
                    instead.forEach(other -> links.send(to, other.toArray()));
                    if (instead.isEmpty()) {
                        links.close(to, "hanging up");
                    }
                } else if (effect instanceof JoinerMachine.Effect.Close(var to, var why)) {
                    links.close(to, why);
                }
            }
        }
    }

    /** Number of messages of that kind from the sponsor. */
    long heard(Class<? extends PairingMessage> kind) {
        return heard.stream().filter(kind::isInstance).count();
    }

    private static PairingMessage decode(Bytes frame) {
        try {
            return PairingEncoding.decode(frame);
        } catch (MalformedMessageException bug) {
            throw new AssertionError(bug);
        }
    }

    private static long now() {
        return Clock.system().nanoTime();
    }

    @Override
    public void close() {
        links.close();
    }
}
