package io.hearth.collective.schedule;

/** A schedule whose owners may gather pieces of their shares, and so need memory for them. */
public sealed interface Gathering extends Schedule permits DirectAllReduce, DirectReduceScatter {
    /** Most bytes of a piece that this position gathers from each other one; 0 if it gathers none. */
    long pieceBytesMax();
}
