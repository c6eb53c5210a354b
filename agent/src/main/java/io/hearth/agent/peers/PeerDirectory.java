package io.hearth.agent.peers;

import io.hearth.core.MalformedMessageException;
import io.hearth.election.health.PeerHealth;
import io.hearth.identity.NodeId;
import io.hearth.topology.ClusterTopology;
import io.hearth.topology.ConnectionProfile;
import io.hearth.topology.InterfaceClass;
import io.hearth.topology.NodeProfile;
import io.hearth.topology.NodeProfileEncoding;
import io.hearth.transport.LinkInfo;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;

/** The linked nodes, the profiles of their machines, and the topology made from both. Owner thread only. */
public final class PeerDirectory {
    private final NodeId self;
    private final NodeProfile own;
    private final SortedMap<String, InterfaceClass> interfaces;
    private final Map<NodeId, Known> links = new HashMap<>();
    private ClusterTopology topology;

    /** A link and the kind of network that it runs over. */
    private record Known(LinkInfo link, InterfaceClass kind) {}

    public PeerDirectory(NodeId self, NodeProfile own, SortedMap<String, InterfaceClass> interfaces) {
        this.self = self;
        this.own = own;
        this.interfaces = interfaces;
        this.topology = ClusterTopology.empty().with(self, own);
    }

    /** This node's message to each admitted node. */
    public byte[] introduction() {
        return NodeProfileEncoding.encode(own);
    }

    public void admitted(LinkInfo link) {
        links.put(link.peer().id(), new Known(link, kind(link.address())));
    }

    public void introduced(NodeId node, byte[] profile) throws MalformedMessageException {
        if (links.containsKey(node)) {
            topology = topology.with(node, NodeProfileEncoding.decode(profile));
        }
    }

    public void lost(NodeId node) {
        links.remove(node);
        topology = topology.without(node);
    }

    /** Stores a measured round trip. */
    public void measured(NodeId node, PeerHealth health) {
        Known known = links.get(node);
        if (known != null
                && topology.profile(node).isPresent()
                && health.meanRttNanos().isPresent()) {
            topology = topology.with(ConnectionProfile.of(
                    self, node, known.kind(), Math.max(1, health.meanRttNanos().getAsLong()), text(known.link())));
        }
    }

    /** The round trips that this node measured itself, in nanoseconds by peer. */
    public Map<NodeId, Long> roundTrips() {
        var nanos = new HashMap<NodeId, Long>();
        for (ConnectionProfile link : topology.links()) {
            if (link.from().equals(self)) {
                nanos.put(link.to(), link.roundTripNanos());
            }
        }
        return nanos;
    }

    public Set<NodeId> linked() {
        return links.keySet();
    }

    public ClusterTopology topology() {
        return topology;
    }

    public String label(NodeId node) {
        return topology.profile(node).map(NodeProfile::label).orElse("");
    }

    public Optional<String> address(NodeId node) {
        return Optional.ofNullable(links.get(node)).map(known -> text(known.link()));
    }

    private static String text(LinkInfo link) {
        InetSocketAddress address = link.address();
        return address.getAddress().getHostAddress() + ":" + address.getPort();
    }

    /** The class of the interface whose network contains the address. */
    private InterfaceClass kind(InetSocketAddress address) {
        if (address.getAddress().isLoopbackAddress()) {
            return InterfaceClass.LOOPBACK;
        }
        try {
            return NetworkInterface.networkInterfaces()
                    .filter(candidate -> candidate.getInterfaceAddresses().stream()
                            .anyMatch(own -> sameNetwork(
                                    own.getAddress().getAddress(),
                                    address.getAddress().getAddress(),
                                    own.getNetworkPrefixLength())))
                    .findFirst()
                    .map(found -> interfaces.getOrDefault(found.getName(), InterfaceClass.OTHER))
                    .orElse(InterfaceClass.OTHER);
        } catch (SocketException unreadable) {
            return InterfaceClass.OTHER;
        }
    }

    private static boolean sameNetwork(byte[] own, byte[] other, int prefixBits) {
        if (own.length != other.length) {
            return false;
        }
        for (int bit = 0; bit < Math.min(prefixBits, own.length * Byte.SIZE); bit++) {
            int mask = 0x80 >>> (bit % Byte.SIZE);
            if ((own[bit / Byte.SIZE] & mask) != (other[bit / Byte.SIZE] & mask)) {
                return false;
            }
        }
        return true;
    }
}
