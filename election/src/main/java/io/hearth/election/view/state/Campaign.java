package io.hearth.election.view.state;

import io.hearth.election.Ballot;
import io.hearth.election.Message;
import io.hearth.election.Proposal;
import io.hearth.election.View;
import io.hearth.identity.NodeId;
import io.hearth.identity.PeerId;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/** The state of this node's own attempt to commit the successor of its view. */
public sealed interface Campaign {
    Campaign NONE = new None();

    record None() implements Campaign {}

    /** The times at which a phase began, ends, and last sent its messages. */
    record Timing(long beganNanos, long lifeNanos, long sentNanos) {
        public Timing sent(long now) {
            return new Timing(beganNanos, lifeNanos, now);
        }
    }

    /** The promise of this node's machine is being written; no message has left yet. */
    record Candidate(Ballot ballot, String why) implements Campaign {}

    /** A ballot that other nodes know of. */
    sealed interface Open extends Campaign {
        Ballot ballot();

        /** Machines that report a promise for a later ballot. */
        SortedSet<PeerId> refusers();

        /** With one more of them. */
        Open refused(PeerId machine);
    }

    /**
     * Prepare was sent to all members.
     *
     * @param promises by promising machine, its earlier accepted proposal
     * @param answers of the members themselves; empty for one that is not to be kept
     */
    record Preparing(
            Ballot ballot,
            Timing timing,
            SortedMap<PeerId, Optional<Proposal>> promises,
            SortedMap<NodeId, Optional<Message.Status>> answers,
            SortedSet<PeerId> refusers)
            implements Open {
        public Preparing sent(long now) {
            return new Preparing(ballot, timing.sent(now), promises, answers, refusers);
        }

        public Preparing promised(PeerId machine, Optional<Proposal> accepted) {
            var more = new TreeMap<>(promises);
            more.put(machine, accepted);
            return new Preparing(ballot, timing, more, answers, refusers);
        }

        public Preparing answered(NodeId node, Optional<Message.Status> status) {
            var more = new TreeMap<>(answers);
            more.put(node, status);
            return new Preparing(ballot, timing, promises, more, refusers);
        }

        @Override
        public Preparing refused(PeerId machine) {
            return new Preparing(ballot, timing, promises, answers, with(refusers, machine));
        }
    }

    /** Accept was sent to all machines. */
    record Accepting(Ballot ballot, Timing timing, View next, SortedSet<PeerId> votes, SortedSet<PeerId> refusers)
            implements Open {
        public Accepting sent(long now) {
            return new Accepting(ballot, timing.sent(now), next, votes, refusers);
        }

        public Accepting voted(PeerId machine) {
            return new Accepting(ballot, timing, next, with(votes, machine), refusers);
        }

        @Override
        public Accepting refused(PeerId machine) {
            return new Accepting(ballot, timing, next, votes, with(refusers, machine));
        }
    }

    private static SortedSet<PeerId> with(SortedSet<PeerId> machines, PeerId machine) {
        var more = new TreeSet<>(machines);
        more.add(machine);
        return more;
    }
}
