package io.hearth.simulation;

import static io.hearth.simulation.Timeline.MILLI;
import static io.hearth.simulation.Timeline.SECOND;

import io.hearth.core.Bytes;
import io.hearth.core.Step;
import io.hearth.discovery.Advert;
import io.hearth.discovery.Candidate;
import io.hearth.discovery.Medium;
import io.hearth.discovery.Nonces;
import io.hearth.discovery.PeerAddress;
import io.hearth.discovery.PeerTable;
import io.hearth.discovery.PeerTableMachine;
import io.hearth.discovery.PeerTableMachine.Effect;
import io.hearth.discovery.PeerTableMachine.Event;
import io.hearth.discovery.Sighting;
import io.hearth.discovery.SourceKind;
import io.hearth.election.View;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/** How one process finds the others: the real peer table, announcements that may be lost, and dials over the network. */
final class Finder {
    private static final long ANNOUNCE_NANOS = 3 * SECOND;

    private final NodeProcess process;
    private final World world;
    private final PeerTableMachine machine;
    private final Bytes nonce;
    private PeerTable table = PeerTable.EMPTY;

    Finder(NodeProcess process) {
        this.process = process;
        this.world = process.world;
        this.machine = new PeerTableMachine(world.spans.dials());
        byte[] bytes = new byte[Advert.NONCE_BYTES];
        world.random.nextBytes(bytes);
        this.nonce = Bytes.of(bytes);
    }

    /** Asks who is there, and says that it is there, again and again. */
    void begin() {
        for (NodeProcess other : world.cluster.processes()) {
            tell(other, process);
        }
        announce();
    }

    private void announce() {
        if (!process.isAlive()) {
            return;
        }
        for (NodeProcess other : world.cluster.processes()) {
            tell(process, other);
        }
        world.after(ANNOUNCE_NANOS, this::announce);
    }

    private void tell(NodeProcess from, NodeProcess to) {
        if (from != to && world.network.copies(from.host.index, to.host.index) > 0) {
            world.after(
                    MILLI + world.random.nextLong(20 * MILLI),
                    () -> to.deliver(() -> to.finder().sighted(from)));
        }
    }

    private void sighted(NodeProcess other) {
        step(new Event.Sighted(new Sighting(
                other.host.id.text() + "#" + other.incarnation,
                List.of(new Candidate(other.host.address(), Medium.WIRED)),
                SourceKind.MDNS,
                OptionalInt.of(1),
                Optional.of(new Nonces(nonce, other.finder().nonce)))));
    }

    /** Members without a link to this process are heard by somebody: they are worth a dial at once. */
    void heardByOthers(View view) {
        for (NodeProcess other : world.cluster.processes()) {
            if (other != process
                    && view.member(other.host.id).isPresent()
                    && !world.cluster.areLinked(process, other)) {
                step(new Event.Vouched(other.host.id));
            }
        }
    }

    long sleepNanos() {
        return machine.sleepNanos(table, world.now());
    }

    void step(Event event) {
        if (!process.isAlive()) {
            return;
        }
        world.tally.event();
        Step<PeerTable, Effect> step = machine.step(table, event, world.now());
        table = step.state();
        for (Effect effect : step.effects()) {
            switch (effect) {
                case Effect.Dial(PeerAddress address, var _) -> world.cluster.dial(process, address);
                case Effect.Remember _, Effect.Forget _ -> {}
            }
        }
    }
}
