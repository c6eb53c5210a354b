package io.hearth.collective.exchange;

import io.hearth.core.HearthException;

/** A component that runs beside the collectives of a group, in the same group epochs. Its methods are called under the group's lock. */
public interface MeshFollower {
    /** A new group epoch begins. */
    void renewed(Mesh mesh);

    /** No work goes on until the next group epoch. */
    void over(HearthException why);
}
