package io.hearth.simulation.host;

import io.hearth.discovery.PeerAddress;
import io.hearth.election.Role;
import io.hearth.identity.NodeId;

/** A slot for one node on a machine. The disk of the machine outlives the node's processes. */
public final class Host {
    public final int index;
    public final NodeId id;
    public final Role role;
    public final String group;
    public final Home home;
    public final Disk disk;

    /** {@code group} is empty for an agent; {@code home} is that of its machine. */
    Host(int index, NodeId id, Role role, String group, Home home) {
        this.home = home;
        this.disk = home.disk();
        this.index = index;
        this.id = id;
        this.role = role;
        this.group = group;
    }

    /** The address at which others dial it. */
    public PeerAddress address() {
        return new PeerAddress("10.0.0." + machine(), 52_416 + index);
    }

    /** For traces: {@code a2} is the agent of machine 2, {@code t2} a trainer there. */
    public String name() {
        return id.slot().equals(NodeId.AGENT)
                ? "a" + machine()
                : "t" + machine() + "." + id.slot().substring(8);
    }

    /** The number of its machine, from 1. */
    public int machine() {
        return id.peer().publicKey()[0];
    }
}
