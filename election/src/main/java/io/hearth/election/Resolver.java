package io.hearth.election;

import io.hearth.core.Bytes;
import java.util.List;
import java.util.Optional;

/**
 * The questions of the view change to the collectives, as pure functions of the reports of frozen members. The view change does not
 * know the collectives: their bytes are opaque and travel in its messages.
 */
public interface Resolver {
    /** Most bytes of one report or one resolution. */
    int BYTES_MAX = 16 * 1024;

    /** A kept member and the status that it took after all its data threads had stopped. */
    record Report(Member member, Bytes status) {}

    /**
     * Why waiting trainers may not enter this running group now; empty if they may.
     *
     * @param kept reports of all members of the group that stay, in view order
     */
    Optional<String> refusal(String group, List<Report> kept);

    /**
     * Why the streams of a group must be set up again although its list is unchanged, for example because one broke between two members
     * that both stay; empty if they are intact. If present, the group gets a new group epoch and {@link #resolve} is called.
     *
     * @param kept reports of all members of the group that stay, in view order
     */
    Optional<String> broken(String group, List<Report> kept);

    /**
     * The decision about the open work of a group that gets a new group epoch, for {@link GroupView#resolution()}.
     *
     * @param members of the group in the new view, in view order: those that stay and those that enter
     * @param kept reports of all members of the group that stay, in view order; empty for a new group
     * @return at most {@link #BYTES_MAX} bytes
     */
    Bytes resolve(String group, List<Member> members, List<Report> kept);
}
