package io.hearth.election.view.state;

import io.hearth.election.ElectionState;
import io.hearth.election.GroupPhase;
import io.hearth.election.Lineage;
import io.hearth.election.Member;
import io.hearth.election.MessageRejections;
import io.hearth.election.Presence;
import io.hearth.election.Role;
import io.hearth.election.View;
import io.hearth.election.ViewSource;
import io.hearth.election.vote.Voting;
import io.hearth.identity.NodeId;
import io.hearth.identity.PeerId;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * The state of {@code ViewMachine}; immutable. Observers use the methods without {@code Nanos}; the components belong to the machine.
 *
 * @param self the identity of this node
 * @param clock time of the last step, and time spent asleep
 * @param silenceNanos the span of silence in force
 * @param draws count of drawn random numbers
 * @param foundings lineages founded by this start
 * @param lineages known lineages in which its machine has a record
 * @param voting its tasks for the voter
 * @param disk the state of its records
 * @param peers the known nodes
 * @param admission nodes that ask for entry or have to wait
 * @param current its home lineage and view
 * @param freeze whether its data threads run
 * @param campaign its own ballot
 * @param change the change that its view needs or undergoes
 * @param hearing whether a quorum is heard
 * @param join its entry into another lineage
 * @param leave its leaving
 * @param stall whether it waits for a quorum
 * @param resting whether it rests after a pause
 * @param hold whether its group waits before the next step
 * @param progress of its group's collectives
 * @param lapses recent events that kept it from answering the others
 * @param doubled machines whose identity two computers use, as far as this node knows; perhaps its own
 * @param excluded other machines that were put out of the namespace
 * @param pending why it is not admitted yet where it asks; empty if there is no reason
 * @param refusals counts of rejected messages
 */
public record ViewState(
        Self self,
        Clock clock,
        long silenceNanos,
        long draws,
        int foundings,
        SortedMap<Lineage, KnownLineage> lineages,
        Voting voting,
        Disk disk,
        SortedMap<NodeId, Peer> peers,
        Admission admission,
        CurrentView current,
        Freeze freeze,
        Campaign campaign,
        Change change,
        HearingState hearing,
        JoinState join,
        LeaveState leave,
        QuorumLoss stall,
        RestState resting,
        StepBarrierHold hold,
        Progress progress,
        Lapses lapses,
        SortedSet<PeerId> doubled,
        SortedSet<PeerId> excluded,
        String pending,
        MessageRejections refusals) {

    /**
     * The identity of a node.
     *
     * @param wallMillis wall clock at the start, for the birth time of lineages
     * @param startedNanos monotonic clock at the start
     * @param seed of its random waits
     */
    public record Self(
            NodeId node, long incarnation, Role role, String group, long wallMillis, long startedNanos, long seed) {}

    /**
     * The machine's own time, which stops while the node sleeps.
     *
     * @param steppedNanos monotonic instant of the last step
     * @param lostNanos total time spent asleep
     * @param tickedNanos machine time of the last tick
     * @param sweptNanos machine time of the last sweep
     */
    public record Clock(long steppedNanos, long lostNanos, long tickedNanos, long sweptNanos) {}

    /**
     * The state of the records.
     *
     * @param foundNotBeforeNanos earliest retry of a founding that the disk failed to write
     * @param enterNotBeforeNanos earliest retry of an entry whose record the disk failed to write
     * @param retainedNanos time of the last sweep of the records
     * @param fault the last error of the disk; empty while it works
     */
    public record Disk(long foundNotBeforeNanos, long enterNotBeforeNanos, long retainedNanos, String fault) {}

    /** The progress of this node's group's collectives. */
    public record Progress(long doneUpTo, GroupPhase phase) {
        public boolean isBusy() {
            return phase == GroupPhase.BUSY;
        }

        public Progress in(GroupPhase other) {
            return new Progress(doneUpTo, other);
        }

        /** Its work ended with an error, so it makes no progress until it begins a step again. */
        public Progress interrupted() {
            return phase == GroupPhase.FRESH ? this : in(GroupPhase.BUSY);
        }

        /** Numbers of one lineage mean nothing in another. */
        public Progress elsewhere() {
            return new Progress(Math.min(doneUpTo, 0), phase);
        }
    }

    /** The newest known committed view of the home lineage; it lists this node. */
    public View view() {
        return current.view();
    }

    /** The origin of {@link #view}. */
    public ViewSource source() {
        KnownLineage known = lineages.get(current.lineage());
        return known == null ? new ViewSource.Own() : known.source();
    }

    /** The role of this node in the choice of the master. */
    public ElectionState election() {
        if (leave instanceof LeaveState.Gone) {
            return ElectionState.IDLE;
        }
        if (stall instanceof QuorumLoss.Stalled) {
            return ElectionState.STALLED;
        }
        if (!(campaign instanceof Campaign.None)) {
            return ElectionState.CAMPAIGNING;
        }
        return view().members().getFirst().node().equals(self.node()) ? ElectionState.MASTER : ElectionState.FOLLOWER;
    }

    /** Whether a quorum of the newest view is heard and reports this home lineage; only then this node cannot miss a view. */
    public boolean hearsQuorum() {
        return isQuorumHeard(self.node(), current.lineage(), peers, view());
    }

    /** Whether a quorum of {@code view} is heard and reports that home lineage. */
    public static boolean isQuorumHeard(NodeId self, Lineage current, Map<NodeId, Peer> peers, View view) {
        var heard = new TreeSet<PeerId>();
        for (Member member : view.members()) {
            Peer peer = peers.get(member.node());
            boolean isThere = member.node().equals(self)
                    ? current.equals(view.lineage())
                    : peer != null && peer.linked() && !peer.suspected() && peer.livesIn(view.lineage());
            if (isThere) {
                heard.add(member.machine());
            }
        }
        return view.isQuorum(heard);
    }

    /** Trainers of this node's group that are at work in the lineage where it asks for entry. */
    public int trainersElsewhere() {
        return join instanceof JoinState.Joining joining
                ? (int) peers.values().stream()
                        .filter(peer -> peer.linked() && !peer.leaving())
                        .flatMap(peer -> peer.presence().stream())
                        .filter(other -> other.lineage().equals(joining.target())
                                && other.group().equals(self.group())
                                && other.phase() != GroupPhase.FRESH)
                        .count()
                : 0;
    }

    /**
     * Whether other trainers of this node's group already work or wait at the beginning of a step while this node called nothing yet. Then
     * this node's first call has to be the beginning of a step, too.
     */
    public boolean entersByStep() {
        boolean waitHere = view().group(self.group()).stream() // in whichever lineage it was when it reported so
                .map(member -> peers.get(member.node()))
                .anyMatch(peer -> peer != null
                        && peer.presence()
                                .filter(other -> other.phase() == GroupPhase.BOUNDARY)
                                .isPresent());
        return progress.phase() == GroupPhase.FRESH && (waitHere || trainersElsewhere() > 0);
    }

    /** Whether data threads must stay stopped until the next {@link ViewEffect.Install}. */
    public boolean isFrozen() {
        return !(freeze instanceof Freeze.Thawed);
    }

    /** Whether this node may exit. */
    public boolean hasLeft() {
        return leave instanceof LeaveState.Gone;
    }

    /** Whether another computer uses this node's identity too. */
    public boolean isDoubled() {
        return doubled.contains(self.node().peer());
    }

    /** The presence in every heartbeat of this node. */
    public Presence presence() {
        return new Presence(
                current.lineage(),
                view().epoch(),
                view().members().size(),
                stall instanceof QuorumLoss.Stalled || isDoubled(), // so that no node asks it for entry
                self.group(),
                progress.phase(),
                progress.doneUpTo(),
                unreachable());
    }

    /** Members that this node suspects, and lately removed nodes without a link: the broken pairs in its heartbeats. */
    private List<NodeId> unreachable() {
        var nodes = new TreeSet<NodeId>();
        for (Member member : view().members()) {
            Peer peer = peers.get(member.node());
            if (peer != null && peer.suspected()) {
                nodes.add(member.node());
            }
        }
        for (NodeId node : admission.readmissionDelays().keySet()) {
            Peer peer = peers.get(node);
            if (peer == null || !peer.linked() || peer.suspected()) {
                nodes.add(node);
            }
        }
        return nodes.stream().limit(Presence.BROKEN_MAX).toList();
    }

    /** Machine time of the last step. */
    public long now() {
        return clock.steppedNanos() - clock.lostNanos();
    }

    /** The disk's error at the last write of a vote; empty while it works. */
    public Optional<String> diskFault() {
        return Optional.of(disk.fault()).filter(fault -> !fault.isEmpty());
    }

    /** Whether this process knows a lineage in which its machine may have a record. */
    public boolean knows(Lineage lineage) {
        return lineages.containsKey(lineage);
    }

    /** The newest known view of a lineage; empty if this process knows none. */
    public Optional<View> newest(Lineage lineage) {
        return Optional.ofNullable(lineages.get(lineage)).flatMap(KnownLineage::view);
    }
}
