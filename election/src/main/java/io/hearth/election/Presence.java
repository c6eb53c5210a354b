package io.hearth.election;

import io.hearth.identity.NodeId;
import java.util.List;

/**
 * A node's description of itself in every heartbeat, to members and strangers alike, so that lineages notice each other.
 *
 * @param lineage where it lives
 * @param epoch of the newest view that it knows there
 * @param memberCount members of that view
 * @param stalled whether it waits for a quorum
 * @param group that it trains with; empty for agents
 * @param phase of its collectives; {@link GroupPhase#FRESH} for agents
 * @param doneUpTo all collectives of its group up to this number are done; -1 for agents
 * @param broken members, or nodes lately removed, that it cannot reach; at most {@link #BROKEN_MAX}
 */
public record Presence(
        Lineage lineage,
        long epoch,
        int memberCount,
        boolean stalled,
        String group,
        GroupPhase phase,
        long doneUpTo,
        List<NodeId> broken) {
    /** Most broken pairs in one heartbeat. */
    public static final int BROKEN_MAX = 16;

    public Presence {
        broken = List.copyOf(broken);
        if (!ViewRules.isNumber(epoch)
                || memberCount < 0
                || memberCount > View.MEMBERS_MAX
                || doneUpTo < -1
                || doneUpTo > ViewRules.NUMBER_MAX
                || broken.size() > BROKEN_MAX
                || !ViewRules.isGroupName(group)) {
            throw new IllegalArgumentException("no such presence: epoch " + epoch + ", members " + memberCount
                    + ", done up to " + doneUpTo + ", broken " + broken.size() + ", a group of " + group.length()
                    + " characters");
        }
    }
}
