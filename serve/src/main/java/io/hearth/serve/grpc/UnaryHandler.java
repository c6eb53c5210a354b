package io.hearth.serve.grpc;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.MessageLite;
import com.google.protobuf.Parser;
import io.grpc.Context;
import io.grpc.Deadline;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerMethodDefinition;
import io.grpc.Status;
import io.hearth.serve.Failure;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.OptionalLong;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Serves one method with one request and one answer.
 *
 * <p>A call whose time is up ends with CANCELLED and the text of tonic's servers, a little early: so its caller is known as gone before it
 * calls again.
 *
 * @param <R> the request
 */
public final class UnaryHandler<R extends MessageLite> implements ServerCallHandler<byte[], byte[]> {
    private static final Logger LOG = LoggerFactory.getLogger(UnaryHandler.class);
    private static final long EARLY_NANOS_MAX = 5_000_000;
    private static final int EARLY_PART = 20;

    /** Handles the calls of one method. */
    public interface Method<R> {
        /**
         * Takes a request. The call may be answered later, on any thread.
         *
         * @param remainingNanos time that the caller gave, if it gave one
         * @return called once if the caller is gone or its time is up before the call was answered
         */
        Runnable call(R request, OptionalLong remainingNanos, UnaryCall call);
    }

    private final Parser<R> parser;
    private final Method<R> method;
    private final ScheduledExecutorService timer;

    private UnaryHandler(Parser<R> parser, ScheduledExecutorService timer, Method<R> method) {
        this.parser = parser;
        this.method = method;
        this.timer = timer;
    }

    /** The definition of a method. */
    public static <R extends MessageLite> ServerMethodDefinition<byte[], byte[]> method(
            String service, String name, Parser<R> parser, ScheduledExecutorService timer, Method<R> method) {
        return ServerMethodDefinition.create(descriptor(service, name), new UnaryHandler<>(parser, timer, method));
    }

    /** A method whose messages are bytes. */
    public static MethodDescriptor<byte[], byte[]> descriptor(String service, String name) {
        return MethodDescriptor.<byte[], byte[]>newBuilder()
                .setType(MethodDescriptor.MethodType.UNARY)
                .setFullMethodName(MethodDescriptor.generateFullMethodName(service, name))
                .setRequestMarshaller(BYTES)
                .setResponseMarshaller(BYTES)
                .build();
    }

    private static final MethodDescriptor.Marshaller<byte[]> BYTES = new MethodDescriptor.Marshaller<>() {
        @Override
        public InputStream stream(byte[] value) {
            return new ByteArrayInputStream(value);
        }

        @Override
        public byte[] parse(InputStream stream) {
            try {
                return stream.readAllBytes(); // the transport bounds it
            } catch (IOException impossible) {
                throw new UncheckedIOException(impossible);
            }
        }
    };

    @Override
    public ServerCall.Listener<byte[]> startCall(ServerCall<byte[], byte[]> call, Metadata headers) {
        call.request(2); // a second message would be an error of the caller
        @Nullable Deadline deadline = Context.current().getDeadline();
        return new Listener(call, deadline);
    }

    private final class Listener extends ServerCall.Listener<byte[]> {
        private final ServerCall<byte[], byte[]> call;
        private final @Nullable Deadline deadline;
        private byte @Nullable [] request;
        private @Nullable UnaryCall open;
        private Runnable gone = () -> {};
        private @Nullable Future<?> timeout;

        private Listener(ServerCall<byte[], byte[]> call, @Nullable Deadline deadline) {
            this.call = call;
            this.deadline = deadline;
        }

        @Override
        public void onMessage(byte[] message) {
            request = message;
        }

        /** Holds the monitor until {@link #gone} is known: a caller that leaves meanwhile waits for it, so none is forgotten. */
        @Override
        public synchronized void onHalfClose() {
            byte[] bytes = request;
            if (bytes == null) {
                call.close(Status.INTERNAL.withDescription("a call without a message"), new Metadata());
                return;
            }
            var unary = new UnaryCall(call);
            open = unary;
            try {
                R read = parser.parseFrom(bytes);
                OptionalLong remaining = deadline == null
                        ? OptionalLong.empty()
                        : OptionalLong.of(deadline.timeRemaining(TimeUnit.NANOSECONDS));
                gone = method.call(read, remaining, unary);
                if (remaining.isPresent() && !unary.isOver()) {
                    long nanos = Math.max(0, remaining.getAsLong());
                    long early = Math.min(EARLY_NANOS_MAX, nanos / EARLY_PART);
                    timeout = timer.schedule(this::expire, nanos - early, TimeUnit.NANOSECONDS);
                }
            } catch (InvalidProtocolBufferException broken) {
                unary.fail(new Failure(
                        Failure.Code.INTERNAL, "failed to decode Protobuf message: " + broken.getMessage()));
            } catch (RuntimeException bug) {
                report(bug);
                unary.fail(new Failure(Failure.Code.INTERNAL, "this is a fault of the server: see its log"));
            }
        }

        private synchronized void expire() {
            UnaryCall unary = open;
            if (unary != null && unary.end()) {
                leave();
                unary.close(
                        new Failure(Failure.Code.CANCELLED, "Timeout expired")); // its caller is known as gone by now
            }
        }

        @Override
        public synchronized void onCancel() {
            stop();
            UnaryCall unary = open;
            if (unary != null && unary.end()) {
                leave();
            }
        }

        private void leave() {
            try {
                gone.run();
            } catch (RuntimeException bug) { // a timer would swallow it
                report(bug);
            }
        }

        private void report(RuntimeException bug) {
            LOG.error("a call of {} failed", call.getMethodDescriptor().getFullMethodName(), bug);
        }

        @Override
        public synchronized void onComplete() {
            stop();
        }

        private void stop() {
            Future<?> planned = timeout;
            if (planned != null) {
                planned.cancel(false);
            }
        }
    }
}
