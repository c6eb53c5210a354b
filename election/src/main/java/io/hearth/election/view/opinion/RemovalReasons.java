package io.hearth.election.view.opinion;

import io.hearth.election.Member;
import io.hearth.election.view.step.Transition;
import java.util.Optional;

/** The reasons against a member, in this node's opinion: why the next view should be without it. */
public final class RemovalReasons {
    private RemovalReasons() {}

    /** The first reason found; empty if there is none. */
    public static Optional<String> of(Transition transition, Member member) {
        if (transition.isOut(member)) {
            return Optional.of(excluded(member));
        }
        Optional<String> why = otherThanSilence(transition, member);
        if (why.isPresent()) {
            return why;
        }
        if (MemberStatus.brokenMembers(transition).contains(member.node())) {
            return Optional.of(member.node().shortText() + " cannot reach another member");
        }
        return MemberStatus.isSilent(transition, member) ? Optional.of(silent(member)) : Optional.empty();
    }

    public static String excluded(Member member) {
        return member.node().shortText() + " was put out of the namespace";
    }

    public static String silent(Member member) {
        return member.node().shortText() + " is silent";
    }

    /** A reason that the member itself reports or caused by its ballots. */
    public static Optional<String> otherThanSilence(Transition transition, Member member) {
        String name = member.node().shortText();
        if (MemberStatus.isAbandoner(transition, member.node())) {
            return Optional.of(name + " began ballots and abandoned them");
        }
        if (MemberStatus.isPlain(transition, member)) {
            return Optional.empty();
        }
        if (MemberStatus.isRestarted(transition, member)) {
            return Optional.of(name + " was restarted");
        }
        if (MemberStatus.isElsewhere(transition, member)) {
            return Optional.of(name + " lives in another lineage");
        }
        if (MemberStatus.isLeaving(transition, member)) {
            return Optional.of(name + " leaves");
        }
        return Optional.empty();
    }
}
