package io.hearth.topology;

import io.hearth.identity.NodeId;
import java.util.List;

/**
 * A node for which the collectives of another one wait, and why.
 *
 * @param node the one that delays
 * @param cause why it does
 * @param value bytes per second of its link, percent of its load, or percent of its time in codecs; 0 for {@link Cause#ASLEEP}
 * @param usual the same of the other nodes, in the middle; 0 for {@link Cause#ASLEEP}
 */
public record Straggler(NodeId node, Cause cause, long value, long usual) {
    /** The causes by their number on the wire, from 1. */
    public static final List<Cause> CAUSES = List.of(Cause.LINK, Cause.CPU, Cause.ASLEEP, Cause.COMPRESSION);

    public Straggler {
        if (value < 0 || usual < 0) {
            throw new IllegalArgumentException(
                    "numbers of a straggler must be 0 or more, got " + value + " and " + usual);
        }
    }

    /** Why a node delays collectives. */
    public enum Cause {
        /** Its link carries much less than those of the others. */
        LINK,
        /** Its processors have much more to do than those of the others. */
        CPU,
        /** It does not answer: it sleeps, is paused or is cut off. */
        ASLEEP,
        /** It encodes and decodes for much longer than the others. */
        COMPRESSION
    }

    /** The same straggler by the same cause, though the numbers may differ. */
    public boolean isLike(Straggler other) {
        return node.equals(other.node) && cause == other.cause;
    }

    /** The cause in words that follow the name of the node: {@code its link carries 95 Mbit/s where the others carry 940}. */
    public String text() {
        return switch (cause) {
            case LINK -> "its link carries " + megabits(value) + " Mbit/s where the others carry " + megabits(usual);
            case CPU -> "its processors have a load of " + value + " % where the others have " + usual;
            case COMPRESSION ->
                "its compression takes " + value + " % of its time where that of the others takes " + usual;
            case ASLEEP -> "it does not answer; it sleeps, is paused or is cut off";
        };
    }

    private static long megabits(long bytesPerSecond) {
        return Math.round((double) bytesPerSecond * Byte.SIZE / 1e6);
    }
}
