package io.hearth.scheduler.machine;

import com.google.gson.JsonObject;
import io.hearth.scheduler.DataAdvice;
import io.hearth.scheduler.JobState;
import io.hearth.scheduler.JobView;
import io.hearth.scheduler.MessageKind;
import io.hearth.scheduler.SchedulerSettings;
import io.hearth.scheduler.ledger.Job;
import io.hearth.serve.Failure;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/** Answers calls, once their command is applied or the ledger is known to be the newest. */
final class Answers {
    private Answers() {}

    static void give(Turn turn, SchedulerSettings settings, long call, Request request) {
        var views = new Views(turn.state(), settings, turn.now);
        switch (request) {
            case Request.Register register -> {
                Watch.hear(turn, register.node().id());
                turn.stay(register.node().id(), turn.now);
                turn.answer(call, new Reply.Registered(settings.heartbeatNanos(), settings.timeoutNanos()));
            }
            case Request.Beat beat -> {
                turn.stay(beat.node(), turn.now);
                turn.answer(call, new Reply.Beaten(views.status(beat.node()), views.jobsOf(beat.node())));
            }
            case Request.Leave _ -> turn.answer(call, new Reply.Left());
            case Request.Submit submit -> job(turn, views, call, submit.spec().name(), Reply.Submitted::new);
            case Request.ShowJob show -> job(turn, views, call, show.name(), Reply.Shown::new);
            case Request.Cancel cancel -> job(turn, views, call, cancel.name(), Reply.Cancelled::new);
            case Request.ListJobs _ ->
                turn.answer(
                        call,
                        new Reply.Jobs(views.jobs().stream().map(JobView::brief).toList()));
            case Request.Report report ->
                turn.answer(
                        call,
                        new Reply.Reported(
                                views.isStraggler(report.progress().job(), report.node()),
                                state(turn, report.progress().job())));
            case Request.Data data -> data(turn, views, call, data);
            case Request.Next next ->
                turn.answer(
                        call,
                        new Reply.Shards(
                                turn.job(next.job())
                                        .filter(job -> !job.state().isOver())
                                        .map(job -> job.given(next.node(), next.max()))
                                        .orElse(List.of()),
                                state(turn, next.job())));
            case Request.Complete done -> turn.answer(call, new Reply.Completed(state(turn, done.job())));
            case Request.Metrics _ -> turn.answer(call, new Reply.Metrics(views.metrics()));
            case Request.Barrier _, Request.Send _, Request.Messages _ ->
                throw new IllegalStateException("these are answered without a command");
        }
    }

    private static JobState state(Turn turn, String job) {
        return turn.job(job).map(Job::state).orElse(JobState.UNKNOWN);
    }

    private static void job(Turn turn, Views views, long call, String name, Function<JobView, Reply> reply) {
        Optional<Job> job = turn.job(name);
        if (job.isPresent()) {
            turn.answer(call, reply.apply(views.job(job.get())));
        } else {
            turn.fail(
                    call,
                    Failure.Code.NOT_FOUND,
                    "there is no job named " + name + ": it was never submitted, or is forgotten");
        }
    }

    private static void data(Turn turn, Views views, long call, Request.Data request) {
        Optional<Job> job = turn.job(request.job());
        if (job.isPresent() && request.shard() >= job.get().shards().count()) {
            turn.fail(
                    call,
                    Failure.Code.OUT_OF_RANGE,
                    "job " + request.job() + " has the shards 0 to "
                            + (job.get().shards().count() - 1) + ", got " + request.shard());
            return;
        }
        DataAdvice advice = views.advice(request.job(), request.shard());
        advice.shard().filter(shard -> !shard.owner().isEmpty()).ifPresent(shard -> {
            var payload = new JsonObject();
            payload.addProperty("shard_id", shard.id());
            payload.addProperty("node", request.node());
            Mail.toOne(
                    turn, MessageKind.DATA_REQUEST, request.node(), shard.owner(), request.job(), payload.toString());
        });
        turn.answer(call, new Reply.Data(advice));
    }
}
