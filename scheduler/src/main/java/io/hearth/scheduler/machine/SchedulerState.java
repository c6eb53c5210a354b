package io.hearth.scheduler.machine;

import io.hearth.scheduler.Progress;
import io.hearth.scheduler.ledger.SchedulerLedger;
import io.hearth.scheduler.rule.Rate;
import java.util.Collection;
import java.util.SortedSet;
import org.pcollections.PSortedMap;
import org.pcollections.PSortedSet;
import org.pcollections.TreePMap;
import org.pcollections.TreePSet;

/**
 * What a scheduler knows.
 *
 * @param isServing whether this machine answers
 * @param queue number of all queues of messages, since this machine answers
 * @param ledger what survives
 * @param sights what was heard of the nodes, by id
 * @param pending what commands and questions under way are for, by attempt
 * @param waiters at barriers, by job
 * @param passing epochs of barriers whose commands are under way, by job
 * @param departing nodes whose commands are under way because they are silent
 * @param stragglers known already, by job
 * @param mail queues of messages, by node
 * @param polls calls that wait for a message, by node
 * @param lookNanos before this instant no node has been silent for too long; {@link Long#MAX_VALUE} for never
 * @param counters since this machine answers
 * @param attempts number of the newest
 */
public record SchedulerState(
        boolean isServing,
        long queue,
        SchedulerLedger ledger,
        PSortedMap<String, Sight> sights,
        PSortedMap<Long, Pending> pending,
        Waits<Waiter> waiters,
        PSortedMap<String, Long> passing,
        PSortedSet<String> departing,
        PSortedMap<String, SortedSet<String>> stragglers,
        PSortedMap<String, Mailbox> mail,
        Waits<Poll> polls,
        long lookNanos,
        Counters counters,
        long attempts) {
    /** Before anything happened. */
    public static final SchedulerState START = new SchedulerState(
            false,
            0,
            SchedulerLedger.EMPTY,
            TreePMap.empty(),
            TreePMap.empty(),
            Waits.none(),
            TreePMap.empty(),
            TreePSet.empty(),
            TreePMap.empty(),
            TreePMap.empty(),
            Waits.none(),
            Long.MAX_VALUE,
            Counters.ZERO,
            0);

    /**
     * What was heard of a node.
     *
     * @param nanos of the last heartbeat or call
     * @param isHeard whether it was heard since this machine answers; else {@code nanos} is when that began
     * @param isAccused whether it, or another node, says that it is not well
     * @param rates by job
     * @param progress newest, by job
     */
    public record Sight(
            long nanos,
            boolean isHeard,
            double load,
            boolean isAccused,
            PSortedMap<String, Rate> rates,
            PSortedMap<String, Progress> progress) {
        static Sight unheard(long nanos) {
            return new Sight(nanos, false, 0, false, TreePMap.empty(), TreePMap.empty());
        }

        Sight heard(long newNanos) {
            return new Sight(newNanos, true, load, isAccused, rates, progress);
        }

        Sight judged(double newLoad, boolean accused) {
            return new Sight(nanos, isHeard, newLoad, accused, rates, progress);
        }

        Sight after(Progress news) {
            Rate before = rates.get(news.job());
            Rate rate = before == null ? Rate.begin(news.samples(), nanos) : before.next(news.samples(), nanos);
            return new Sight(
                    nanos, isHeard, load, isAccused, rates.plus(news.job(), rate), progress.plus(news.job(), news));
        }

        /** The epochs that the node completed in a job, as it said last. */
        long epoch(String job) {
            Progress newest = progress.get(job);
            return newest == null ? 0 : newest.epoch();
        }

        /** Without jobs that nobody knows any more. */
        Sight without(Collection<String> jobs) {
            return new Sight(nanos, isHeard, load, isAccused, rates.minusAll(jobs), progress.minusAll(jobs));
        }
    }

    /**
     * What an attempt is for.
     *
     * @param call 0 if nobody waits for it
     */
    public record Pending(long call, Purpose purpose) {}

    /** Why a command or question is under way. */
    public sealed interface Purpose {
        record ForCall(Request request) implements Purpose {}

        record Away(String node) implements Purpose {}

        record Pass(String job) implements Purpose {}
    }

    /** A node at a barrier. */
    public record Waiter(long call, String job, String node, long epoch, long sinceNanos, long untilNanos)
            implements Waits.Entry {
        @Override
        public String group() {
            return job;
        }
    }

    /** A call that waits for a message. */
    public record Poll(long call, String node, long after, long untilNanos) implements Waits.Entry {
        @Override
        public String group() {
            return node;
        }
    }

    /**
     * Counters.
     *
     * @param events messages that were put in a queue
     * @param barriers passed
     * @param lastNanos wait of the first node at the last barrier
     * @param totalNanos the same over all barriers
     */
    public record Counters(long events, long barriers, long lastNanos, long totalNanos) {
        static final Counters ZERO = new Counters(0, 0, 0, 0);

        Counters sent(int letters) {
            return new Counters(events + letters, barriers, lastNanos, totalNanos);
        }

        Counters passed(long nanos) {
            return new Counters(events, barriers + 1, nanos, totalNanos + nanos);
        }
    }
}
