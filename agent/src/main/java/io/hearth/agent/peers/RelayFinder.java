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
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reaches members through other members, as the machine says. Owner thread only. */
public final class RelayFinder {
    private static final Logger LOG = LoggerFactory.getLogger(RelayFinder.class);

    private final MachineDriver<State, Event, Effect> driver;
    private final Dialer dialer;

    /** Dials a node through another one; reports a failure, and a link as any other. */
    public interface Dialer {
        /**
         * Dials; the outcome is reported like that of any dial.
         *
         * @param isSilent whether the new link replaces one that fell silent
         */
        void dial(NodeId via, NodeId target, boolean isSilent);
    }

    /** A finder without links. */
    public RelayFinder(NodeId self, Clock clock, Dialer dialer) {
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

    public void silent(NodeId node) {
        driver.step(new Event.Silent(node));
    }

    public void heard(NodeId node) {
        driver.step(new Event.Heard(node));
    }

    /** Handles a linked node's report that it reaches {@code node}. */
    public void reported(NodeId node) {
        driver.step(new Event.Reported(node));
    }

    public void failed(NodeId via, NodeId target, String why) {
        LOG.debug("no relay via={} peer={}: {}", via.shortText(), target.shortText(), why);
        driver.step(new Event.Failed(via, target));
    }

    /** Whether the link to a node goes through another member. */
    public boolean isRelayed(NodeId node) {
        return driver.state().isRelayed(node);
    }

    public void tickIfDue() {
        driver.tickIfDue();
    }

    public long sleepNanos() {
        return driver.sleepNanos();
    }

    private void carryOut(Effect effect) {
        switch (effect) {
            case Effect.Dial(NodeId via, NodeId target, boolean isSilent) -> dialer.dial(via, target, isSilent);
        }
    }
}
