package io.hearth.collective.schedule;

/** A schedule whose owners may gather pieces of their shares, for which they need memory. */
public sealed interface Gathering extends Schedule permits DirectAllReduce, DirectReduceScatter {
    /** Most bytes of a piece that this position gathers from each other position; 0 if it gathers none. */
    long pieceBytesMax();
}
