package io.hearth.scheduler.ledger;

import io.hearth.scheduler.JobState;
import io.hearth.scheduler.ShardStrategy;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Moves shards when nodes go and come, so that each open shard of a job has an owner that is here. All shards are looked at once, and each
 * move costs the logarithm of the number of members.
 */
final class Balance {
    private Balance() {}

    /** Gives the open shards whose owner is not here to the members that have the least left. */
    static Job settle(Draft draft, Job job) {
        Members members = job.members();
        int[] open = job.shards().open(members.size());
        var least = new PriorityQueue<>(Comparator.comparingInt((Integer i) -> open[i])
                .thenComparingDouble(i -> -members.get(i).score())
                .thenComparing(i -> members.get(i).id()));
        least.addAll(here(job));
        var shards = job.shards().draft();
        for (int i = 0; i < job.shards().count(); i++) {
            int owner = job.shards().owner(i);
            boolean isOwned = owner != Shards.NOBODY && !members.get(owner).isAway();
            if (isOwned || job.shards().isDone(i) || (least.isEmpty() && owner == Shards.NOBODY)) {
                continue;
            }
            if (least.isEmpty()) {
                shards.move(i, Shards.NOBODY, draft.nextTerm());
            } else {
                int next = least.remove();
                shards.move(i, next, draft.nextTerm());
                open[next]++;
                least.add(next);
            }
        }
        return job.with(shards.finish()).with(least.isEmpty() ? JobState.QUEUED : JobState.RUNNING, "");
    }

    /**
     * Gives each of the members that came, one after the other, shards that nobody works on yet, from those that have most left, until it
     * has its share.
     */
    static Job fill(Draft draft, Job job, List<Integer> newcomers) {
        var shards = job.shards().draft();
        int[] open = job.shards().open(job.members().size());
        List<PriorityQueue<Integer>> idle = idle(job);
        List<Integer> here = here(job);
        for (int newcomer : newcomers) {
            var most = new PriorityQueue<>(
                    Comparator.comparingInt((Integer i) -> -open[i]).thenComparing(Comparator.naturalOrder()));
            here.stream().filter(member -> member != newcomer).forEach(most::add);
            while (!most.isEmpty()) {
                int giver = most.remove();
                if (open[giver] - open[newcomer] <= 1) {
                    break;
                }
                @Nullable Integer shard = idle.get(giver).poll();
                if (shard != null) {
                    shards.move(shard, newcomer, draft.nextTerm());
                    idle.get(newcomer).add(shard);
                    open[newcomer]++;
                    open[giver]--;
                    most.add(giver);
                }
            }
        }
        return job.with(shards.finish());
    }

    /** For each member, its open shards on which it does not work yet, the last one first. */
    private static List<PriorityQueue<Integer>> idle(Job job) {
        List<PriorityQueue<Integer>> idle = Stream.generate(() -> new PriorityQueue<Integer>(Comparator.reverseOrder()))
                .limit(job.members().size())
                .toList();
        Shards shards = job.shards();
        for (int i = shards.count() - 1; i >= 0; i--) {
            if (shards.owner(i) != Shards.NOBODY && !shards.isGiven(i) && !shards.isDone(i)) {
                idle.get(shards.owner(i)).add(i);
            }
        }
        return idle;
    }

    /** Begins the next epoch: all shards are open again, with the same owners as far as these are here and have not too many. */
    static Job nextPass(Draft draft, Job job) {
        var shards = job.shards().draft();
        for (int i = 0; i < job.shards().count(); i++) {
            int owner = job.shards().owner(i);
            boolean isHere = owner != Shards.NOBODY && !job.members().get(owner).isAway();
            shards.move(i, isHere ? owner : Shards.NOBODY, draft.nextTerm());
        }
        Job next = settle(draft, job.with(shards.finish()).inPass(job.pass() + 1));
        return next.spec().strategy() == ShardStrategy.CUSTOM ? next : fill(draft, next, here(next));
    }

    private static List<Integer> here(Job job) {
        return IntStream.range(0, job.members().size())
                .filter(i -> !job.members().get(i).isAway())
                .boxed()
                .toList();
    }
}
