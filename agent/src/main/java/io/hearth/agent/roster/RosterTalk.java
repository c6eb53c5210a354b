package io.hearth.agent.roster;

import io.hearth.agent.loop.MachineDriver;
import io.hearth.core.Bytes;
import io.hearth.core.Clock;
import io.hearth.core.MalformedMessageException;
import io.hearth.identity.NodeId;
import io.hearth.identity.PeerId;
import io.hearth.identity.roster.Ed25519;
import io.hearth.identity.roster.RosterBook;
import io.hearth.identity.roster.machine.RosterMachine;
import io.hearth.identity.roster.machine.RosterMachine.Effect;
import io.hearth.identity.roster.machine.RosterMachine.Event;
import io.hearth.identity.roster.machine.RosterMachine.LinkId;
import io.hearth.identity.roster.machine.RosterMachine.State;
import io.hearth.identity.roster.machine.RosterMessage;
import io.hearth.identity.roster.machine.RosterMessageEncoding;
import io.hearth.transport.RekeyChannel;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BiConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Steps the roster's machine for a node and carries out its effects. Owner thread only. */
public final class RosterTalk {
    private static final Logger LOG = LoggerFactory.getLogger(RosterTalk.class);

    private static final int SHUT_OUT_MAX = 256;

    private final PeerId self;
    private final MachineDriver<State, Event, Effect> machine;
    private final Clock clock;
    private final RosterKeeper keeper;
    private final RosterAdmission admission;
    private final Outcome outcome;
    private final Map<NodeId, LinkId> links = new TreeMap<>();
    private final Map<LinkId, NodeId> nodes = new TreeMap<>();
    private final Map<LinkId, RekeyChannel> channels = new TreeMap<>();
    private final SortedSet<PeerId> shutOut = new TreeSet<>(); // excluded by the roster, and not linked since
    private long numbers;
    private long changes;
    private RosterBook book;
    private String problem = "";
    private String said = "";

    /** The roster's effects on the rest of the node. */
    public interface Outcome {
        /** Sends a message on the link to a node; it is lost if there is none. */
        void send(NodeId node, int kind, byte[] message);

        void close(NodeId node, String why);

        /** New links, tags and status must use this secret from now on. */
        void rekeyed(RosterBook book);
    }

    public RosterTalk(
            PeerId self,
            RosterBook book,
            RosterKeeper keeper,
            RosterAdmission admission,
            Clock clock,
            Outcome outcome) {
        this.self = self;
        this.book = book;
        this.keeper = keeper;
        this.admission = admission;
        this.clock = clock;
        this.outcome = outcome;
        this.machine = new MachineDriver<>(
                new RosterMachine(self, Ed25519.INSTANCE, RosterMachine.Limits.DEFAULT),
                State.of(book),
                new Event.Tick(),
                clock,
                this::carryOut);
    }

    public MachineDriver<State, Event, Effect> driver() {
        return machine;
    }

    /** A number that rises when the result of {@link #outOf} may have changed. */
    public long changes() {
        return changes;
    }

    /**
     * Those of the given and the linked machines, other than this one, that are excluded: removed, or not on the roster when the secret was
     * replaced.
     */
    public SortedSet<PeerId> outOf(Collection<PeerId> machines) {
        var out = new TreeSet<>(machines);
        links.keySet().forEach(node -> out.add(node.peer()));
        out.removeIf(machineOf -> machineOf.equals(self) || !isOut(machineOf));
        return out;
    }

    private boolean isOut(PeerId machineOf) {
        return book.roster().isRemoved(machineOf)
                || (shutOut.contains(machineOf) && !book.roster().isMember(machineOf));
    }

    /** A message for people; empty if there is none. */
    public Optional<String> problem() {
        return Optional.of(problem.isEmpty() ? said : problem).filter(line -> !line.isEmpty());
    }

    /** Handles a new link; {@code proved} names the secret of its handshake, which may have been replaced meanwhile. */
    public void admitted(NodeId node, Bytes proved) {
        var link = new LinkId(node.peer(), ++numbers);
        if (proved.equals(book.keyId())) {
            shutOut.remove(node.peer());
        } else {
            shutOut(node.peer());
        }
        changes++;
        links.put(node, link);
        nodes.put(link, node);
        machine.step(new Event.Opened(link, false, proved));
    }

    /**
     * Marks a machine as excluded: it is not on the roster and did not prove the current secret, so the roster's machine closes its links.
     */
    private void shutOut(PeerId peer) {
        if (!book.roster().isMember(peer) && shutOut.size() < SHUT_OUT_MAX) {
            shutOut.add(peer);
        }
    }

    /** Stores the label of a machine, when its link begins and when it ends. */
    public void saw(NodeId node, String label) {
        keeper.saw(node.peer(), label, clock.epochMillis());
    }

    public void lost(NodeId node) {
        LinkId link = links.remove(node);
        if (link != null) {
            nodes.remove(link);
            machine.step(new Event.Closed(link));
        }
    }

    public void heard(NodeId from, BiConsumer<NodeId, String> faults, int kind, byte[] bytes) {
        LinkId link = links.get(from);
        if (link == null) {
            return;
        }
        try {
            machine.step(new Event.Received(link, decoded(kind, bytes)));
        } catch (MalformedMessageException malformed) {
            faults.accept(from, "malformed message: " + malformed.getMessage());
        }
    }

    public void opened(RekeyChannel channel) {
        LinkId link = link(channel);
        channels.put(link, channel);
        machine.step(new Event.Opened(link, true, Bytes.EMPTY));
    }

    public void heard(RekeyChannel channel, int kind, byte[] bytes) {
        LinkId link = link(channel);
        if (!channels.containsKey(link) || !RosterMessageEncoding.isKind(kind)) {
            return;
        }
        try {
            machine.step(new Event.Received(link, decoded(kind, bytes)));
        } catch (MalformedMessageException malformed) {
            channel.refuse("malformed message: " + malformed.getMessage());
        }
    }

    public void closed(RekeyChannel channel) {
        LinkId link = link(channel);
        channels.remove(link);
        machine.step(new Event.Closed(link));
    }

    public void stored(RosterBook onDisk) {
        problem = "";
        machine.step(new Event.Stored(onDisk));
    }

    public void problem(String line) {
        problem = line;
    }

    public void block(SortedSet<PeerId> machines) {
        admission.block(machines);
        for (NodeId node : Map.copyOf(links).keySet()) {
            if (machines.contains(node.peer())) {
                outcome.close(node, "machine " + node.peer().shortText() + " is blocked on the other one");
            }
        }
    }

    private RosterMessage decoded(int kind, byte[] bytes) throws MalformedMessageException {
        return RosterMessageEncoding.decode(book.current().name(), kind, bytes);
    }

    /** The id of a channel, with a negative number, so that no link to a node has the same id. */
    private static LinkId link(RekeyChannel channel) {
        return new LinkId(channel.peer(), -channel.number());
    }

    private void carryOut(Effect effect) {
        switch (effect) {
            case Effect.Send(LinkId link, RosterMessage message) -> send(link, message);
            case Effect.Close(LinkId link, String why) -> {
                LOG.info("closing the link to peer={}: {}", link.peer().shortText(), why);
                RekeyChannel channel = channels.remove(link);
                NodeId node = nodes.get(link);
                if (channel != null) {
                    channel.close(why);
                } else if (node != null) {
                    outcome.close(node, why);
                }
            }
            case Effect.Store _, Effect.Rotate _ -> keeper.submit(effect, clock.epochMillis());
            case Effect.Use(RosterBook newest) -> use(newest);
            case Effect.Say(String line) -> {
                said = line;
                if (!line.isEmpty()) {
                    LOG.warn("{}", line);
                }
            }
        }
    }

    private void send(LinkId link, RosterMessage message) {
        RekeyChannel channel = channels.get(link);
        NodeId node = nodes.get(link);
        int kind = RosterMessageEncoding.kind(message);
        if (channel != null) {
            channel.send(kind, RosterMessageEncoding.encode(message));
        } else if (node != null) {
            outcome.send(node, kind, RosterMessageEncoding.encode(message));
        }
    }

    private void use(RosterBook newest) {
        boolean isNewKey = !newest.keyId().equals(book.keyId());
        book = newest;
        changes++;
        admission.use(newest);
        if (isNewKey) {
            links.keySet()
                    .forEach(node -> shutOut(node.peer())); // a link closed for a fault does not exclude its machine
            LOG.info(
                    "secret generation={} key={} members={}",
                    newest.current().generation(),
                    newest.keyId().hex(),
                    newest.roster().members().size());
            outcome.rekeyed(newest);
        }
    }
}
