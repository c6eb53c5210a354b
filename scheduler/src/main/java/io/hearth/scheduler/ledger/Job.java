package io.hearth.scheduler.ledger;

import io.hearth.scheduler.JobSpec;
import io.hearth.scheduler.JobState;
import io.hearth.scheduler.Shard;
import io.hearth.scheduler.rule.ShardPlan;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A job.
 *
 * @param spec with its number of shards, which is not 0
 * @param isClosed whether nodes that come later may not join
 * @param number rises from job to job
 * @param reason why it is over, for people
 * @param barrier newest epoch whose barrier all passed
 * @param pass epoch in which the shards are, from 1
 * @param hasCompletions whether a shard was ever completed; else its nodes only report epochs
 */
public record Job(
        JobSpec spec,
        boolean isClosed,
        long number,
        JobState state,
        String reason,
        Members members,
        Shards shards,
        long barrier,
        int pass,
        boolean hasCompletions) {
    /** The index of a member, or -1. */
    public int indexOf(String node) {
        return members.place(node);
    }

    public Optional<Member> member(String node) {
        int index = indexOf(node);
        return index < 0 ? Optional.empty() : Optional.of(members.get(index));
    }

    /** The members that are here. */
    public List<Member> present() {
        return members.stream().filter(member -> !member.isAway()).toList();
    }

    /** A shard as callers see it. */
    public Shard shard(int index) {
        int owner = shards.owner(index);
        return new Shard(
                ShardPlan.id(spec.name(), index),
                index,
                spec.path(),
                ShardPlan.start(spec.size(), shards.count(), index),
                ShardPlan.end(spec.size(), shards.count(), index),
                owner == Shards.NOBODY ? "" : members.get(owner).id(),
                shards.term(index));
    }

    /** The shards that a node was given and has not completed, in order. */
    public List<Shard> given(String node, int max) {
        int index = indexOf(node);
        var given = new ArrayList<Shard>();
        for (int i = 0; i < shards.count() && given.size() < max; i++) {
            if (index >= 0 && shards.owner(i) == index && shards.isGiven(i) && !shards.isDone(i)) {
                given.add(shard(i));
            }
        }
        return given;
    }

    Job with(JobState newState, String why) {
        return new Job(spec, isClosed, number, newState, why, members, shards, barrier, pass, hasCompletions);
    }

    Job with(Members newMembers) {
        return new Job(spec, isClosed, number, state, reason, newMembers, shards, barrier, pass, hasCompletions);
    }

    Job with(int index, Member member) {
        return with(members.with(index, member));
    }

    Job with(Shards newShards) {
        return new Job(spec, isClosed, number, state, reason, members, newShards, barrier, pass, hasCompletions);
    }

    Job passed(long epoch) {
        return new Job(
                spec, isClosed, number, state, reason, members, shards, Math.max(barrier, epoch), pass, hasCompletions);
    }

    Job inPass(int newPass) {
        return new Job(spec, isClosed, number, state, reason, members, shards, barrier, newPass, hasCompletions);
    }

    /** The same job under another name and number. */
    Job named(String name, long newNumber) {
        return new Job(
                spec.named(name), isClosed, newNumber, state, reason, members, shards, barrier, pass, hasCompletions);
    }

    /** What is left of a job for whose shards there is no room. */
    Job lost(String why) {
        return new Job(
                spec.withShards(1),
                isClosed,
                number,
                JobState.FAILED,
                why,
                Members.of(List.of()),
                Shards.placed(new int[] {Shards.NOBODY}, 0),
                barrier,
                pass,
                hasCompletions);
    }

    Job completing() {
        return new Job(spec, isClosed, number, state, reason, members, shards, barrier, pass, true);
    }
}
