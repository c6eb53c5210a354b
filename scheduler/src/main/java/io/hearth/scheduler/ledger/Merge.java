package io.hearth.scheduler.ledger;

import io.hearth.scheduler.Bounds;
import io.hearth.scheduler.ledger.SchedulerLedger.Node;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Joins the ledgers of two stores that met, and loses no job that goes on without a trace. Where both have the same job, that of the better
 * store counts. Another job whose name is taken gets a free name. Jobs that are over are forgotten if there is no room; if that is not
 * enough, the newest jobs of the worse store fail, and stay in the ledger with the reason.
 */
final class Merge {
    private Merge() {}

    static SchedulerLedger merge(SchedulerLedger better, SchedulerLedger worse) {
        var draft = new Draft(new SchedulerLedger(
                better.nodes(),
                better.jobs(),
                better.jobsEver() + worse.jobsEver(),
                Math.max(better.term(), worse.term())));
        worse.jobs().values().stream()
                .filter(job -> !isSame(draft, job))
                .map(job -> job.named(freeName(draft, worse, job.spec().name()), better.jobsEver() + job.number()))
                .forEach(draft::put);
        if (!Submission.makeRoom(draft, 0, 0)) {
            failNewest(draft, better.jobsEver());
        }
        worse.nodes().forEach((id, node) -> join(draft, id, node));
        agree(draft);
        return draft.finish();
    }

    private static boolean isSame(Draft draft, Job job) {
        Job known = draft.jobs.get(job.spec().name());
        return known != null && known.spec().submitId().equals(job.spec().submitId());
    }

    /** The name itself, or with the first number that no job of either ledger has. */
    private static String freeName(Draft draft, SchedulerLedger worse, String name) {
        String free = name;
        for (int i = 2; draft.jobs.containsKey(free) || (i > 2 && worse.jobs().containsKey(free)); i++) {
            String number = "-" + i;
            free = name.substring(0, Math.min(name.length(), Bounds.NAME_CHARACTERS_MAX - number.length())) + number;
        }
        return free;
    }

    /** Only jobs that go on are left, and they are too many: those of the worse store fail, the newest first, until the others fit. */
    private static void failNewest(Draft draft, long olderThan) {
        int jobs = draft.jobs.size();
        int shards = Submission.all(draft);
        List<Job> newest = draft.jobs.values().stream()
                .filter(job -> job.number() > olderThan)
                .sorted(Comparator.comparingLong(Job::number).reversed())
                .toList();
        for (Job job : newest) {
            if (jobs <= Bounds.JOBS_MAX && shards <= Bounds.ALL_SHARDS_MAX) {
                return;
            }
            draft.put(
                    job.lost(
                            "two schedulers met, and together they had too many jobs or shards: submit it again with another name"));
            jobs--;
            shards -= job.shards().count();
        }
    }

    /** A node that one of the schedulers heard is here; if it was another's, its silence is noticed soon. */
    private static void join(Draft draft, String id, Node node) {
        Node known = draft.nodes.get(id);
        if (known != null) {
            draft.nodes = draft.nodes.plus(id, new Node(known.spec(), known.isAway() && node.isAway()));
        } else if (draft.nodes.size() < Bounds.NODES_MAX || (!node.isAway() && NodeCommands.forgetOne(draft))) {
            draft.nodes = draft.nodes.plus(id, node);
        }
    }

    /** Members are here if their nodes are, and shards move accordingly. */
    private static void agree(Draft draft) {
        for (Job job : draft.jobs.values()) {
            var members = new ArrayList<Member>();
            var newcomers = new ArrayList<Integer>();
            for (Member member : job.members()) {
                boolean isAway = !Submission.isHere(draft, member.id());
                if (member.isAway() && !isAway) {
                    newcomers.add(members.size());
                }
                members.add(member.with(isAway));
            }
            if (!job.state().isOver() && !members.equals(job.members())) {
                Job settled = Balance.settle(draft, job.with(Members.of(members)));
                draft.put(JobCommands.concluded(Balance.fill(draft, settled, newcomers)));
            }
        }
    }
}
