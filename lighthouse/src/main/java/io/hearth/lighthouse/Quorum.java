package io.hearth.lighthouse;

import java.util.List;

/**
 * The replica groups that train together.
 *
 * @param id rises with each change of the members, and after a failed commit; never used twice
 * @param members in the order of their ids
 * @param createdMillis wall clock of the lighthouse
 */
public record Quorum(long id, List<QuorumMember> members, long createdMillis) {
    public Quorum {
        members = List.copyOf(members);
    }
}
