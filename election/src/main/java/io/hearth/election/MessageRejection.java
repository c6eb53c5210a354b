package io.hearth.election;

/** Why a message that was well formed had no effect. */
public enum MessageRejection {
    /** From a start of a node that a newer one replaced. */
    OLD_INCARNATION,
    /** Too many nodes are known. */
    TOO_MANY_PEERS,
    /** A view that breaks {@link ViewRules}. */
    BAD_VIEW,
    /** Two views of one lineage and epoch, or two proposals of one ballot. */
    CONFLICT,
    /** A view that admits this node as something else than it asked for. */
    OTHER_ENTRY,
    /** A ballot in another's name, or of a node that the view does not list. */
    FOREIGN_BALLOT,
    /** About a lineage in which this node never asked to enter. */
    NO_RECORD,
    /** A ballot whose round is far above all known ones. */
    FAR_ROUND,
    /** A ballot of a member that abandoned several lately, and froze the others for nothing. */
    ABANDONER,
    /** News of a lineage from a node that has no say there, while those who have are heard. */
    OUTSIDER,
    /** An answer to nothing that was asked. */
    STRAY_ANSWER,
    /** Too many nodes ask to enter. */
    TOO_MANY_JOINERS,
    /** A ballot or a vote of a machine whose identity two computers use. */
    DOUBLED,
    /** A ballot or a vote of a machine that was put out. */
    EXCLUDED
}
