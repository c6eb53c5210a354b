package io.hearth.scheduler.ledger;

import io.hearth.scheduler.Bounds;
import io.hearth.scheduler.JobState;
import io.hearth.scheduler.rule.ShardPlan;
import io.hearth.serve.Failure;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Commands about jobs that were submitted. All of them may be repeated. */
final class JobCommands {
    private JobCommands() {}

    static Optional<Failure> cancel(Draft draft, String name) {
        Job job = draft.jobs.get(name);
        if (job == null) {
            return Draft.noJob(name);
        }
        if (job.state() == JobState.CANCELLED) {
            return Optional.empty();
        }
        if (job.state().isOver()) {
            return over(job);
        }
        draft.put(job.with(JobState.CANCELLED, "somebody cancelled it"));
        return Optional.empty();
    }

    private static Optional<Failure> over(Job job) {
        return Draft.refuse(
                Failure.Code.FAILED_PRECONDITION,
                "job " + job.spec().name() + " is over (" + job.state().name().toLowerCase(Locale.ROOT)
                        + "): submit another one");
    }

    private static Optional<Failure> noMember(Job job, String node) {
        return Draft.refuse(
                Failure.Code.FAILED_PRECONDITION,
                "node " + node + " is not in job " + job.spec().name() + ": ask for its shards first, which "
                        + (job.isClosed() ? "only the nodes that it was submitted with may do" : "lets it join"));
    }

    /** A node tells how far it is, or that the job has failed. */
    static Optional<Failure> report(Draft draft, String node, String name, long epoch, long samples, String failure) {
        Job job = draft.jobs.get(name);
        if (job == null) {
            return Draft.noJob(name);
        }
        int index = job.indexOf(node);
        if (index < 0) {
            return noMember(job, node);
        }
        if (job.state().isOver()) {
            return job.state() == JobState.DONE || !failure.isEmpty() ? Optional.empty() : over(job);
        }
        Job reported = job.with(index, job.members().get(index).after(epoch, samples));
        draft.put(failure.isEmpty() ? concluded(reported) : reported.with(JobState.FAILED, node + ": " + failure));
        return Optional.empty();
    }

    /** The job is done when no shard of the last epoch is left, or, if its nodes count no shards, when all reported the last epoch. */
    static Job concluded(Job job) {
        boolean hasReported = !job.hasCompletions()
                && !job.present().isEmpty()
                && job.present().stream()
                        .allMatch(member -> member.epoch() >= job.spec().epochs());
        return hasReported ? job.with(JobState.DONE, "all its nodes reported the last epoch") : job;
    }

    /** All nodes arrived at the barrier of this epoch. */
    static Optional<Failure> passed(Draft draft, String name, long epoch) {
        Job job = draft.jobs.get(name);
        if (job == null) {
            return Draft.noJob(name);
        }
        draft.put(job.passed(epoch));
        return Optional.empty();
    }

    /** A node takes shards to work on: those that it has already, then more. It joins the job if it is not in it. */
    static Optional<Failure> take(Draft draft, String node, String name, int max, double load) {
        Job job = draft.jobs.get(name);
        if (job == null) {
            return Draft.noJob(name);
        }
        if (job.state().isOver()) {
            return Optional.empty(); // the answer says so
        }
        if (!Submission.isHere(draft, node)) {
            return Draft.noNode(node);
        }
        int index = job.indexOf(node);
        if (index < 0) {
            if (job.isClosed()) {
                return noMember(job, node);
            }
            if (job.members().size() >= Bounds.NODES_MAX) {
                return Draft.refuse(
                        Failure.Code.RESOURCE_EXHAUSTED,
                        "job " + name + " had " + Bounds.NODES_MAX + " nodes already: no other one may join");
            }
            job = joined(draft, job, new Submission.Candidate(node, load));
            index = job.indexOf(node);
        }
        var shards = job.shards().draft();
        int left = max;
        for (int i = 0; i < job.shards().count() && left > 0; i++) {
            left -= isOpen(job, i, index) && job.shards().isGiven(i) ? 1 : 0;
        }
        for (int i = 0; i < job.shards().count() && left > 0; i++) {
            if (isOpen(job, i, index) && !job.shards().isGiven(i)) {
                shards.give(i);
                left--;
            }
        }
        draft.put(job.with(shards.finish()));
        return Optional.empty();
    }

    private static boolean isOpen(Job job, int shard, int owner) {
        return job.shards().owner(shard) == owner && !job.shards().isDone(shard);
    }

    private static Job joined(Draft draft, Job job, Submission.Candidate candidate) {
        var members = new ArrayList<>(job.members());
        members.add(new Member(candidate.id(), Submission.score(draft, job.spec(), candidate), false, 0, 0));
        return Balance.fill(
                draft,
                Balance.settle(draft, job.with(Members.of(members))),
                List.of(job.members().size()));
    }

    static Optional<Failure> complete(Draft draft, String node, String name, int shard, long term) {
        Job job = draft.jobs.get(name);
        if (job == null) {
            return Draft.noJob(name);
        }
        if (shard < 0 || shard >= job.shards().count()) {
            return Draft.refuse(
                    Failure.Code.OUT_OF_RANGE,
                    "job " + name + " has the shards 0 to " + (job.shards().count() - 1) + ", got " + shard);
        }
        int index = job.indexOf(node);
        Shards shards = job.shards();
        if (index >= 0 && shards.wasDone(shard, index, term)) {
            return Optional.empty();
        }
        if (job.state().isOver()) {
            return over(job);
        }
        if (index < 0 || shards.owner(shard) != index || shards.term(shard) != term || !shards.isGiven(shard)) {
            return Draft.refuse(Failure.Code.FAILED_PRECONDITION, notYours(job, shard, node, term));
        }
        var draftOfShards = shards.draft();
        draftOfShards.complete(shard);
        Job next = job.with(draftOfShards.finish()).completing();
        if (next.shards().done() == shards.count()) {
            next = next.pass() < next.spec().epochs()
                    ? Balance.nextPass(draft, next)
                    : next.with(JobState.DONE, "all its shards are complete");
        }
        draft.put(next);
        return Optional.empty();
    }

    private static String notYours(Job job, int shard, String node, long term) {
        var now = job.shard(shard);
        String whose = now.owner().isEmpty() ? "nobody" : now.owner();
        return ShardPlan.id(job.spec().name(), shard) + " at term " + term + " does not belong to node " + node
                + " any more or yet: it belongs to " + whose + " at term " + now.term()
                + ". Drop its result, and ask for the next shards";
    }
}
