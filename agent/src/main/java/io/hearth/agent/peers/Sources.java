package io.hearth.agent.peers;

import io.hearth.agent.loop.CloseStack;
import io.hearth.agent.loop.NodeEvent;
import io.hearth.agent.loop.NodeInbox;
import io.hearth.core.Clock;
import io.hearth.discovery.HomePeers;
import io.hearth.discovery.HostPort;
import io.hearth.discovery.Medium;
import io.hearth.discovery.PeerName;
import io.hearth.discovery.RememberedPeers;
import io.hearth.discovery.mdns.InterfaceMonitor;
import io.hearth.discovery.mdns.InterfacePolicy;
import io.hearth.discovery.mdns.MdnsCounters;
import io.hearth.discovery.mdns.MdnsOptions;
import io.hearth.discovery.mdns.MdnsSource;
import io.hearth.discovery.mdns.NoPeersDiagnosis;
import io.hearth.discovery.mdns.machine.TagEncoding;
import io.hearth.discovery.mdns.machine.TagKey;
import io.hearth.discovery.names.NamedPeers;
import io.hearth.identity.HearthHome;
import io.hearth.identity.NodeId;
import io.hearth.topology.InterfaceClass;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.SortedMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** All sources of peers of a node. */
public final class Sources implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Sources.class);

    /** For tests: this node neither sends nor receives by mDNS. */
    public static final String DEAF = "hearth.fault.deaf";

    /** Time without peers after which the diagnosis is shown. */
    private static final long SILENCE_NANOS = 10_000_000_000L;

    private final CloseStack scope = new CloseStack();
    private final NodeInbox inbox;
    private final Clock clock;
    private final long startedNanos;
    private final TagEncoding tags;
    private final MdnsSource mdns;
    private final List<NamedPeers> named = new CopyOnWriteArrayList<>(); // those of the configuration first
    private final RememberedPeers remembered;
    private final Optional<HomePeers> sameHome;

    /**
     * Sources that have not started.
     *
     * @param peers to dial, or to look up and dial, besides those that are found
     * @param policy interfaces that mDNS uses
     * @param sameHome the nodes with the same home, if links may use loopback; closed with these sources
     */
    public Sources(
            List<PeerName> peers,
            InterfacePolicy policy,
            List<TagKey> keys,
            int port,
            SortedMap<String, InterfaceClass> interfaces,
            Optional<HomePeers> sameHome,
            HearthHome home,
            NodeId self,
            NodeInbox inbox,
            Clock clock) {
        this.inbox = inbox;
        this.clock = clock;
        this.startedNanos = clock.nanoTime();
        tags = new TagEncoding(keys);
        var options = new MdnsOptions(
                port, policy, name -> medium(interfaces.getOrDefault(name, InterfaceClass.OTHER)), Optional.empty());
        mdns = scope.keep(new MdnsSource(
                tags,
                options,
                InterfaceMonitor.ofThisMachine(),
                clock,
                () -> inbox.event(new NodeEvent.NetworkChanged()),
                fatal -> inbox.event(new NodeEvent.Failed("the thread that finds peers by mDNS", fatal))));
        named.add(scope.keep(NamedPeers.of(peers)));
        this.sameHome = sameHome.map(scope::keep);
        remembered = scope.keep(new RememberedPeers(home.file("peers-" + self.slot())));
    }

    /** Signs and verifies adverts with other keys from now on. */
    public void use(List<TagKey> keys) {
        tags.use(keys);
        mdns.reannounce();
    }

    public RememberedPeers remembered() {
        return remembered;
    }

    public void start() {
        if (Boolean.getBoolean(DEAF)) {
            LOG.warn("mDNS is off by -D{}", DEAF);
        } else {
            mdns.start(sighting -> inbox.event(new NodeEvent.Sighted(sighting)));
        }
        sameHome.ifPresent(source -> source.start(sighting -> inbox.event(new NodeEvent.Sighted(sighting))));
        named.getFirst().start(sighting -> inbox.event(new NodeEvent.Sighted(sighting)));
        remembered.start(sighting -> inbox.event(new NodeEvent.Sighted(sighting)));
    }

    /** Adds an address to dial, from now on. */
    public void add(HostPort peer) {
        NamedPeers source = scope.keep(NamedPeers.of(List.of(new PeerName.Host(peer))));
        if (peer.literal().isEmpty()) {
            named.add(source);
        }
        source.start(sighting -> inbox.event(new NodeEvent.Sighted(sighting)));
    }

    /** A diagnosis in one line, after a long enough time without peers. */
    public Optional<String> silence() {
        long silentNanos = clock.nanoTime() - startedNanos;
        return silentNanos < SILENCE_NANOS
                ? Optional.empty()
                : Optional.of(NoPeersDiagnosis.explain(
                        silentNanos / 1_000_000_000L,
                        mdns.counters(),
                        named.stream()
                                .flatMap(source -> source.reports().stream())
                                .toList(),
                        isMacos()));
    }

    /** Counters of mDNS per interface. */
    public List<MdnsCounters> mdns() {
        return mdns.counters();
    }

    private static boolean isMacos() {
        return System.getProperty("os.name", "").toLowerCase(Locale.ROOT).contains("mac");
    }

    private static Medium medium(InterfaceClass kind) {
        return switch (kind) {
            case LOOPBACK, THUNDERBOLT, ETHERNET -> Medium.WIRED;
            case WIFI -> Medium.WIRELESS;
            case OTHER, VPN, VIRTUAL -> Medium.OTHER;
        };
    }

    /** As {@link #close()}, without a wait for the goodbyes of mDNS. */
    public void abort() {
        mdns.abort();
        close();
    }

    @Override
    public void close() {
        scope.close();
    }
}
