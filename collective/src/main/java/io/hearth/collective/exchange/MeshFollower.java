package io.hearth.collective.exchange;

import io.hearth.core.HearthException;

/** What goes on beside the collectives of a group, in the same group epochs. Its methods are called under the group's lock. */
public interface MeshFollower {
    /** There is another group epoch. */
    void renewed(Mesh mesh);

    /** Nothing goes on until the next one. */
    void over(HearthException why);
}
