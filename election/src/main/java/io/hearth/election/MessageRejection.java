package io.hearth.election;

/** Why a well-formed message was rejected. */
public enum MessageRejection {
    /** From a start of a node that a newer one replaced. */
    OLD_INCARNATION,
    /** Too many nodes are known. */
    TOO_MANY_PEERS,
    /** A view that breaks {@link ViewRules}. */
    BAD_VIEW,
    /** Two views of one lineage and epoch, or two proposals of one ballot. */
    CONFLICT,
    /** A view that admits this node in another way than it asked for. */
    OTHER_ENTRY,
    /** A ballot in another node's name, or of a node that the view does not list. */
    FOREIGN_BALLOT,
    /** About a lineage in which this node never asked to enter. */
    NO_RECORD,
    /** A ballot whose round is far above all known ones. */
    FAR_ROUND,
    /** A ballot of a member that abandoned several ballots lately, each of which froze the others in vain. */
    ABANDONER,
    /** A newer view from a node outside the lineage, while a quorum inside it is heard. */
    OUTSIDER,
    /** An answer without a question. */
    STRAY_ANSWER,
    /** Too many nodes ask to enter. */
    TOO_MANY_JOINERS,
    /** A ballot or a vote of a machine whose identity two computers use. */
    DOUBLED,
    /** A ballot or a vote of a machine that was put out. */
    EXCLUDED
}
