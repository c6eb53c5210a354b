package io.hearth.agent.bandwidth;

import io.hearth.agent.loop.MachineDriver;
import io.hearth.core.Clock;
import io.hearth.core.MalformedMessageException;
import io.hearth.identity.NodeId;
import io.hearth.topology.LinkReport;
import io.hearth.topology.LinkReportEncoding;
import io.hearth.topology.LinkReports;
import io.hearth.topology.bandwidth.Bandwidth;
import io.hearth.topology.bandwidth.BandwidthMachine;
import io.hearth.topology.bandwidth.BandwidthMachine.Effect;
import io.hearth.topology.bandwidth.BandwidthMachine.Event;
import io.hearth.topology.bandwidth.BandwidthMachine.Limits;
import io.hearth.topology.bandwidth.BandwidthMachine.State;
import io.hearth.topology.bandwidth.BandwidthMessage;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
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
    private final Set<NodeId> linked = new HashSet<>();
    private final Map<NodeId, Bandwidth> measured = new HashMap<>();
    private final LinkReports reports = new LinkReports();
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
     * @param busy whether a collective runs on this node; always true for a node that measures nothing
     */
    public BandwidthTalk(NodeId self, Clock clock, BooleanSupplier busy, Messenger messenger, Measurer measurer) {
        this.self = self;
        this.clock = clock;
        this.busy = busy;
        this.messenger = messenger;
        this.measurer = measurer;
        var machine = new BandwidthMachine(self, Limits.DEFAULTS);
        this.sentNanos = clock.nanoTime() - REPORT_NANOS;
        this.driver = new MachineDriver<>(
                machine, machine.start(clock.nanoTime()), new Event.Tick(), clock, this::carryOut);
    }

    public void admitted(NodeId node) {
        linked.add(node);
        driver.step(new Event.Linked(node, Long.MAX_VALUE));
        if (!sent.links().isEmpty()) {
            messenger.send(node, LinkReportEncoding.KIND, LinkReportEncoding.encode(sent));
        }
    }

    public void lost(NodeId node) {
        linked.remove(node);
        measured.remove(node);
        reports.remove(node);
        driver.step(new Event.Unlinked(node));
    }

    public void ended(Event.Ended end) {
        driver.step(end);
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
        }
    }

    /**
     * Steps the machine if that is due, and sends this node's report if it changed notably.
     *
     * @param roundTrips measured by this node, in nanoseconds by linked peer
     */
    public void drive(Map<NodeId, Long> roundTrips) {
        busy();
        driver.tickIfDue();
        LinkReport now = report(roundTrips);
        reports.put(self, now);
        long nanos = clock.nanoTime();
        if (now.differs(sent) && nanos - sentNanos >= REPORT_NANOS) {
            sent = now;
            sentNanos = nanos;
            byte[] bytes = LinkReportEncoding.encode(now);
            linked.forEach(node -> messenger.send(node, LinkReportEncoding.KIND, bytes));
        }
    }

    /** Time until the machine needs a tick. */
    public long sleepNanos() {
        return driver.sleepNanos();
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

    private LinkReport report(Map<NodeId, Long> roundTrips) {
        SortedMap<NodeId, LinkReport.Measured> links = new TreeMap<>();
        for (NodeId peer : linked) {
            long roundTrip = roundTrips.getOrDefault(peer, 0L);
            Optional<Bandwidth> rate = Optional.ofNullable(measured.get(peer));
            if ((roundTrip > 0 || rate.isPresent()) && links.size() < LinkReport.LINKS_MAX) {
                links.put(
                        peer,
                        new LinkReport.Measured(
                                Math.min(roundTrip, LinkReport.ROUND_TRIP_NANOS_MAX),
                                rate.map(Bandwidth::outBytesPerSecond).map(BandwidthTalk::credible).orElse(0L),
                                rate.map(Bandwidth::inBytesPerSecond).map(BandwidthTalk::credible).orElse(0L)));
            }
        }
        return new LinkReport(links);
    }

    private static long credible(long bytesPerSecond) {
        return Math.min(bytesPerSecond, LinkReport.BYTES_PER_SECOND_MAX);
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
                measured.put(peer, bandwidth);
            }
        }
    }

    private static long megabits(long bytesPerSecond) {
        return Math.round((double) bytesPerSecond * Byte.SIZE / 1e6);
    }
}
