package io.hearth.agent.node;

import io.hearth.agent.group.ControlData;
import io.hearth.agent.group.GroupTalk;
import io.hearth.agent.group.Membership;
import io.hearth.agent.group.WaitTalk;
import io.hearth.agent.group.machine.TrainerNote;
import io.hearth.agent.guest.NodeGuest;
import io.hearth.agent.loop.NodeEvent;
import io.hearth.agent.loop.NodeInbox;
import io.hearth.agent.loop.NodeLoop;
import io.hearth.agent.peers.AwayPeers;
import io.hearth.agent.peers.Duplicates;
import io.hearth.agent.peers.PeerDirectory;
import io.hearth.agent.peers.PeerFaults;
import io.hearth.agent.peers.PeerFinder;
import io.hearth.agent.peers.PeerWatch;
import io.hearth.agent.peers.RefusedPeers;
import io.hearth.agent.peers.RelayFinder;
import io.hearth.agent.roster.RosterTalk;
import io.hearth.agent.status.ClusterStatus;
import io.hearth.agent.topology.BandwidthTalk;
import io.hearth.agent.topology.PlanKeeper;
import io.hearth.collective.group.WaitNote;
import io.hearth.core.Clock;
import io.hearth.core.MalformedMessageException;
import io.hearth.discovery.Candidate;
import io.hearth.discovery.SourceKind;
import io.hearth.discovery.protobuf.AddressNewsEncoding;
import io.hearth.election.GroupPhase;
import io.hearth.election.Member;
import io.hearth.election.Message;
import io.hearth.election.Role;
import io.hearth.election.View;
import io.hearth.election.health.HealthConfig;
import io.hearth.election.health.HealthMachine;
import io.hearth.election.health.Silence;
import io.hearth.election.protobuf.MessageEncoding;
import io.hearth.election.view.state.Peer;
import io.hearth.election.view.state.ViewEvent;
import io.hearth.election.vote.VoterAnswer;
import io.hearth.election.vote.VoterTask;
import io.hearth.identity.NodeId;
import io.hearth.identity.PeerId;
import io.hearth.identity.roster.machine.RosterMessageEncoding;
import io.hearth.topology.ClusterTopology;
import io.hearth.topology.LinkReportEncoding;
import io.hearth.topology.NodeLoad;
import io.hearth.topology.NodeProfileEncoding;
import io.hearth.topology.bandwidth.BandwidthMessage;
import io.hearth.topology.export.SlowLinks;
import io.hearth.topology.memory.Measurements;
import io.hearth.transport.LinkInfo;
import io.hearth.transport.links.Links;
import java.util.Collections;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SortedSet;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The work of a node's owner thread: passes each event to the machines that it concerns, and publishes the status. It decides nothing
 * itself.
 */
public final class NodeCore implements NodeLoop.Body, PeerWatch.Outcome {
    private static final Logger LOG = LoggerFactory.getLogger(NodeCore.class);
    private static final long PUBLISH_NANOS = 250_000_000;
    private static final long PUBLISH_IDLE_NANOS = 2_500_000_000L;
    private static final long REMEMBER_NANOS = 60_000_000_000L;

    private final Clock clock;
    private final NodeInbox inbox;
    private final Links links;
    private final PeerFinder finder;
    private final RelayFinder relays;
    private final PeerWatch watch;
    private final Membership membership;
    private final PeerDirectory directory;
    private final Consumer<Measurements> memory;
    private final RefusedPeers refused;
    private final AwayPeers away;
    private final PeerFaults faults;
    private final Duplicates duplicates;
    private final StatusReport report;
    private final GroupTalk talk;
    private final WaitTalk waits;
    private final BandwidthTalk bandwidth;
    private final PlanKeeper plans;
    private final Optional<RosterTalk> roster;
    private final NodeGuest guest;
    private Optional<View> guestView = Optional.empty(); // the newest that the guest knows
    private SortedSet<PeerId> excluded = Collections.emptySortedSet();
    private Optional<View> excludedFrom = Optional.empty();
    private long excludedAt = -1; // number of roster changes at the last exclusion
    private final BiConsumer<ClusterStatus, ClusterTopology> publisher;
    private final long startedNanos;
    private OptionalLong firstPeerMillis = OptionalLong.empty();
    private SlowLinks slowLinks = SlowLinks.NONE;
    private boolean changed = true; // since the last publication
    private long publishedNanos;
    private long rememberedNanos;
    private boolean started;

    /**
     * The parts that a node's owner thread steps.
     *
     * @param memory takes the measurements of links now and then; it must not block
     */
    public record Parts(
            NodeId self,
            NodeInbox inbox,
            Links links,
            PeerFinder finder,
            RelayFinder relays,
            Membership membership,
            PeerDirectory directory,
            Consumer<Measurements> memory,
            StatusReport report,
            GroupTalk talk,
            WaitTalk waits,
            BandwidthTalk bandwidth,
            PlanKeeper plans,
            Optional<RosterTalk> roster,
            PeerFaults faults,
            NodeGuest guest) {}

    /**
     * A core that has not run.
     *
     * @param startedNanos start time of the node
     * @param publisher takes each new status, with the topology of that moment
     */
    public NodeCore(
            Clock clock,
            long startedNanos,
            Parts parts,
            HealthConfig health,
            BiConsumer<ClusterStatus, ClusterTopology> publisher) {
        this.clock = clock;
        this.startedNanos = startedNanos;
        this.inbox = parts.inbox();
        this.links = parts.links();
        this.refused = new RefusedPeers(clock);
        this.away = new AwayPeers(clock);
        this.faults = parts.faults();
        this.duplicates = new Duplicates(parts.self());
        this.watch = new PeerWatch(health, clock, this);
        this.finder = parts.finder();
        this.relays = parts.relays();
        this.membership = parts.membership();
        this.directory = parts.directory();
        this.memory = parts.memory();
        this.report = parts.report();
        this.talk = parts.talk();
        this.waits = parts.waits();
        this.bandwidth = parts.bandwidth();
        this.plans = parts.plans();
        this.roster = parts.roster();
        this.guest = parts.guest();
        this.publisher = publisher;
        this.publishedNanos = startedNanos;
        this.rememberedNanos = startedNanos;
    }

    /** The current status of the node. */
    public ClusterStatus status() {
        return report.status(
                membership,
                watch,
                directory,
                away,
                refused.list(),
                faults.list(),
                duplicates,
                firstPeerMillis,
                slowLinks.list(directory.topology()),
                bandwidth.delays());
    }

    @Override
    public void handle(NodeEvent event) {
        startOnce();
        if (!faults.guard(event, this::dispatch)) { // no |=, which would forget what the dispatch itself sets
            changed = true;
        }
        exclude();
    }

    private void dispatch(NodeEvent event) {
        switch (event) {
            case NodeEvent.Admitted admitted -> admitted(admitted);
            case NodeEvent.Moved(var link) -> moved(link);
            case NodeEvent.Reached(var link) -> finder.reached(link);
            case NodeEvent.RelayFailed(var via, var target, var why) -> relays.failed(via, target, why);
            case NodeEvent.Lost lost -> lost(lost);
            case NodeEvent.Message message -> message(message);
            case NodeEvent.Refused refusal -> {
                changed |= refused.note(refusal);
                finder.refused(refusal);
            }
            case NodeEvent.Doubled(var machines) -> {
                duplicates.others(machines);
                membership.driver().step(new ViewEvent.Doubled(duplicates.machines()));
                changed = true;
            }
            case NodeEvent.OwnDoubled(var found, var by) -> {
                membership.ownDoubled(duplicates.own(found, by), duplicates.machines());
                changed = true;
            }
            case NodeEvent.DialFailed failed -> {
                watch.dialFailed(failed);
                finder.dialFailed(failed);
            }
            case NodeEvent.Sighted sighted -> sighted(sighted);
            case NodeEvent.Measuring(var measuring) -> bandwidth.measuring(measuring);
            case NodeEvent.NetworkChanged() -> finder.networkChanged();
            case NodeEvent.Loaded(NodeLoad load) -> loaded(load);
            case NodeEvent.RekeyOpened(var channel) ->
                roster.ifPresentOrElse(
                        talking -> talking.opened(channel), () -> channel.close("this namespace is open"));
            case NodeEvent.RekeyMessage message ->
                roster.ifPresent(talking -> talking.heard(message.channel(), message.kind(), message.bytes()));
            case NodeEvent.RekeyClosed(var channel) -> {
                roster.ifPresent(talking -> talking.closed(channel));
                finder.rekeyed(channel.address());
            }
            case NodeEvent.RosterStored(var book) -> roster.ifPresent(talking -> talking.stored(book));
            case NodeEvent.RosterProblem(var line) -> {
                roster.ifPresent(talking -> talking.problem(line));
                changed = true;
            }
            case NodeEvent.Blocked(var machines) -> {
                roster.ifPresent(talking -> talking.block(machines));
                finder.networkChanged(); // an admitted node would wait a minute before its next dial
            }
            case NodeEvent.Progress(long doneUpTo, GroupPhase phase) ->
                membership.driver().step(new ViewEvent.Progress(doneUpTo, phase));
            case NodeEvent.GroupBroken(NodeId peer, String why) -> {
                LOG.info("the group's streams are set up again: {}", why);
                membership.driver().step(new ViewEvent.GroupBroken(peer, why));
            }
            case NodeEvent.Resign(String why) -> {
                LOG.warn("out of the group: {}", why);
                membership.driver().step(new ViewEvent.Resign());
            }
            case NodeEvent.Voted(VoterTask task, VoterAnswer answer) ->
                membership.driver().step(new ViewEvent.Voted(task, answer));
            case NodeEvent.Failed(String thread, Throwable why) ->
                throw new IllegalStateException(thread + " failed: " + why, why);
            case NodeEvent.Leave(String why) -> {
                LOG.info("leaving: {}", why);
                membership.driver().step(new ViewEvent.Leave());
            }
        }
    }

    @Override
    public void turn() {
        startOnce();
        for (NodeId peer : inbox.flooding()) {
            faults.close(peer, "it sends more than this node can take");
            changed = true;
        }
        finder.tickIfDue();
        relays.tickIfDue();
        watch.driver().tickIfDue();
        roster.ifPresent(talking -> talking.driver().tickIfDue());
        membership.driver().tickIfDue();
        talk.drive(membership.view(), this::stepAside);
        waits.drive(membership.view());
        bandwidth.drive();
        plans.drive(bandwidth.reports());
        long now = clock.nanoTime();
        if (report.isNewView(membership)) {
            changed = true;
            dialMembersWithoutLink();
        }
        tellGuest();
        if (changed || now - publishedNanos >= publishNanos()) {
            changed = false;
            publishedNanos = now;
            judgeLinks(now);
            publisher.accept(status(), directory.topology());
        }
        if (now - rememberedNanos >= REMEMBER_NANOS) {
            remember(now);
        }
    }

    private void tellGuest() {
        if (guestView.filter(membership.view()::equals).isEmpty()) {
            guestView = Optional.of(membership.view());
            guest.viewed(membership.view());
        }
    }

    private void judgeLinks(long nowNanos) {
        SlowLinks before = slowLinks;
        slowLinks = before.with(directory.topology(), nowNanos);
        slowLinks.news(before, directory.topology()).forEach(line -> LOG.warn("{}", line));
    }

    private void remember(long nowNanos) {
        rememberedNanos = nowNanos;
        memory.accept(directory.measurements(nowNanos));
    }

    @Override
    public long sleepNanos() {
        long sleep = Math.min(finder.sleepNanos(), watch.driver().sleepNanos());
        sleep = Math.min(sleep, relays.sleepNanos());
        sleep = Math.min(sleep, membership.driver().sleepNanos());
        sleep = Math.min(sleep, bandwidth.sleepNanos());
        sleep = Math.min(sleep, waits.sleepNanos());
        if (roster.isPresent()) {
            sleep = Math.min(sleep, roster.get().driver().sleepNanos());
        }
        return Math.max(0, Math.min(sleep, publishNanos()));
    }

    /** Changes are published at once; this is for what changes all the time, such as round trips. */
    private long publishNanos() {
        return watch.isIdle() ? PUBLISH_IDLE_NANOS : PUBLISH_NANOS;
    }

    @Override
    public void heartbeat(HealthMachine.Effect.SendHeartbeat heartbeat) {
        membership.send(
                heartbeat.to(),
                new Message.Heartbeat(membership.driver().state().presence(), heartbeat.beat()));
    }

    @Override
    public void suspected(HealthMachine.Effect.Suspected suspected) {
        if (membership.view().member(suspected.node()).isPresent()) {
            LOG.warn("peer={} suspected: {}", suspected.node().shortText(), suspected.why());
        } else {
            LOG.debug(
                    "peer={} suspected: {}", suspected.node().shortText(), suspected.why()); // it left, or never was in
        }
        membership.driver().step(new ViewEvent.Suspected(suspected.node(), suspected.incarnation()));
        changed = true;
    }

    @Override
    public void processEnded(HealthMachine.Effect.ProcessEnded ended) {
        membership.driver().step(new ViewEvent.ProcessEnded(ended.node(), ended.incarnation()));
    }

    @Override
    public void trusted(HealthMachine.Effect.Trusted trusted) {
        membership.driver().step(new ViewEvent.Trusted(trusted.node(), trusted.incarnation()));
        changed = true;
    }

    @Override
    public void silenceChosen(Silence silence) {
        membership.driver().step(new ViewEvent.SilenceChosen(silence.nanos()));
        changed = true;
    }

    @Override
    public void renew(HealthMachine.Effect.Renew renew) {
        LOG.info("link to peer={} is replaced: {}", renew.node().shortText(), renew.why());
        links.close(renew.node(), renew.why() + "; a new link is made");
    }

    @Override
    public void silent(NodeId node) {
        finder.silent(node);
        relays.silent(node);
    }

    @Override
    public void heard(NodeId node) {
        relays.heard(node);
    }

    /** Removes the machines that the roster excluded with the next view. Runs before any later message of a peer is handled. */
    private void exclude() {
        View view = membership.view();
        if (roster.isEmpty()
                || (roster.get().changes() == excludedAt
                        && excludedFrom.filter(view::equals).isPresent())) {
            return;
        }
        excludedAt = roster.get().changes();
        excludedFrom = Optional.of(view);
        SortedSet<PeerId> out = roster.get().outOf(view.machines());
        if (!out.equals(excluded)) {
            out.stream()
                    .filter(machine -> !excluded.contains(machine))
                    .forEach(machine -> LOG.warn(
                            "machine={} is out of the namespace: it goes with the next view", machine.shortText()));
            excluded = out;
            membership.driver().step(new ViewEvent.Excluded(out));
            changed = true;
        }
    }

    /** Dials the members without a link: all members of a view need links to one another. */
    private void dialMembersWithoutLink() {
        Set<NodeId> members =
                membership.view().members().stream().map(Member::node).collect(Collectors.toSet());
        watch.members(members, membership.view().members().stream().anyMatch(member -> member.role() == Role.TRAINER));
        relays.wanted(members);
        finder.together(
                members, members.stream().filter(node -> !watch.isLinked(node)).collect(Collectors.toSet()));
    }

    /** Leaves for a view of its own, because the group is full without this node. */
    private void stepAside() {
        membership.driver().step(new ViewEvent.Progress(-1, GroupPhase.BUSY)); // it requests no entry
        membership.driver().step(new ViewEvent.Resign());
        changed = true;
    }

    private void startOnce() {
        if (!started) {
            started = true;
            membership.start();
        }
    }

    /**
     * Passes a sighting on. An address where a member was once gets a reserved place before admission, because the member may come from
     * there again.
     */
    private void sighted(NodeEvent.Sighted sighted) {
        if (sighted.sighting().source() == SourceKind.REMEMBERED) {
            for (Candidate candidate : sighted.sighting().candidates()) {
                PeerFinder.usable(candidate.address()).ifPresent(found -> links.remember(found.getAddress()));
            }
        }
        finder.sighted(sighted);
    }

    private void admitted(NodeEvent.Admitted admitted) {
        NodeId node = admitted.link().peer().id();
        if (firstPeerMillis.isEmpty()) {
            firstPeerMillis = OptionalLong.of((clock.nanoTime() - startedNanos) / 1_000_000);
        }
        LOG.info(
                "linked peer={} address={} dialled={}",
                node.shortText(),
                admitted.link().address(),
                admitted.link().dialedByUs());
        directory.admitted(admitted.link());
        away.returned(node);
        refused.admitted(node.peer(), admitted.link().address().getAddress());
        relays.admitted(admitted.link());
        talk.admitted(node);
        bandwidth.admitted(node);
        introduce(node);
        guest.linked(admitted.link());
        roster.ifPresent(talking -> talking.admitted(node, admitted.link().keyId()));
        if (!admitted.link().relayed()) { // direct dials go on meanwhile
            links.remember(admitted.link().address().getAddress());
            finder.admitted(admitted.link());
        }
        membership
                .driver()
                .step(new ViewEvent.Linked(node, admitted.link().peer().incarnation()));
        watch.admitted(admitted.link());
        changed = true;
    }

    /**
     * Another connection carries the link. To the other end that may have been a loss and a new link, if its connection broke first: it has
     * forgotten what this node told it.
     */
    private void moved(LinkInfo link) {
        directory.moved(link);
        introduce(link.peer().id());
        guest.moved(link);
    }

    /** Tells a node what each link begins with. */
    private void introduce(NodeId node) {
        links.send(node, NodeProfileEncoding.KIND, directory.introduction());
        talk.tell(node);
        bandwidth.tell(node);
    }

    private void loaded(NodeLoad load) {
        if (directory.loaded(load, clock.nanoTime())) {
            byte[] profile = directory.introduction();
            directory.linked().forEach(node -> links.send(node, NodeProfileEncoding.KIND, profile));
        }
    }

    private void lost(NodeEvent.Lost lost) {
        LOG.info("link lost peer={} why={}", lost.peer().shortText(), lost.why());
        roster.ifPresent(talking -> {
            talking.saw(lost.peer(), directory.label(lost.peer()));
            talking.lost(lost.peer());
        });
        away.lost(lost.peer(), directory.label(lost.peer()), directory.address(lost.peer()), lost.why());
        remember(clock.nanoTime());
        directory.lost(lost.peer(), rememberedNanos);
        talk.lost(lost.peer());
        waits.lost(lost.peer());
        bandwidth.lost(lost.peer());
        guest.unlinked(lost.peer());
        if (!relays.isRelayed(lost.peer())) {
            finder.lost(lost);
        }
        relays.lost(lost.peer());
        watch.lost(lost.peer())
                .ifPresent(incarnation ->
                        membership.driver().step(new ViewEvent.Unlinked(lost.peer(), incarnation, lost.why())));
        changed = true;
    }

    private void message(NodeEvent.Message message) {
        try {
            if (MessageEncoding.isKind(message.kind())) {
                Message decoded = MessageEncoding.decode(message.kind(), message.bytes());
                ControlData.requireReadable(decoded);
                election(message.from(), message.incarnation(), decoded);
            } else if (message.kind() == NodeProfileEncoding.KIND) {
                if (directory.introduced(message.from(), message.bytes())) { // not again for each change of load
                    roster.ifPresent(talking -> talking.saw(message.from(), directory.label(message.from())));
                }
                changed = true;
            } else if (RosterMessageEncoding.isKind(message.kind())) {
                roster.ifPresent(
                        talking -> talking.heard(message.from(), faults::close, message.kind(), message.bytes()));
            } else if (message.kind() == AddressNewsEncoding.KIND) {
                finder.reported(message.from(), AddressNewsEncoding.decode(message.bytes()));
            } else if (message.kind() == TrainerNote.KIND) {
                talk.heard(message.from(), message.bytes());
                changed = true;
            } else if (message.kind() == WaitNote.KIND) {
                waits.heard(message.from(), message.bytes());
            } else if (message.kind() == BandwidthMessage.KIND) {
                bandwidth.heard(message.from(), message.bytes());
            } else if (message.kind() == LinkReportEncoding.KIND) {
                bandwidth.reported(message.from(), message.bytes());
            } else if (message.kind() >= NodeGuest.KIND_MIN && message.kind() <= NodeGuest.KIND_MAX) {
                guest.heard(message.from(), message.kind(), message.bytes());
            }
        } catch (MalformedMessageException malformed) {
            faults.close(message.from(), "malformed message: " + malformed.getMessage());
            changed = true;
        }
    }

    private void election(NodeId from, long incarnation, Message message) {
        watch.heard(
                from,
                incarnation,
                message instanceof Message.Heartbeat heartbeat ? Optional.of(heartbeat) : Optional.empty());
        if (message instanceof Message.Heartbeat) {
            watch.peer(from).ifPresent(health -> {
                directory.measured(from, health, clock.nanoTime());
                health.lastRttNanos().ifPresent(nanos -> bandwidth.roundTrip(from, nanos));
            });
        }
        Optional<String> before = viewOf(from);
        membership.driver().step(new ViewEvent.Received(from, incarnation, message));
        if (!before.equals(viewOf(from))) {
            changed = true; // whether it lives in this node's view is shown
        }
    }

    /** The view in which a peer says that it lives. */
    private Optional<String> viewOf(NodeId node) {
        return Optional.ofNullable(membership.driver().state().peers().get(node))
                .flatMap(Peer::presence)
                .map(presence -> presence.lineage() + " " + presence.epoch());
    }
}
