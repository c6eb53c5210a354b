package io.hearth.election;

import io.hearth.core.Bytes;
import java.util.List;
import java.util.Optional;

/**
 * What the view change asks of the collectives, which it does not know: pure functions of what the members reported when they
 * froze. The bytes are the collectives' own and travel in the view change's messages.
 */
public interface Resolver {
    /** Most bytes of one report or one resolution. */
    int BYTES_MAX = 16 * 1024;

    /** A kept member and the status that it took after all its data threads had stopped. */
    record Report(Member member, Bytes status) {}

    /**
     * Why trainers that wait may not enter this running group now; empty when they may.
     *
     * @param kept reports of all members of the group that stay, in view order
     */
    Optional<String> refusal(String group, List<Report> kept);

    /**
     * Why the streams of a group must be set up anew although its list is unchanged (one broke between two members that both
     * stay); empty when they are fine. Then the group gets a new group epoch and {@link #resolve} is asked.
     *
     * @param kept reports of all members of the group that stay, in view order
     */
    Optional<String> broken(String group, List<Report> kept);

    /**
     * What becomes of the open work of a group that gets a new group epoch, for {@link GroupView#resolution()}.
     *
     * @param members of the group in the new view, in view order: those that stay and those that enter
     * @param kept reports of all members of the group that stay, in view order; empty for a new group
     * @return at most {@link #BYTES_MAX} bytes
     */
    Bytes resolve(String group, List<Member> members, List<Report> kept);
}
