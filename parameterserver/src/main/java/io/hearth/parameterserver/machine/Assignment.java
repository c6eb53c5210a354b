package io.hearth.parameterserver.machine;

import io.hearth.identity.NodeId;
import java.util.Optional;

/**
 * Which machines have a part.
 *
 * @param term counts the assignments of the part from 1; an update belongs to one
 * @param primary orders the updates and answers
 * @param holder has a copy of all updates that were acknowledged; empty if there is no other machine
 * @param isFromCheckpoint whether the primary begins with its newest checkpoint in place of its copy
 */
public record Assignment(int part, long term, Seat primary, Optional<Seat> holder, boolean isFromCheckpoint) {
    /**
     * A process of a machine. After a restart its memory is empty, so it is another one.
     *
     * @param boot the number that the process drew
     */
    public record Seat(NodeId node, long boot) {}
}
