package io.hearth.scheduler.client;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.MessageLite;
import com.google.protobuf.Parser;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ClientCalls;
import io.hearth.serve.Failure;
import io.hearth.serve.grpc.StatusText;
import io.hearth.serve.grpc.UnaryHandler;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** Calls methods of the scheduler, and turns their failures into exceptions. */
final class Transport {
    private static final String SERVICE = "hearth.scheduler.Scheduler";

    private final Channel channel;

    Transport(Channel channel) {
        this.channel = channel;
    }

    <R extends MessageLite> R call(String method, MessageLite request, Parser<R> parser, Duration timeout)
            throws SchedulerException {
        try {
            byte[] answer = ClientCalls.blockingUnaryCall(
                    channel,
                    UnaryHandler.descriptor(SERVICE, method),
                    CallOptions.DEFAULT.withDeadlineAfter(timeout.toNanos(), TimeUnit.NANOSECONDS),
                    request.toByteArray());
            return parser.parseFrom(answer);
        } catch (StatusRuntimeException failed) {
            throw failure(method, failed);
        } catch (InvalidProtocolBufferException broken) {
            throw new SchedulerException(
                    Failure.Code.INTERNAL,
                    "the answer to " + method + " cannot be read (" + broken.getMessage()
                            + "): is this the address of a scheduler?",
                    broken);
        }
    }

    private static SchedulerException failure(String method, StatusRuntimeException failed) {
        Status status = failed.getStatus();
        Failure.Code code = code(status);
        String text = status.getDescription() == null ? "" : status.getDescription();
        if (StatusText.isOfConnection(status)) {
            text = "the scheduler is not reached (" + StatusText.of(status)
                    + "): does it run, is its address right, and do both use TLS or none?";
        } else if (code == Failure.Code.DEADLINE_EXCEEDED && !text.startsWith("the barrier")) {
            text = "the scheduler did not answer " + method + " in time: call again";
        }
        return new SchedulerException(code, text.isEmpty() ? method + " failed: " + status.getCode() : text, failed);
    }

    /** A call whose time was up at the server counts as one whose time was up here. */
    private static Failure.Code code(Status status) {
        if (status.getCode() == Status.Code.CANCELLED) {
            return Failure.Code.DEADLINE_EXCEEDED;
        }
        for (Failure.Code code : Failure.Code.values()) {
            if (code.number() == status.getCode().value()) {
                return code;
            }
        }
        return Failure.Code.INTERNAL;
    }
}
