package io.hearth.election.view.state;

import io.hearth.identity.NodeId;
import java.util.ArrayList;
import java.util.Optional;

/**
 * Recent events that kept this node from answering the others, as far as it knows. They explain to people why the others went on without
 * it.
 *
 * @param pausedNanos length of its last pause
 * @param awakeNanos end of that pause
 * @param deafNanos time for which it heard no quorum
 * @param deafUpToNanos last instant without a quorum
 * @param loss the last lost link to a member, preferably the one to the master
 */
public record Lapses(long pausedNanos, long awakeNanos, long deafNanos, long deafUpToNanos, Optional<Loss> loss) {
    public static final Lapses NONE = new Lapses(0, 0, 0, 0, Optional.empty());

    private static final long LATELY_NANOS = 30_000_000_000L;
    private static final int WHY_MAX = 120;

    /** A link to a member that ended. */
    public record Loss(NodeId node, boolean master, String why, long nanos) {}

    public Lapses paused(long nanos, long now) {
        boolean isLess = nanos < pausedNanos && now - awakeNanos < LATELY_NANOS;
        return isLess ? this : new Lapses(nanos, now, deafNanos, deafUpToNanos, loss);
    }

    public Lapses deaf(long since, long now) {
        return new Lapses(pausedNanos, awakeNanos, now - since, now, loss);
    }

    public Lapses lost(NodeId node, boolean isMaster, String why, long now) {
        boolean isLess = !isMaster
                && loss.filter(last -> last.master() && now - last.nanos() < LATELY_NANOS)
                        .isPresent();
        String cut = why.length() > WHY_MAX ? why.substring(0, WHY_MAX - 1) + "…" : why;
        return isLess
                ? this
                : new Lapses(
                        pausedNanos,
                        awakeNanos,
                        deafNanos,
                        deafUpToNanos,
                        Optional.of(new Loss(node, isMaster, cut, now)));
    }

    /** In one line; empty if this node knows of nothing. */
    public Optional<String> text(long now) {
        var lapses = new ArrayList<String>();
        if (pausedNanos > 0 && now - awakeNanos < LATELY_NANOS) {
            lapses.add("this node stood still for " + tenths(pausedNanos));
        }
        if (deafNanos > 0 && now - deafUpToNanos < LATELY_NANOS) {
            lapses.add("this node heard no quorum for " + tenths(deafNanos));
        }
        loss.filter(last -> now - last.nanos() < LATELY_NANOS)
                .ifPresent(last -> lapses.add("its link to " + (last.master() ? "the master " : "")
                        + last.node().shortText() + " was lost " + tenths(now - last.nanos()) + " ago"
                        + (last.why().isEmpty() ? "" : " (" + last.why() + ")")));
        return lapses.isEmpty() ? Optional.empty() : Optional.of(String.join(", ", lapses));
    }

    private static String tenths(long nanos) {
        long tenths = nanos / 100_000_000L;
        return tenths / 10 + "." + tenths % 10 + " s";
    }
}
