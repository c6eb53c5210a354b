package io.hearth.scheduler.server;

import com.google.protobuf.InvalidProtocolBufferException;
import io.hearth.scheduler.Bounds;
import io.hearth.scheduler.MessageKind;
import io.hearth.scheduler.machine.Request;
import io.hearth.scheduler.protobuf.Jobs;
import io.hearth.scheduler.protobuf.Nodes;
import io.hearth.scheduler.wire.BarrierRequest;
import io.hearth.scheduler.wire.CancelJobRequest;
import io.hearth.scheduler.wire.CompleteShardRequest;
import io.hearth.scheduler.wire.HeartbeatRequest;
import io.hearth.scheduler.wire.LeaveNodeRequest;
import io.hearth.scheduler.wire.MessagesRequest;
import io.hearth.scheduler.wire.NextShardsRequest;
import io.hearth.scheduler.wire.RegisterNodeRequest;
import io.hearth.scheduler.wire.ReportEpochRequest;
import io.hearth.scheduler.wire.RequestDataRequest;
import io.hearth.scheduler.wire.SendRequest;
import io.hearth.scheduler.wire.ShowJobRequest;
import io.hearth.scheduler.wire.SubmitJobRequest;
import java.util.Arrays;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Collectors;

/** Reads the requests of callers; {@link IllegalArgumentException} says what is wrong with one. */
final class Requests {
    private static final long NANOS_PER_MILLI = 1_000_000;

    private Requests() {}

    static Request register(RegisterNodeRequest request) {
        return new Request.Register(Nodes.node(request.getNode()));
    }

    static Request beat(HeartbeatRequest request) {
        return new Request.Beat(
                request.getNodeId(),
                request.getLoad(),
                Nodes.role(request.getRoleValue()),
                request.hasCapabilities()
                        ? Optional.of(Nodes.capabilities(request.getCapabilities()))
                        : Optional.empty(),
                request.getProgressList().stream().map(Nodes::progress).toList(),
                request.getUnhealthy());
    }

    static Request leave(LeaveNodeRequest request) {
        return new Request.Leave(request.getNodeId());
    }

    static Request submit(SubmitJobRequest request) {
        return new Request.Submit(Jobs.spec(request), request.getNodesList(), request.getOwnersList());
    }

    static Request show(ShowJobRequest request) {
        return new Request.ShowJob(request.getName());
    }

    static Request cancel(CancelJobRequest request) {
        return new Request.Cancel(request.getName());
    }

    static Request report(ReportEpochRequest request) {
        return new Request.Report(
                request.getNodeId(),
                Nodes.progress(request.getJob(), request.getEpoch(), request.getSamples()),
                request.getFailure());
    }

    static Request barrier(BarrierRequest request) {
        return new Request.Barrier(
                request.getNodeId(),
                request.getJob(),
                Bounds.unsigned("an epoch", request.getEpoch()),
                nanos(request.getTimeoutMillis()));
    }

    private static long nanos(long millis) {
        if (millis < 0 || millis > Request.WAIT_NANOS_MAX / NANOS_PER_MILLI) {
            throw new IllegalArgumentException(
                    "a wait is at most an hour, got " + Long.toUnsignedString(millis) + " ms");
        }
        return millis * NANOS_PER_MILLI;
    }

    static Request data(RequestDataRequest request) {
        return new Request.Data(request.getNodeId(), request.getJob(), Bounds.unsigned("a shard", request.getShard()));
    }

    static Request next(NextShardsRequest request) {
        return new Request.Next(
                request.getNodeId(),
                request.getJob(),
                request.getMax() == 0 ? 1 : Bounds.unsigned("the number of shards to take", request.getMax()));
    }

    static Request complete(CompleteShardRequest request) {
        return new Request.Complete(
                request.getNodeId(),
                request.getJob(),
                Bounds.unsigned("a shard", request.getShard()),
                request.getTerm());
    }

    static Request send(SendRequest request) {
        MessageKind kind = MessageKind.of(request.getType())
                .orElseThrow(() -> new IllegalArgumentException("a type is one of "
                        + Arrays.stream(MessageKind.values())
                                .map(MessageKind::text)
                                .collect(Collectors.joining(", "))));
        return new Request.Send(
                request.getNodeId(),
                request.getTarget(),
                kind,
                request.getJob(),
                request.getPayload().isEmpty() ? "{}" : request.getPayload(),
                request.getMessageId());
    }

    /** Gives a {@link SendRequest} without a message id a new one. Malformed bytes stay as they are; whoever parses them refuses them. */
    static byte[] withMessageId(byte[] request) {
        try {
            SendRequest read = SendRequest.parseFrom(request);
            return read.getMessageId().isEmpty()
                    ? read.toBuilder()
                            .setMessageId(UUID.randomUUID().toString())
                            .build()
                            .toByteArray()
                    : request;
        } catch (InvalidProtocolBufferException malformed) {
            return request;
        }
    }

    static Request messages(MessagesRequest request) {
        return new Request.Messages(
                request.getNodeId(), request.getQueue(), request.getAfter(), nanos(request.getWaitMillis()));
    }
}
