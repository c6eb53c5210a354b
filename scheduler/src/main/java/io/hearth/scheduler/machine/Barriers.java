package io.hearth.scheduler.machine;

import com.google.gson.JsonObject;
import io.hearth.scheduler.Bounds;
import io.hearth.scheduler.JobState;
import io.hearth.scheduler.MessageKind;
import io.hearth.scheduler.ledger.Commands;
import io.hearth.scheduler.ledger.Job;
import io.hearth.scheduler.ledger.Member;
import io.hearth.scheduler.machine.SchedulerState.Purpose;
import io.hearth.scheduler.machine.SchedulerState.Waiter;
import io.hearth.serve.Failure;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The barriers of epochs. All nodes of a job that are here have to arrive. A node at the barrier of a later epoch counts as arrived. That a
 * barrier was passed is in the ledger before anybody hears it: so a call that is repeated after its answer was lost does not wait. Nobody
 * waits for a job that is done.
 */
final class Barriers {
    private static final int WAITERS_MAX = 4_096;
    private static final int NAMES_MAX = 8;
    private static final double NANOS_PER_SECOND = 1e9;

    private Barriers() {}

    static void arrive(Turn turn, long call, Request.Barrier request) {
        Optional<Job> known = turn.job(request.job());
        if (known.isEmpty()) {
            turn.fail(call, Failure.Code.NOT_FOUND, "there is no job named " + request.job());
            return;
        }
        Job job = known.get();
        if (request.epoch() <= job.barrier() || job.state() == JobState.DONE) {
            turn.answer(call, new Reply.Passed(Math.max(request.epoch(), job.barrier())));
        } else if (job.state().isOver()) {
            turn.fail(call, over(job));
        } else if (job.member(request.node()).filter(member -> !member.isAway()).isEmpty()) {
            turn.fail(
                    call,
                    Failure.Code.FAILED_PRECONDITION,
                    "node " + request.node() + " is not in job " + request.job()
                            + ", or is offline: send a heartbeat, or ask for its shards to join");
        } else if (turn.waiters.size() >= WAITERS_MAX) {
            turn.fail(call, Failure.Code.RESOURCE_EXHAUSTED, WAITERS_MAX + " calls wait at barriers: call later");
        } else {
            long wait = request.waitNanos() == 0 ? Request.WAIT_NANOS_MAX : request.waitNanos();
            turn.waiters = turn.waiters.plus(
                    new Waiter(call, request.job(), request.node(), request.epoch(), turn.now, turn.now + wait));
            turn.touchedJobs.add(request.job());
            Mail.toJob(
                    turn,
                    MessageKind.SYNCHRONIZATION_BARRIER,
                    request.node(),
                    job,
                    Mail.payload("epoch", request.epoch()).toString());
        }
    }

    private static Failure over(Job job) {
        return new Failure(
                Failure.Code.FAILED_PRECONDITION,
                "job " + job.spec().name() + " is over (" + job.reason() + "): nobody else will arrive");
    }

    /** The command that opens a barrier has ended. */
    static void opened(Turn turn, String job) {
        turn.passing = turn.passing.minus(job);
        turn.touchedJobs.add(job);
    }

    /**
     * Lets those go whose barrier is open, whose job is over, or whose time is up; and opens barriers at which all arrived. Only jobs of which
     * there is news are looked at, and those with waiters whose time is up.
     */
    static void decide(Turn turn) {
        turn.waiters.due(turn.now).forEach(late -> turn.touchedJobs.add(late.job()));
        for (String name : turn.touchedJobs) {
            if (!turn.waiters.of(name).isEmpty()) {
                decide(turn, name);
            }
        }
    }

    private static void decide(Turn turn, String name) {
        Optional<Job> job = turn.job(name);
        if (job.isPresent() && job.get().state() == JobState.DONE) {
            release(turn, job.get());
        } else if (job.isEmpty() || job.get().state().isOver()) {
            Failure why = job.map(Barriers::over)
                    .orElse(new Failure(Failure.Code.NOT_FOUND, "job " + name + " was forgotten"));
            failAll(turn, name, why);
        } else {
            release(turn, job.get());
            expire(turn, job.get());
            open(turn, job.get());
        }
    }

    static void failAll(Turn turn, String job, Failure why) {
        for (Waiter waiter : turn.waiters.of(job)) {
            turn.waiters = turn.waiters.minus(waiter.call());
            turn.fail(waiter.call(), why);
        }
    }

    private static void release(Turn turn, Job job) {
        List<Waiter> arrived = turn.waiters.of(job.spec().name()).stream()
                .filter(waiter -> waiter.epoch() <= job.barrier() || job.state() == JobState.DONE)
                .toList();
        if (arrived.isEmpty()) {
            return;
        }
        long first = arrived.stream()
                .mapToLong(waiter -> turn.now - waiter.sinceNanos())
                .max()
                .orElse(0);
        turn.counters = turn.counters.passed(first);
        JsonObject payload = Mail.payload("epoch", job.barrier());
        payload.addProperty("passed", true);
        payload.addProperty("seconds", first / NANOS_PER_SECOND);
        Mail.toJob(turn, MessageKind.SYNCHRONIZATION_BARRIER, Bounds.SCHEDULER, job, payload.toString());
        for (Waiter waiter : arrived) {
            turn.waiters = turn.waiters.minus(waiter.call());
            turn.answer(waiter.call(), new Reply.Passed(Math.max(waiter.epoch(), job.barrier())));
        }
    }

    private static void expire(Turn turn, Job job) {
        List<Waiter> late = turn.waiters.of(job.spec().name()).stream()
                .filter(waiter -> turn.now - waiter.untilNanos() >= 0)
                .toList();
        if (late.isEmpty()) {
            return;
        }
        Map<String, Long> arrivals = arrivals(turn, job.spec().name());
        for (Waiter waiter : late) {
            List<String> missing = job.present().stream()
                    .map(Member::id)
                    .filter(node -> arrivals.getOrDefault(node, -1L) < waiter.epoch())
                    .toList();
            turn.waiters = turn.waiters.minus(waiter.call());
            turn.fail(
                    waiter.call(),
                    Failure.Code.DEADLINE_EXCEEDED,
                    "the barrier of epoch " + waiter.epoch() + " of job " + waiter.job() + " waits for "
                            + String.join(", ", missing.subList(0, Math.min(NAMES_MAX, missing.size())))
                            + " (" + missing.size() + " of " + job.present().size()
                            + " nodes): call again to wait on");
        }
    }

    /** The latest barrier at which each node waits. */
    private static Map<String, Long> arrivals(Turn turn, String job) {
        var arrivals = new HashMap<String, Long>();
        for (Waiter waiter : turn.waiters.of(job)) {
            arrivals.merge(waiter.node(), waiter.epoch(), Math::max);
        }
        return arrivals;
    }

    private static void open(Turn turn, Job job) {
        String name = job.spec().name();
        if (turn.passing.containsKey(name) || job.present().isEmpty()) {
            return;
        }
        Map<String, Long> arrivals = arrivals(turn, name);
        long all = job.present().stream()
                .mapToLong(member -> arrivals.getOrDefault(member.id(), -1L))
                .min()
                .orElse(-1);
        if (all > job.barrier()) {
            turn.passing = turn.passing.plus(name, all);
            turn.store(0, new Purpose.Pass(name), Commands.passed(name, all));
        }
    }
}
