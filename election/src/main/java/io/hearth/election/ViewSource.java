package io.hearth.election;

import io.hearth.identity.NodeId;

/** The origin of a view. A committed view is believed without proof, so a person must be able to see which node sent it. */
public sealed interface ViewSource {
    /** This node decided it: by a ballot of its own, or as the founder of the lineage. */
    record Own() implements ViewSource {}

    /** The record of this machine holds it: an earlier start, or another process of the machine, learned it. */
    record Disk() implements ViewSource {}

    /** Another node sent it. */
    record Told(NodeId by) implements ViewSource {}

    /** The origin in one or two words for people. */
    default String text() {
        return switch (this) {
            case Own() -> "this node";
            case Disk() -> "own record";
            case Told(NodeId by) -> by.shortText();
        };
    }

    /** The origin as a suffix to the word "view". */
    default String clause() {
        return switch (this) {
            case Own() -> "decided by this node";
            case Disk() -> "from the record of this machine";
            case Told(NodeId by) -> "told by " + by.shortText();
        };
    }
}
