package io.hearth.agent.topology;

import io.hearth.agent.loop.MachineDriver;
import io.hearth.agent.peers.PeerDirectory;
import io.hearth.core.Clock;
import io.hearth.core.MalformedMessageException;
import io.hearth.identity.NodeId;
import io.hearth.topology.ConnectionProfile;
import io.hearth.topology.LeastRoundTrip;
import io.hearth.topology.LinkReport;
import io.hearth.topology.LinkReportEncoding;
import io.hearth.topology.LinkReports;
import io.hearth.topology.NodeLoad;
import io.hearth.topology.PathProfile;
import io.hearth.topology.Straggler;
import io.hearth.topology.bandwidth.Bandwidth;
import io.hearth.topology.bandwidth.BandwidthMachine;
import io.hearth.topology.bandwidth.BandwidthMachine.Effect;
import io.hearth.topology.bandwidth.BandwidthMachine.Event;
import io.hearth.topology.bandwidth.BandwidthMachine.Limits;
import io.hearth.topology.bandwidth.BandwidthMachine.State;
import io.hearth.topology.bandwidth.BandwidthMessage;
import io.hearth.topology.bandwidth.CodecShare;
import io.hearth.topology.bandwidth.Flow;
import io.hearth.topology.bandwidth.OutRates;
import io.hearth.topology.bandwidth.SeenRates;
import io.hearth.topology.bandwidth.StragglerJudge;
import java.util.Collections;
import java.util.HashSet;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Measures this node's links as the machine says, and exchanges reports of links with all linked nodes. Owner thread only.
 *
 * <p>While collectives run there are no measurements. Then {@link SeenRates} and {@link OutRates} conclude the rates from what arrives.
 *
 * <p>An agent measures nothing: its Java has only the quick compiler, so its cipher is slower than a fast link.
 */
public final class BandwidthTalk {
    private static final Logger LOG = LoggerFactory.getLogger(BandwidthTalk.class);
    private static final long REPORT_NANOS = 500_000_000;
    private static final long LOOK_NANOS = 500_000_000;

    /** A peer without a heartbeat for so long does not answer: some missed heartbeats. */
    private static final long ANSWER_NANOS = 3_000_000_000L;

    private final NodeId self;
    private final Clock clock;
    private final BooleanSupplier busy;
    private final Supplier<SortedMap<NodeId, Flow>> flows;
    private final LongSupplier codecNanos;
    private final Messenger messenger;
    private final Measurer measurer;
    private final MachineDriver<State, Event, Effect> driver;
    private final PeerDirectory directory;
    private final Set<NodeId> linked = new HashSet<>();
    private final Set<NodeId> known = new HashSet<>(); // linked nodes that the machine knows
    private final SortedMap<NodeId, Rates> rates =
            new TreeMap<>(); // by this node's measurements, of the nodes in known
    private final SortedMap<NodeId, LeastRoundTrip> roundTrips = new TreeMap<>(); // of linked nodes
    private final LinkReports reports = new LinkReports();
    private final SeenRates seenRates = new SeenRates();
    private final OutRates outRates = new OutRates();
    private final StragglerJudge judge = new StragglerJudge();
    private final CodecShare codecShare = new CodecShare();
    private final SortedMap<NodeId, Long> heardNanos = new TreeMap<>(); // newest heartbeat of linked nodes
    private SortedMap<NodeId, Flow> counters = Collections.emptySortedMap(); // at the latest look
    private Optional<Straggler> straggler = Optional.empty();
    private SortedMap<NodeId, Long> seen = Collections.emptySortedMap(); // what collectives show of bytes to this node
    private int codecPercent;
    private long lookedNanos;
    private LinkReport own = LinkReport.NONE;
    private boolean isOutdated; // whether own may lack a link or have one too many
    private LinkReport sent = LinkReport.NONE;
    private long sentNanos;

    /** Bytes per second to and from a peer; 0 if not known. */
    private record Rates(long out, long in) {}

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
     * @param flows what arrived in this node's collectives, by peer
     * @param codecNanos total time that this node's codecs took
     */
    public BandwidthTalk(
            NodeId self,
            Clock clock,
            PeerDirectory directory,
            BooleanSupplier busy,
            Supplier<SortedMap<NodeId, Flow>> flows,
            LongSupplier codecNanos,
            Messenger messenger,
            Measurer measurer) {
        this.self = self;
        this.clock = clock;
        this.directory = directory;
        this.busy = busy;
        this.flows = flows;
        this.codecNanos = codecNanos;
        this.messenger = messenger;
        this.measurer = measurer;
        var machine = new BandwidthMachine(self, Limits.DEFAULTS);
        this.sentNanos = clock.nanoTime() - REPORT_NANOS;
        this.lookedNanos = clock.nanoTime() - LOOK_NANOS;
        this.driver =
                new MachineDriver<>(machine, machine.start(clock.nanoTime()), new Event.Tick(), clock, this::carryOut);
    }

    public void admitted(NodeId node) {
        linked.add(node);
    }

    /** Tells a linked node this node's links. */
    public void tell(NodeId node) {
        if (!sent.links().isEmpty()) {
            messenger.send(node, LinkReportEncoding.KIND, LinkReportEncoding.encode(sent));
        }
    }

    public void lost(NodeId node) {
        linked.remove(node);
        isOutdated = true;
        reports.remove(node);
        rates.remove(node);
        roundTrips.remove(node);
        heardNanos.remove(node);
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

    /** Takes the newest round trip to a linked node, in nanoseconds, when a heartbeat of it arrived. */
    public void roundTrip(NodeId node, long nanos) {
        if (linked.contains(node)) {
            long now = clock.nanoTime();
            heardNanos.put(node, now);
            LeastRoundTrip former = roundTrips.get(node);
            roundTrips.put(node, former == null ? LeastRoundTrip.first(nanos, now) : former.with(nanos, now));
        }
    }

    /** Handles a peer's report. */
    public void reported(NodeId node, byte[] bytes) throws MalformedMessageException {
        LinkReport report = LinkReportEncoding.decode(bytes);
        if (linked.contains(node)) {
            reports.put(node, report);
            directory.reported(node, reports, clock.nanoTime());
            busy();
            show(node);
        }
    }

    /** Steps the machine if that is due, and sends this node's report if it changed notably. */
    public void drive() {
        busy();
        linked.forEach(this::introduce);
        driver.tickIfDue();
        long nanos = clock.nanoTime();
        if (nanos - lookedNanos >= LOOK_NANOS) {
            look(nanos - lookedNanos);
            lookedNanos = nanos;
            isOutdated = true; // round trips and paths change all the time
        }
        if (isOutdated) {
            renew();
        }
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

    /** The nodes for which collectives wait, by the node that waits and reports it. */
    public SortedMap<NodeId, Straggler> delays() {
        var delays = new TreeMap<NodeId, Straggler>();
        reports.all().forEach((node, report) -> report.straggler().ifPresent(late -> delays.put(node, late)));
        return delays;
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
            isOutdated = true;
            rates.put(
                    peer,
                    new Rates(
                            path.bytesPerSecond().orElse(0),
                            rate(directory.topology().link(peer, self))));
            long ageNanos = path.bytesPerSecond().isPresent() ? path.ageNanos(clock.nanoTime()) : Long.MAX_VALUE;
            driver.step(new Event.Linked(peer, ageNanos));
        });
    }

    /** Concludes from what arrived in collectives since the look before. */
    private void look(long elapsedNanos) {
        SortedMap<NodeId, Flow> before = counters;
        counters = new TreeMap<>(flows.get());
        boolean isMoving = !counters.equals(before);
        codecPercent = codecShare.look(
                codecNanos.getAsLong(), elapsedNanos, driver.state().busy());
        if (driver.state().busy()) {
            judge(before, elapsedNanos);
        }
        var inward = new TreeMap<NodeId, Long>();
        rates.keySet().forEach(peer -> reports.bytesPerSecond(peer, self).ifPresent(rate -> inward.put(peer, rate)));
        seen = seenRates.look(counters, inward);
        seen.forEach((peer, rate) -> {
            if (rates.containsKey(peer) && SeenRates.raises(rate, rates(peer).in())) {
                driver.step(new Event.Observed(peer, OptionalLong.empty(), OptionalLong.of(rate)));
            }
        });
        if (isMoving) { // else the receivers' rates are about to be outdated
            var outward = new TreeMap<NodeId, Long>();
            var bySight = new TreeMap<NodeId, Long>();
            rates.forEach((peer, rate) -> {
                outward.put(peer, rate.out());
                long its = reports.seenBytesPerSecond(self, peer);
                if (its > 0) {
                    bySight.put(peer, its);
                }
            });
            outRates.look(bySight, outward)
                    .forEach((peer, rate) ->
                            driver.step(new Event.Observed(peer, OptionalLong.of(rate), OptionalLong.empty())));
        }
    }

    private void judge(SortedMap<NodeId, Flow> before, long elapsedNanos) {
        var peers = new TreeMap<NodeId, StragglerJudge.Peer>();
        counters.forEach((peer, flow) -> peers.put(
                peer,
                new StragglerJudge.Peer(
                        flow.since(before.getOrDefault(peer, Flow.NONE)),
                        reports.bytesPerSecond(peer, self).orElse(0),
                        directory
                                .topology()
                                .profile(peer)
                                .map(profile -> profile.load().percent())
                                .orElse(NodeLoad.UNKNOWN),
                        reports.codecPercent(peer),
                        clock.nanoTime() - heardNanos.getOrDefault(peer, clock.nanoTime()) < ANSWER_NANOS)));
        Optional<Straggler> former = straggler;
        straggler = judge.look(peers, elapsedNanos);
        if (straggler.isPresent() && former.filter(straggler.get()::isLike).isEmpty()) {
            NodeId late = straggler.get().node();
            LOG.warn(
                    "peer={} ({}) delays collectives: {}",
                    late.shortText(),
                    directory.label(late),
                    straggler.get().text());
        } else if (straggler.isEmpty() && former.isPresent()) {
            LOG.info("peer={} no longer delays collectives", former.get().node().shortText());
        }
    }

    private void renew() {
        isOutdated = false;
        own = report();
        reports.put(self, own);
    }

    private LinkReport report() {
        SortedMap<NodeId, LinkReport.Measured> links = new TreeMap<>();
        for (NodeId peer : linked) {
            Optional<ConnectionProfile> out = directory.topology().link(self, peer);
            if (out.isPresent() && links.size() < LinkReport.LINKS_MAX) {
                LeastRoundTrip least = roundTrips.get(peer);
                links.put(
                        peer,
                        new LinkReport.Measured(
                                Math.min(
                                        least == null ? out.get().roundTripNanos() : least.nanos(),
                                        LinkReport.ROUND_TRIP_NANOS_MAX),
                                limited(rates(peer).out()),
                                limited(rates(peer).in()),
                                limited(seen.getOrDefault(peer, 0L)),
                                Optional.of(way(out.get().best()))));
            }
        }
        return new LinkReport(links, straggler, codecPercent);
    }

    private Rates rates(NodeId peer) {
        return rates.getOrDefault(peer, new Rates(0, 0));
    }

    private LinkReport.Way way(PathProfile path) {
        long ageSeconds = path.ageNanos(clock.nanoTime()) / 1_000_000_000L;
        return new LinkReport.Way(
                path.path(), path.kind(), Math.min(ageSeconds, LinkReport.Way.AGE_SECONDS_MAX), path.lossPermille());
    }

    private static long rate(Optional<ConnectionProfile> link) {
        return (link.isPresent() ? link.get().bytesPerSecond() : OptionalLong.empty()).orElse(0);
    }

    private static long limited(long bytesPerSecond) {
        return Math.min(bytesPerSecond, LinkReport.BYTES_PER_SECOND_MAX);
    }

    /** Replaces the known rates of a link; an empty one stays. */
    private void rated(NodeId peer, OptionalLong out, OptionalLong in) {
        Rates former = rates(peer);
        rates.put(peer, new Rates(out.orElse(former.out()), in.orElse(former.in())));
        renew();
        directory.throughput(
                peer, reports.bytesPerSecond(self, peer), reports.bytesPerSecond(peer, self), clock.nanoTime());
    }

    /**
     * Shows the rates that count after a peer's report: of each direction the lower one of both ends, so that both ends show the same. A much
     * lower one is doubted: the peer concluded it from collectives, and this node may be the one that asks for measurements.
     */
    private void show(NodeId peer) {
        OptionalLong out = reports.bytesPerSecond(self, peer);
        OptionalLong in = reports.bytesPerSecond(peer, self);
        long formerOut = rate(directory.topology().link(self, peer));
        long formerIn = rate(directory.topology().link(peer, self));
        if (out.orElse(formerOut) != formerOut || in.orElse(formerIn) != formerIn) {
            directory.throughput(peer, out, in, clock.nanoTime());
        }
        if (out.orElse(formerOut) < formerOut / 2 || in.orElse(formerIn) < formerIn / 2) {
            driver.step(new Event.Doubted(peer));
        }
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
                rated(
                        peer,
                        OptionalLong.of(bandwidth.outBytesPerSecond()),
                        OptionalLong.of(bandwidth.inBytesPerSecond()));
                bandwidth.lossPermille().ifPresent(loss -> directory.loss(peer, loss));
            }
            case Effect.Seen(NodeId peer, OptionalLong out, OptionalLong in) -> {
                LOG.info(
                        "collectives show another rate: peer={}{}{}",
                        peer.shortText(),
                        out.isPresent() ? " outMbitPerSecond=" + megabits(out.getAsLong()) : "",
                        in.isPresent() ? " inMbitPerSecond=" + megabits(in.getAsLong()) : "");
                rated(peer, out, in);
            }
        }
    }

    private static long megabits(long bytesPerSecond) {
        return Math.round((double) bytesPerSecond * Byte.SIZE / 1e6);
    }
}
