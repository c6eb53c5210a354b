package io.hearth.agent.history;

/**
 * Something that happened in the cluster, as one node saw it.
 *
 * @param number rises by one with each event
 * @param atMillis wall time
 * @param kind for programs
 * @param node id of the node that it is about, in long form
 * @param text for people, in one line
 */
public record ClusterEvent(long number, long atMillis, Kind kind, String node, String text) {
    /** What happened. */
    public enum Kind {
        /** A node entered the view. */
        JOINED,
        /** A node is no longer in the view. */
        LEFT,
        /** This node is in another cluster than before. */
        MERGED,
        /** Another node is the master. */
        MASTER,
        /** The failure detector has another opinion of a member. */
        HEALTH,
        /** This node waits for admission or a quorum, or no longer does. */
        WAITING,
        /** A connection was rejected. */
        REFUSED,
        /** A peer sent a message that cost it its link, or a view that contradicts another one. */
        FAULT,
        /** Two computers use one identity. */
        DOUBLED,
        /** A link carries much less than before. */
        SLOW_LINK,
        /** Collectives wait for a node. */
        DELAY
    }
}
