package io.hearth.scheduler.ledger;

import io.hearth.scheduler.Bounds;
import io.hearth.scheduler.JobSpec;
import io.hearth.scheduler.JobState;
import io.hearth.scheduler.ShardStrategy;
import io.hearth.scheduler.ledger.SchedulerLedger.Node;
import io.hearth.scheduler.rule.NodeScore;
import io.hearth.scheduler.rule.Placement;
import io.hearth.serve.Failure;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** The command that submits a job. */
final class Submission {
    private Submission() {}

    /**
     * A node that may take part.
     *
     * @param load when the job was submitted
     */
    record Candidate(String id, double load) {}

    static Optional<Failure> submit(
            Draft draft, JobSpec spec, boolean isClosed, List<Candidate> candidates, List<Integer> custom) {
        Job known = draft.jobs.get(spec.name());
        if (known != null) {
            return known.spec().submitId().equals(spec.submitId())
                    ? Optional.empty()
                    : Draft.refuse(
                            Failure.Code.ALREADY_EXISTS,
                            "a job named " + spec.name() + " exists already: choose another name");
        }
        List<Candidate> here = candidates.stream()
                .filter(candidate -> isHere(draft, candidate.id()))
                .toList();
        if (here.isEmpty()) {
            return Draft.refuse(
                    Failure.Code.FAILED_PRECONDITION,
                    "no nodes available for job " + spec.name() + ": let nodes register first");
        }
        if (spec.strategy() == ShardStrategy.CUSTOM && here.size() < candidates.size()) {
            return Draft.refuse(
                    Failure.Code.FAILED_PRECONDITION,
                    "a node that the owners of job " + spec.name() + " name is not here: submit it again with others");
        }
        JobSpec full = spec.shards() == 0 ? spec.withShards(here.size()) : spec;
        if (!makeRoom(draft, 1, full.shards())) {
            return Draft.refuse(
                    Failure.Code.RESOURCE_EXHAUSTED,
                    "at most " + Bounds.JOBS_MAX + " jobs with " + Bounds.ALL_SHARDS_MAX
                            + " shards together go on at a time: wait until one is done, or cancel one");
        }
        draft.put(job(draft, full, isClosed, here, custom));
        return Optional.empty();
    }

    private static Job job(Draft draft, JobSpec spec, boolean isClosed, List<Candidate> here, List<Integer> custom) {
        var members = new ArrayList<Member>();
        for (Candidate candidate : here) {
            members.add(new Member(candidate.id(), score(draft, spec, candidate), false, 0, 0));
        }
        int[] owners = Placement.place(
                spec.strategy(),
                spec.name(),
                spec.shards(),
                new Placement.Nodes(
                        members.stream().map(Member::id).toList(),
                        members.stream().map(Member::score).toList()),
                spec.seed(),
                custom);
        var shards = Shards.placed(owners, draft.term());
        draft.skipTerms(shards.count());
        return new Job(spec, isClosed, draft.nextJob(), JobState.RUNNING, "", Members.of(members), shards, 0, 1, false);
    }

    static double score(Draft draft, JobSpec spec, Candidate candidate) {
        Node node = draft.nodes.get(candidate.id());
        return node == null ? 0 : NodeScore.of(node.spec(), spec.path(), candidate.load());
    }

    static boolean isHere(Draft draft, String id) {
        Node node = draft.nodes.get(id);
        return node != null && !node.isAway();
    }

    /** Forgets jobs that are over, the oldest first, until there is room for so many jobs and shards more; false if there never is. */
    static boolean makeRoom(Draft draft, int jobs, int shards) {
        while (draft.jobs.size() + jobs > Bounds.JOBS_MAX || all(draft) + shards > Bounds.ALL_SHARDS_MAX) {
            Optional<Job> oldest = draft.jobs.values().stream()
                    .filter(job -> job.state().isOver())
                    .min(Comparator.comparingLong(Job::number));
            if (oldest.isEmpty()) {
                return false;
            }
            draft.jobs = draft.jobs.minus(oldest.get().spec().name());
        }
        return true;
    }

    static int all(Draft draft) {
        return draft.jobs.values().stream()
                .mapToInt(job -> job.shards().count())
                .sum();
    }
}
