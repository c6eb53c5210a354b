package io.hearth.agent.topology;

import io.hearth.agent.loop.MachineDriver;
import io.hearth.agent.peers.PeerDirectory;
import io.hearth.core.Clock;
import io.hearth.core.MalformedMessageException;
import io.hearth.identity.NodeId;
import io.hearth.topology.ConnectionProfile;
import io.hearth.topology.LinkReport;
import io.hearth.topology.LinkReportEncoding;
import io.hearth.topology.LinkReports;
import io.hearth.topology.PathProfile;
import io.hearth.topology.bandwidth.Bandwidth;
import io.hearth.topology.bandwidth.BandwidthMachine;
import io.hearth.topology.bandwidth.BandwidthMachine.Effect;
import io.hearth.topology.bandwidth.BandwidthMachine.Event;
import io.hearth.topology.bandwidth.BandwidthMachine.Limits;
import io.hearth.topology.bandwidth.BandwidthMachine.State;
import io.hearth.topology.bandwidth.BandwidthMessage;
import java.util.HashSet;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Measures this node's links as the machine says, and exchanges reports of links with all linked nodes. Owner thread only.
 *
 * <p>An agent measures nothing: its Java has only the quick compiler, so its cipher is slower than a fast link.
 */
public final class BandwidthTalk {
    private static final Logger LOG = LoggerFactory.getLogger(BandwidthTalk.class);
    private static final long REPORT_NANOS = 500_000_000;

    private final NodeId self;
    private final Clock clock;
    private final BooleanSupplier busy;
    private final Messenger messenger;
    private final Measurer measurer;
    private final MachineDriver<State, Event, Effect> driver;
    private final PeerDirectory directory;
    private final Set<NodeId> linked = new HashSet<>();
    private final Set<NodeId> known = new HashSet<>(); // linked nodes that the machine knows
    private final LinkReports reports = new LinkReports();
    private LinkReport own = LinkReport.NONE;
    private LinkReport sent = LinkReport.NONE;
    private long sentNanos;

    /** Sends a message on the link to a node; lost if there is none. */
    public interface Messenger {
        void send(NodeId to, int kind, byte[] bytes);
    }

    /** Runs measurements; {@link BandwidthShell}. */
    public interface Measurer {
        void run(NodeId peer, long number, NodeId asker, long roundTripNanos);

        void stop(long number);
    }

    /**
     * A talk without links.
     *
     * @param directory holds the measurements of links
     * @param busy whether a collective runs on this node; always true for a node that measures nothing
     */
    public BandwidthTalk(
            NodeId self,
            Clock clock,
            PeerDirectory directory,
            BooleanSupplier busy,
            Messenger messenger,
            Measurer measurer) {
        this.self = self;
        this.clock = clock;
        this.directory = directory;
        this.busy = busy;
        this.messenger = messenger;
        this.measurer = measurer;
        var machine = new BandwidthMachine(self, Limits.DEFAULTS);
        this.sentNanos = clock.nanoTime() - REPORT_NANOS;
        this.driver =
                new MachineDriver<>(machine, machine.start(clock.nanoTime()), new Event.Tick(), clock, this::carryOut);
    }

    public void admitted(NodeId node) {
        linked.add(node);
        if (!sent.links().isEmpty()) {
            messenger.send(node, LinkReportEncoding.KIND, LinkReportEncoding.encode(sent));
        }
    }

    public void lost(NodeId node) {
        linked.remove(node);
        reports.remove(node);
        if (known.remove(node)) {
            driver.step(new Event.Unlinked(node));
        }
    }

    /** Takes an event of the measurement that runs. */
    public void measuring(Event event) {
        driver.step(event);
    }

    /** Handles a peer's message about a measurement. */
    public void heard(NodeId node, byte[] bytes) throws MalformedMessageException {
        BandwidthMessage message = BandwidthMessage.decode(bytes);
        busy();
        driver.step(new Event.Heard(node, message));
    }

    /** Handles a peer's report. */
    public void reported(NodeId node, byte[] bytes) throws MalformedMessageException {
        LinkReport report = LinkReportEncoding.decode(bytes);
        if (linked.contains(node)) {
            reports.put(node, report);
            directory.reported(node, reports, clock.nanoTime());
        }
    }

    /** Steps the machine if that is due, and sends this node's report if it changed notably. */
    public void drive() {
        busy();
        linked.forEach(this::introduce);
        driver.tickIfDue();
        own = report();
        reports.put(self, own);
        long nanos = clock.nanoTime();
        if (own.differs(sent) && nanos - sentNanos >= REPORT_NANOS) {
            sent = own;
            sentNanos = nanos;
            byte[] bytes = LinkReportEncoding.encode(own);
            linked.forEach(node -> messenger.send(node, LinkReportEncoding.KIND, bytes));
        }
    }

    /** Time until the machine needs a tick. */
    public long sleepNanos() {
        return driver.sleepNanos();
    }

    /** The measurements of this node's links. */
    public LinkReport own() {
        return own;
    }

    /** The reports of all linked nodes and this one. */
    public LinkReports reports() {
        return reports;
    }

    private void busy() {
        boolean now = busy.getAsBoolean();
        if (now != driver.state().busy()) {
            driver.step(new Event.Busy(now));
        }
    }

    /** Tells the machine of a link once its round trip is known; a rate from an earlier run has its age. */
    private void introduce(NodeId peer) {
        if (known.contains(peer)) {
            return;
        }
        directory.topology().link(self, peer).map(ConnectionProfile::best).ifPresent(path -> {
            known.add(peer);
            long ageNanos = path.bytesPerSecond().isPresent() ? path.ageNanos(clock.nanoTime()) : Long.MAX_VALUE;
            driver.step(new Event.Linked(peer, ageNanos));
        });
    }

    private LinkReport report() {
        SortedMap<NodeId, LinkReport.Measured> links = new TreeMap<>();
        for (NodeId peer : linked) {
            Optional<ConnectionProfile> out = directory.topology().link(self, peer);
            if (out.isPresent() && links.size() < LinkReport.LINKS_MAX) {
                links.put(
                        peer,
                        new LinkReport.Measured(
                                Math.min(out.get().roundTripNanos(), LinkReport.ROUND_TRIP_NANOS_MAX),
                                rate(out),
                                rate(directory.topology().link(peer, self)),
                                Optional.of(way(out.get().best()))));
            }
        }
        return new LinkReport(links);
    }

    private LinkReport.Way way(PathProfile path) {
        long ageSeconds = path.ageNanos(clock.nanoTime()) / 1_000_000_000L;
        return new LinkReport.Way(path.path(), path.kind(), Math.min(ageSeconds, LinkReport.Way.AGE_SECONDS_MAX));
    }

    private static long rate(Optional<ConnectionProfile> link) {
        OptionalLong bytesPerSecond = link.isPresent() ? link.get().bytesPerSecond() : OptionalLong.empty();
        return Math.min(bytesPerSecond.orElse(0), LinkReport.BYTES_PER_SECOND_MAX);
    }

    private void carryOut(Effect effect) {
        switch (effect) {
            case Effect.Say(NodeId peer, BandwidthMessage message) ->
                messenger.send(peer, BandwidthMessage.KIND, message.encode());
            case Effect.Run(NodeId peer, long number, boolean asked) ->
                measurer.run(
                        peer,
                        number,
                        asked ? self : peer,
                        sent.links().containsKey(peer) ? sent.links().get(peer).roundTripNanos() : 0);
            case Effect.Stop(NodeId _, long number) -> measurer.stop(number);
            case Effect.Measured(NodeId peer, Bandwidth bandwidth) -> {
                LOG.info(
                        "measured peer={} outMbitPerSecond={} inMbitPerSecond={}",
                        peer.shortText(),
                        megabits(bandwidth.outBytesPerSecond()),
                        megabits(bandwidth.inBytesPerSecond()));
                directory.throughput(
                        peer,
                        OptionalLong.of(bandwidth.outBytesPerSecond()),
                        OptionalLong.of(bandwidth.inBytesPerSecond()),
                        clock.nanoTime());
            }
        }
    }

    private static long megabits(long bytesPerSecond) {
        return Math.round((double) bytesPerSecond * Byte.SIZE / 1e6);
    }
}
