package io.hearth.agent.peers;

import io.hearth.agent.loop.MachineDriver;
import io.hearth.core.Clock;
import io.hearth.discovery.relay.RelayMachine;
import io.hearth.discovery.relay.RelayMachine.Effect;
import io.hearth.discovery.relay.RelayMachine.Event;
import io.hearth.discovery.relay.RelayMachine.State;
import io.hearth.identity.NodeId;
import io.hearth.transport.LinkInfo;
import java.util.Collection;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.BiConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reaches members through other members, as the machine says. Owner thread only. */
public final class RelayFinder {
    private static final Logger LOG = LoggerFactory.getLogger(RelayFinder.class);

    private final MachineDriver<State, Event, Effect> driver;
    private final BiConsumer<NodeId, NodeId> dialer;

    /**
     * A finder without links.
     *
     * @param dialer dials its second argument through its first; reports a failure, and a link as any other
     */
    public RelayFinder(NodeId self, Clock clock, BiConsumer<NodeId, NodeId> dialer) {
        this.dialer = dialer;
        this.driver = new MachineDriver<>(new RelayMachine(self), State.EMPTY, new Event.Tick(), clock, this::carryOut);
    }

    /** Sets the nodes to which this node needs links, itself among them or not. */
    public void wanted(Collection<NodeId> nodes) {
        SortedSet<NodeId> now = new TreeSet<>(nodes);
        if (!now.equals(driver.state().wanted())) {
            driver.step(new Event.Wanted(now));
        }
    }

    public void admitted(LinkInfo link) {
        if (link.relayed()) {
            LOG.info(
                    "peer={} is reached through another member, until a direct link comes about",
                    link.peer().id().shortText());
        }
        driver.step(new Event.Linked(link.peer().id(), link.relayed()));
    }

    public void lost(NodeId node) {
        driver.step(new Event.Lost(node));
    }

    public void failed(NodeId via, NodeId target, String why) {
        LOG.debug("no relay via={} peer={}: {}", via.shortText(), target.shortText(), why);
        driver.step(new Event.Failed(via, target));
    }

    /** Whether the link to a node goes through another member. */
    public boolean isRelayed(NodeId node) {
        return driver.state().linked().getOrDefault(node, false);
    }

    public void tickIfDue() {
        driver.tickIfDue();
    }

    public long sleepNanos() {
        return driver.sleepNanos();
    }

    private void carryOut(Effect effect) {
        switch (effect) {
            case Effect.Dial(NodeId via, NodeId target) -> dialer.accept(via, target);
        }
    }
}
