package io.hearth.agent.peers;

import io.hearth.core.MalformedMessageException;
import io.hearth.election.health.PeerHealth;
import io.hearth.identity.NodeId;
import io.hearth.topology.ClusterTopology;
import io.hearth.topology.ConnectionProfile;
import io.hearth.topology.InterfaceClass;
import io.hearth.topology.LinkReport;
import io.hearth.topology.LinkReports;
import io.hearth.topology.LoadUpdates;
import io.hearth.topology.LocalInterface;
import io.hearth.topology.NodeLoad;
import io.hearth.topology.NodeProfile;
import io.hearth.topology.NodeProfileEncoding;
import io.hearth.topology.PathProfile;
import io.hearth.topology.memory.Measurement;
import io.hearth.topology.memory.Measurements;
import io.hearth.transport.LinkInfo;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SortedMap;

/** The linked nodes, the profiles of their machines, and the topology made from both. Owner thread only. */
public final class PeerDirectory {
    /** Path of a link between two other nodes that say nothing about it. */
    private static final String REPORTED = "reported";

    /** Evidence for a path whose address is another member's. */
    private static final String RELAYED = "through another member: no direct way";

    private static final long NANOS_PER_SECOND = 1_000_000_000L;

    private final NodeId self;
    private final SortedMap<String, LocalInterface> interfaces;
    private final Map<NodeId, Known> links = new HashMap<>();
    private NodeProfile own;
    private NodeLoad sentLoad;
    private long sentNanos;
    private Measurements remembered;
    private ClusterTopology topology;

    /** A link and the interface that it runs over. */
    private record Known(LinkInfo link, LocalInterface over) {}

    /**
     * A directory without links.
     *
     * @param own this machine's profile
     * @param remembered measurements of former links; a new link to the same address begins with them
     * @param nowNanos time from which the profile counts as sent
     */
    public PeerDirectory(
            NodeId self,
            NodeProfile own,
            SortedMap<String, LocalInterface> interfaces,
            Measurements remembered,
            long nowNanos) {
        this.remembered = remembered;
        this.self = self;
        this.own = own;
        this.sentLoad = own.load();
        this.sentNanos = nowNanos;
        this.interfaces = interfaces;
        this.topology = ClusterTopology.empty().with(self, own);
    }

    /** This node's message to each admitted node. */
    public byte[] introduction() {
        return NodeProfileEncoding.encode(own);
    }

    /** Stores this machine's newest load; true if {@link #introduction()} must go to all linked nodes again. */
    public boolean loaded(NodeLoad newest, long nowNanos) {
        own = own.loaded(newest);
        topology = topology.with(self, own);
        if (!LoadUpdates.isDue(sentLoad, sentNanos, newest, nowNanos)) {
            return false;
        }
        sentLoad = newest;
        sentNanos = nowNanos;
        return true;
    }

    public void admitted(LinkInfo link) {
        use(link);
    }

    /** Another connection carries the link. If it leads to another address, its next round trip is that of another path. */
    public void moved(LinkInfo link) {
        Known known = links.get(link.peer().id());
        if (known != null && !host(known.link()).equals(host(link))) {
            use(link);
        }
    }

    private void use(LinkInfo link) {
        LocalInterface over = over(link.address());
        links.put(
                link.peer().id(),
                new Known(link, link.relayed() ? new LocalInterface(over.name(), over.kind(), RELAYED) : over));
    }

    /**
     * Stores the profile that a node sent; a later one replaces it.
     *
     * @return whether the node has another label than before
     */
    public boolean introduced(NodeId node, byte[] profile) throws MalformedMessageException {
        if (!links.containsKey(node)) {
            return false;
        }
        NodeProfile decoded = NodeProfileEncoding.decode(profile);
        Optional<NodeProfile> former = topology.profile(node);
        topology = topology.with(node, decoded);
        return former.isEmpty() || !former.get().label().equals(decoded.label());
    }

    public void lost(NodeId node, long nowNanos) {
        remembered = measurements(nowNanos);
        links.remove(node);
        topology = topology.without(node);
    }

    /** The latest measurements of all links, also of former ones. */
    public Measurements measurements(long nowNanos) {
        var latest = new ArrayList<Measurement>();
        links.forEach((node, known) -> {
            Optional<PathProfile> outward = topology.link(self, node).flatMap(link -> link.path(text(known.link())));
            Optional<PathProfile> inward = topology.link(node, self).flatMap(link -> link.path(text(known.link())));
            outward.ifPresent(path -> latest.add(new Measurement(
                    node.peer(),
                    host(known.link()),
                    path.roundTripNanos(),
                    path.bytesPerSecond(),
                    inward.map(PathProfile::bytesPerSecond).orElse(OptionalLong.empty()),
                    path.lossPermille(),
                    path.measuredNanos())));
        });
        return remembered.with(latest, nowNanos);
    }

    /** Stores a measured round trip. */
    public void measured(NodeId node, PeerHealth health, long nowNanos) {
        Known known = links.get(node);
        if (known != null
                && topology.profile(node).isPresent()
                && health.meanRttNanos().isPresent()) {
            long nanos = Math.max(1, health.meanRttNanos().getAsLong());
            LocalInterface over = known.over();
            String name = text(known.link());
            PathProfile path = topology.link(self, node)
                    .flatMap(link -> link.path(name))
                    .map(former -> former.refreshed(nanos, nowNanos))
                    .orElseGet(() -> begin(
                            node, known.link(), PathProfile.of(name, over.kind(), over.evidence(), nanos, nowNanos)));
            topology = topology.with(new ConnectionProfile(self, node, List.of(path)));
            topology.link(node, self)
                    .flatMap(link -> link.path(name))
                    .ifPresent(former -> topology = topology.with(
                            new ConnectionProfile(node, self, List.of(former.refreshed(nanos, nowNanos)))));
        }
    }

    /** A new path, with what former links to the same address measured. */
    private PathProfile begin(NodeId node, LinkInfo link, PathProfile path) {
        Optional<Measurement> former = remembered.of(node.peer(), host(link));
        if (former.isEmpty()) {
            return path;
        }
        former.get()
                .inward()
                .ifPresent(rate -> rated(node, self, path, rate, former.get().measuredNanos()));
        OptionalLong outward = former.get().outward();
        PathProfile whole = withLoss(rated(path, outward), former.get().lossPermille());
        return whole.equals(path) ? path : whole.measuredAt(former.get().measuredNanos());
    }

    /**
     * Stores the measured throughput of the path of a link, in bytes per second. Nothing is stored before the first round trip.
     *
     * @param outward from this node; empty if it was not measured
     * @param inward to this node; empty if it was not measured
     */
    public void throughput(NodeId node, OptionalLong outward, OptionalLong inward, long nowNanos) {
        Optional<PathProfile> path = topology.link(self, node).map(ConnectionProfile::best);
        if (path.isPresent()) {
            outward.ifPresent(rate -> rated(self, node, path.get(), rate, nowNanos));
            inward.ifPresent(rate -> rated(node, self, path.get(), rate, nowNanos));
        }
    }

    /** Stores the measured loss on the path to a node, per thousand, beside the throughput that was measured with it. */
    public void loss(NodeId node, int permille) {
        topology.link(self, node)
                .map(link ->
                        new ConnectionProfile(self, node, List.of(link.best().loss(permille))))
                .ifPresent(link -> topology = topology.with(link));
    }

    /**
     * Stores the report of a linked node about its links to third nodes, in place of its former one. Of a link to this node only its
     * existence and its loss are new: this node knows the rates.
     *
     * @param reports of all nodes, the one of {@code from} among them: of two ends the worse rate counts
     */
    public void reported(NodeId from, LinkReports reports, long nowNanos) {
        if (topology.profile(from).isEmpty() || from.equals(self)) {
            return;
        }
        LinkReport report = reports.all().getOrDefault(from, LinkReport.NONE);
        topology.links().stream()
                .filter(link -> link.from().equals(from)
                        && !link.to().equals(self)
                        && !report.links().containsKey(link.to()))
                .forEach(gone -> topology = topology.without(from, gone.to()));
        report.links().forEach((to, measured) -> {
            boolean isKnown = topology.profile(to).isPresent() && !to.equals(from) && measured.roundTripNanos() > 0;
            PathProfile path = reported(from, measured, nowNanos);
            if (isKnown && to.equals(self)) {
                PathProfile own = topology.link(from, self)
                        .map(link -> withLoss(link.best(), path.lossPermille()))
                        .orElse(path);
                topology = topology.with(new ConnectionProfile(from, self, List.of(own)));
            } else if (isKnown) {
                topology = topology.with(
                        new ConnectionProfile(from, to, List.of(rated(path, reports.bytesPerSecond(from, to)))));
                topology.link(to, from).ifPresent(back -> lower(back, reports.bytesPerSecond(to, from)));
            }
        });
    }

    /** The path of a reported link, still without its rate. */
    private static PathProfile reported(NodeId from, LinkReport.Measured measured, long nowNanos) {
        String evidence = "reported by " + from.shortText();
        Optional<LinkReport.Way> way = measured.way();
        long ageNanos = way.map(LinkReport.Way::ageSeconds).orElse(0L) * NANOS_PER_SECOND;
        PathProfile path = PathProfile.of(
                way.map(LinkReport.Way::path).orElse(REPORTED),
                way.map(LinkReport.Way::kind).orElse(InterfaceClass.OTHER),
                evidence,
                Math.max(1, measured.roundTripNanos()),
                nowNanos - ageNanos);
        return withLoss(path, way.map(LinkReport.Way::lossPermille).orElse(OptionalInt.empty()));
    }

    private static PathProfile withLoss(PathProfile path, OptionalInt permille) {
        return permille.isPresent() ? path.loss(permille.getAsInt()) : path;
    }

    /** The opposite direction of a link, whose rate the new report of the other end may correct; its age stays. */
    private void lower(ConnectionProfile back, OptionalLong bytesPerSecond) {
        if (!back.bytesPerSecond().equals(bytesPerSecond)) {
            topology = topology.with(
                    new ConnectionProfile(back.from(), back.to(), List.of(rated(back.best(), bytesPerSecond))));
        }
    }

    private static PathProfile rated(PathProfile path, OptionalLong bytesPerSecond) {
        return bytesPerSecond.isPresent() ? path.throughput(bytesPerSecond.getAsLong()) : path;
    }

    private void rated(NodeId from, NodeId to, PathProfile like, long bytesPerSecond, long nowNanos) {
        PathProfile path = topology.link(from, to)
                .flatMap(link -> link.path(like.path()))
                .orElse(PathProfile.of(like.path(), like.kind(), like.evidence(), like.roundTripNanos(), nowNanos));
        topology = topology.with(new ConnectionProfile(
                from, to, List.of(path.throughput(bytesPerSecond).measuredAt(nowNanos))));
    }

    /** Whether two interfaces of this machine lead to two addresses: two cables, of which one may work. */
    public boolean areTwoWays(InetSocketAddress one, InetSocketAddress other) {
        return !over(one).name().equals(over(other).name());
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

    /** The version of Hearth of a linked node; empty while unknown. */
    public String version(NodeId node) {
        return topology.profile(node).map(NodeProfile::version).orElse("");
    }

    /** The address at which a linked node can be dialled. */
    public Optional<String> address(NodeId node) {
        return Optional.ofNullable(links.get(node)).map(known -> {
            InetSocketAddress listens = known.link().listens();
            InetAddress host = listens.getAddress();
            return (host instanceof Inet6Address ? "[" + host.getHostAddress() + "]" : host.getHostAddress()) + ":"
                    + listens.getPort();
        });
    }

    private static String text(LinkInfo link) {
        return host(link) + ":" + link.address().getPort();
    }

    private static String host(LinkInfo link) {
        return link.address().getAddress().getHostAddress();
    }

    /** The interface whose network contains the address: the loopback interface for each address of this machine. */
    private LocalInterface over(InetSocketAddress address) {
        if (address.getAddress().isLoopbackAddress()) {
            return loopback("a loopback address");
        }
        try {
            if (NetworkInterface.getByInetAddress(address.getAddress()) != null) {
                return loopback("an address of this machine");
            }
            return NetworkInterface.networkInterfaces()
                    .filter(candidate -> candidate.getInterfaceAddresses().stream()
                            .anyMatch(own -> sameNetwork(
                                    own.getAddress().getAddress(),
                                    address.getAddress().getAddress(),
                                    own.getNetworkPrefixLength())))
                    .findFirst()
                    .map(found -> interfaces.getOrDefault(found.getName(), LocalInterface.unknown(found.getName())))
                    .map(found -> new LocalInterface(found.name(), found.kind(), evidence(found)))
                    .orElse(LocalInterface.unknown(""));
        } catch (SocketException unreadable) {
            return LocalInterface.unknown("");
        }
    }

    private static LocalInterface loopback(String evidence) {
        return new LocalInterface("lo", InterfaceClass.LOOPBACK, evidence);
    }

    private static String evidence(LocalInterface found) {
        return found.name() + (found.evidence().isEmpty() ? "" : ": " + found.evidence());
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
