package io.hearth.election;

import io.hearth.identity.NodeId;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/** Where this node's own attempt to commit the successor of its view stands. */
sealed interface Campaign {
    Campaign NONE = new None();

    record None() implements Campaign {}

    /** What a member answered to Prepare; {@code status} is empty if it only votes. */
    record Answer(Optional<Proposal> accepted, Optional<Message.Status> status) {}

    /** Common to both phases: when the ballot began, when it ends, and when it was last sent. */
    record Timing(long beganNanos, long lifeNanos, long sentNanos) {
        Timing sent(long now) {
            return new Timing(beganNanos, lifeNanos, now);
        }
    }

    /** Prepare was sent to all members. */
    record Preparing(Ballot ballot, Timing timing, SortedMap<NodeId, Answer> answers) implements Campaign {
        Preparing sent(long now) {
            return new Preparing(ballot, timing.sent(now), answers);
        }

        Preparing answered(NodeId node, Answer answer) {
            var more = new TreeMap<>(answers);
            more.put(node, answer);
            return new Preparing(ballot, timing, more);
        }
    }

    /** Accept was sent to all voters. */
    record Accepting(Ballot ballot, Timing timing, View next, SortedSet<NodeId> votes) implements Campaign {
        Accepting sent(long now) {
            return new Accepting(ballot, timing.sent(now), next, votes);
        }

        Accepting voted(NodeId node) {
            var more = new TreeSet<>(votes);
            more.add(node);
            return new Accepting(ballot, timing, next, more);
        }
    }
}
