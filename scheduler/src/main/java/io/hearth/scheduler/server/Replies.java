package io.hearth.scheduler.server;

import com.google.protobuf.MessageLite;
import io.hearth.core.Clock;
import io.hearth.scheduler.DataAdvice;
import io.hearth.scheduler.machine.Letter;
import io.hearth.scheduler.machine.Reply;
import io.hearth.scheduler.protobuf.Jobs;
import io.hearth.scheduler.protobuf.Nodes;
import io.hearth.scheduler.wire.BarrierResponse;
import io.hearth.scheduler.wire.CancelJobResponse;
import io.hearth.scheduler.wire.CompleteShardResponse;
import io.hearth.scheduler.wire.HeartbeatResponse;
import io.hearth.scheduler.wire.LeaveNodeResponse;
import io.hearth.scheduler.wire.ListJobsResponse;
import io.hearth.scheduler.wire.MessagesResponse;
import io.hearth.scheduler.wire.NextShardsResponse;
import io.hearth.scheduler.wire.QueuedMessage;
import io.hearth.scheduler.wire.RegisterNodeResponse;
import io.hearth.scheduler.wire.ReportEpochResponse;
import io.hearth.scheduler.wire.RequestDataResponse;
import io.hearth.scheduler.wire.SendResponse;
import io.hearth.scheduler.wire.ShowJobResponse;
import io.hearth.scheduler.wire.SubmitJobResponse;

/** Writes the answers to callers. */
final class Replies {
    private static final long NANOS_PER_MILLI = 1_000_000;

    private Replies() {}

    static MessageLite message(Reply reply, Clock clock) {
        return switch (reply) {
            case Reply.Registered registered ->
                RegisterNodeResponse.newBuilder()
                        .setHeartbeatMillis(registered.heartbeatNanos() / NANOS_PER_MILLI)
                        .setTimeoutMillis(registered.timeoutNanos() / NANOS_PER_MILLI)
                        .build();
            case Reply.Beaten beaten ->
                HeartbeatResponse.newBuilder()
                        .setStatus(Jobs.status(beaten.status()))
                        .addAllJobs(beaten.jobs())
                        .build();
            case Reply.Left() -> LeaveNodeResponse.getDefaultInstance();
            case Reply.Submitted(var job) ->
                SubmitJobResponse.newBuilder().setJob(Jobs.message(job)).build();
            case Reply.Jobs(var jobs) ->
                ListJobsResponse.newBuilder()
                        .addAllJobs(jobs.stream().map(Jobs::message).toList())
                        .build();
            case Reply.Shown(var job) ->
                ShowJobResponse.newBuilder().setJob(Jobs.message(job)).build();
            case Reply.Cancelled(var job) ->
                CancelJobResponse.newBuilder().setJob(Jobs.message(job)).build();
            case Reply.Reported reported ->
                ReportEpochResponse.newBuilder()
                        .setStraggler(reported.isStraggler())
                        .setState(Jobs.state(reported.state()))
                        .build();
            case Reply.Passed(long epoch) ->
                BarrierResponse.newBuilder().setEpoch(epoch).build();
            case Reply.Data(DataAdvice advice) -> data(advice);
            case Reply.Shards shards ->
                NextShardsResponse.newBuilder()
                        .addAllShards(
                                shards.shards().stream().map(Nodes::message).toList())
                        .setState(Jobs.state(shards.state()))
                        .build();
            case Reply.Completed(var state) ->
                CompleteShardResponse.newBuilder().setState(Jobs.state(state)).build();
            case Reply.Sent() -> SendResponse.getDefaultInstance();
            case Reply.Messages messages -> mail(messages, clock);
            case Reply.Metrics(var metrics) -> Jobs.message(metrics);
        };
    }

    private static RequestDataResponse data(DataAdvice advice) {
        var response = RequestDataResponse.newBuilder()
                .setKnown(advice.shard().isPresent())
                .setOwnerAddress(advice.ownerAddress())
                .setPrefetchBytes(advice.prefetchBytes())
                .setCache(advice.isCached())
                .addAllOptimalNodes(advice.optimalNodes());
        advice.shard().ifPresent(shard -> response.setShard(Nodes.message(shard)));
        return response.build();
    }

    private static MessagesResponse mail(Reply.Messages messages, Clock clock) {
        var response = MessagesResponse.newBuilder().setQueue(messages.queue()).setDropped(messages.dropped());
        for (Letter letter : messages.letters()) {
            response.addMessages(
                    QueuedMessage.newBuilder().setNumber(letter.number()).setJson(Envelope.json(letter, clock)));
        }
        return response.build();
    }
}
