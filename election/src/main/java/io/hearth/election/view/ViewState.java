package io.hearth.election.view;

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
 * Everything that {@link ViewMachine} knows; immutable. Observers use the methods without {@code Nanos}; the components are the
 * machine's own.
 *
 * @param self who this node is
 * @param clock when it was stepped, and what was slept through
 * @param draws random numbers drawn
 * @param foundings lineages founded by this start
 * @param lineages those in which its machine has a record, as far as this process knows
 * @param voting its tasks for the voter
 * @param disk how its records fare
 * @param peers whom it met
 * @param admission who asks for entry, who has to wait
 * @param current where it lives
 * @param freeze whether its data threads run
 * @param campaign its own ballot
 * @param change what its view needs or undergoes
 * @param hearing whether a quorum is heard
 * @param crossing its way into another lineage
 * @param departure its way out
 * @param stall whether it waits for a quorum
 * @param resting whether it rests after a pause
 * @param hold whether its group waits
 * @param progress how far the collectives of its group are
 * @param lapses what lately kept it from answering the others
 * @param doubled machines whose identity two computers use, as far as this node knows; perhaps its own
 * @param excluded other machines that were put out of the namespace
 * @param pending why it is not admitted yet where it asks; empty if there is nothing to say
 * @param refusals what was refused, counted
 */
public record ViewState(
        Self self,
        Clock clock,
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
        JoinState crossing,
        LeaveState departure,
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
     * Who a node is.
     *
     * @param wallMillis wall clock at the start, for the birth time of lineages
     * @param startedNanos monotonic clock at the start
     * @param seed of its random waits
     */
    record Self(
            NodeId node, long incarnation, Role role, String group, long wallMillis, long startedNanos, long seed) {}

    /**
     * The machine's own time stands still while the node sleeps.
     *
     * @param steppedNanos monotonic instant of the last step
     * @param lostNanos what was slept through so far
     * @param tickedNanos machine time of the last tick
     * @param sweptNanos machine time of the last sweep
     */
    record Clock(long steppedNanos, long lostNanos, long tickedNanos, long sweptNanos) {}

    /**
     * How the records fare.
     *
     * @param foundNotBeforeNanos when a founding that the disk refused is tried again
     * @param enterNotBeforeNanos when this node asks for entry again after the disk refused the record
     * @param retainedNanos when the records were last looked through
     * @param fault what the disk last failed with; empty while it works
     */
    record Disk(long foundNotBeforeNanos, long enterNotBeforeNanos, long retainedNanos, String fault) {}

    /** How far the collectives of the own group are. */
    record Progress(long doneUpTo, GroupPhase phase) {
        boolean isBusy() {
            return phase == GroupPhase.BUSY;
        }

        Progress in(GroupPhase other) {
            return new Progress(doneUpTo, other);
        }

        /** Its work ended with an error: it stays where it is until it begins a step again. */
        Progress interrupted() {
            return phase == GroupPhase.FRESH ? this : in(GroupPhase.BUSY);
        }

        /** Numbers of one lineage mean nothing in another. */
        Progress elsewhere() {
            return new Progress(Math.min(doneUpTo, 0), phase);
        }
    }

    /** The newest committed view known of the lineage in which this node lives; lists this node. */
    public View view() {
        return current.view();
    }

    /** Where {@link #view} is from. */
    public ViewSource source() {
        KnownLineage known = lineages.get(current.lineage());
        return known == null ? new ViewSource.Own() : known.source();
    }

    /** Where this node stands in the choice of the master. */
    public ElectionState election() {
        if (departure instanceof LeaveState.Gone) {
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

    /** Whether a quorum of the newest view is there and says that it lives in this lineage: only then nothing can be missed. */
    public boolean hearsQuorum() {
        return isQuorumHeard(self.node(), current.lineage(), peers, view());
    }

    /** Whether a quorum of {@code view} is there and says that it lives in that lineage. */
    static boolean isQuorumHeard(NodeId self, Lineage current, Map<NodeId, Peer> peers, View view) {
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

    /** Trainers of the own group that are at work in the lineage where this node asks for entry. */
    public int trainersElsewhere() {
        return crossing instanceof JoinState.Joining joining
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
     * Whether others of the own group, which itself called nothing yet, work already or wait at the beginning of a step: then
     * this node's first call has to be the beginning of a step, too.
     */
    public boolean entersByStep() {
        boolean waitHere = view().group(self.group()).stream() // whatever lineage it was in when it said so
                .map(member -> peers.get(member.node()))
                .anyMatch(peer -> peer != null
                        && peer.presence()
                                .filter(other -> other.phase() == GroupPhase.BOUNDARY)
                                .isPresent());
        return progress.phase() == GroupPhase.FRESH && (waitHere || trainersElsewhere() > 0);
    }

    /** Whether data threads have to stand still until the next {@link ViewEffect.Install}. */
    public boolean isFrozen() {
        return !(freeze instanceof Freeze.Thawed);
    }

    /** Whether this node may exit. */
    public boolean hasLeft() {
        return departure instanceof LeaveState.Gone;
    }

    /** Whether another computer uses this node's identity too. */
    public boolean isDoubled() {
        return doubled.contains(self.node().peer());
    }

    /** What every heartbeat of this node has to say. */
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

    /** Members that this node suspects, and nodes lately removed that it has no link with; what heartbeats tell. */
    private List<NodeId> unreachable() {
        var nodes = new TreeSet<NodeId>();
        for (Member member : view().members()) {
            Peer peer = peers.get(member.node());
            if (peer != null && peer.suspected()) {
                nodes.add(member.node());
            }
        }
        for (NodeId node : admission.holdDowns().keySet()) {
            Peer peer = peers.get(node);
            if (peer == null || !peer.linked() || peer.suspected()) {
                nodes.add(node);
            }
        }
        return nodes.stream().limit(Presence.BROKEN_MAX).toList();
    }

    /** Machine time of the last step. */
    long now() {
        return clock.steppedNanos() - clock.lostNanos();
    }

    /** What the disk failed with when a vote was last to be written; empty while it works. */
    public Optional<String> diskFault() {
        return Optional.of(disk.fault()).filter(fault -> !fault.isEmpty());
    }

    /** Whether this process knows a lineage, as one in which its machine may have a record. */
    public boolean knows(Lineage lineage) {
        return lineages.containsKey(lineage);
    }

    /** The newest view of a lineage that this process knows; empty if it knows none. */
    public Optional<View> newest(Lineage lineage) {
        return Optional.ofNullable(lineages.get(lineage)).flatMap(KnownLineage::view);
    }
}
