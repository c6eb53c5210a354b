package io.hearth.serve.member;

import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ClientStreamTracer;
import io.grpc.Context;
import io.grpc.Deadline;
import io.grpc.ForwardingServerCall;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.Status;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * One call of a caller of this node: one request, one answer. It goes to the member that answers, and waits while there is none. If that
 * member is lost before the answer, the call is made again at the next one, provided that it was not begun or may be repeated. So a caller
 * does not notice that a machine died, apart from the time.
 */
final class RoutedCall extends ServerCall.Listener<byte[]> {
    private static final long AGAIN_MILLIS = 25;
    private static final long WAIT_NANOS_MAX = 60_000_000_000L;
    private static final long EARLY_NANOS = 20_000_000; // before the caller's own deadline, so that it reads the reason

    /** What gRPC makes of a connection that breaks at one moment or another, and what a member says before it knows the link. */
    private static final Set<Status.Code> BROKEN =
            EnumSet.of(Status.Code.UNKNOWN, Status.Code.INTERNAL, Status.Code.CANCELLED, Status.Code.UNAUTHENTICATED);

    private final ServerCall<byte[], byte[]> call;
    private final ServerCallHandler<byte[], byte[]> here;
    private final Router router;
    private final Context context = Context.current();
    private final @Nullable Deadline given; // by the caller

    // Guarded by this, which is never held while a service, a connection or the caller's stream is called.
    private byte @Nullable [] request;
    private @Nullable Attempt attempt;
    private @Nullable Future<?> again;
    private @Nullable Deadline until; // of the wait for a member that answers
    private boolean isOver;

    RoutedCall(ServerCall<byte[], byte[]> call, ServerCallHandler<byte[], byte[]> here, Router router) {
        this.call = call;
        this.here = here;
        this.router = router;
        given = context.getDeadline();
        call.request(2); // a second message would be an error of the caller
    }

    /** One try to have the call answered. Any thread. */
    private interface Attempt {
        /** Called once. The attempt may end before this returns. */
        void start();

        /** Also before it is started, which happens nevertheless. */
        void cancel();

        /** Its end was taken note of. */
        void complete();
    }

    @Override
    public synchronized void onMessage(byte[] message) {
        request = message;
    }

    @Override
    public void onHalfClose() {
        byte[] bytes;
        synchronized (this) {
            bytes = request;
        }
        if (bytes == null) {
            close(Status.INTERNAL.withDescription("a call without a message"), new Metadata(), null);
        } else {
            attempt(router.marked(call.getMethodDescriptor().getFullMethodName(), bytes));
        }
    }

    private void attempt(byte[] bytes) {
        Optional<Attempt> possible = next(bytes);
        if (possible.isEmpty()) {
            later(bytes, Status.UNAVAILABLE.withDescription(router.vacancy()));
            return;
        }
        Attempt next = possible.get();
        Attempt before;
        synchronized (this) {
            if (isOver) {
                return;
            }
            before = attempt;
            attempt = next;
        }
        if (before != null) {
            before.complete();
        }
        next.start();
    }

    private Optional<Attempt> next(byte[] bytes) {
        if (router.isHere()
                || router.isAnsweredAnywhere(call.getMethodDescriptor().getFullMethodName())) {
            return Optional.of(new Here(bytes));
        }
        return router.answering().flatMap(router::to).map(way -> new There(way, bytes));
    }

    /** Tries again soon, or ends the call with this error if its time is up. */
    private void later(byte[] bytes, Status why) {
        long left = waiting().timeRemaining(TimeUnit.MILLISECONDS);
        if (left <= 0) {
            close(why, new Metadata(), null);
            return;
        }
        synchronized (this) {
            if (isOver) {
                return;
            }
            try {
                again = router.timer()
                        .schedule(() -> attempt(bytes), Math.min(AGAIN_MILLIS, left), TimeUnit.MILLISECONDS);
                return;
            } catch (RejectedExecutionException closing) {
                // This node ends: its callers are told below.
            }
        }
        close(why, new Metadata(), null);
    }

    /** A caller without a deadline waits for a while after the first loss; for an answer, it waits as long as it likes. */
    private synchronized Deadline waiting() {
        Deadline known = until;
        if (known == null) {
            known = given == null
                    ? Deadline.after(WAIT_NANOS_MAX, TimeUnit.NANOSECONDS)
                    : given.offset(-EARLY_NANOS, TimeUnit.NANOSECONDS);
            until = known;
        }
        return known;
    }

    /**
     * An attempt ended.
     *
     * @param answer of it, if one came; it is worth nothing unless the status is OK, because a connection may break behind it
     */
    private void ended(byte[] bytes, Status status, Metadata trailers, boolean wasBegun, byte @Nullable [] answer) {
        boolean isLost = status.getCode() == Status.Code.UNAVAILABLE;
        if (isLost && (!wasBegun || router.mayRepeat(call.getMethodDescriptor().getFullMethodName()))) {
            later(bytes, status);
        } else {
            close(status, trailers, answer);
        }
    }

    private void close(Status status, Metadata trailers, byte @Nullable [] answer) {
        synchronized (this) {
            if (isOver) {
                return;
            }
            isOver = true;
        }
        if (status.isOk() && answer != null) {
            call.sendHeaders(new Metadata());
            call.sendMessage(answer);
        }
        call.close(status, trailers);
    }

    @Override
    public void onCancel() {
        Attempt open;
        synchronized (this) {
            isOver = true;
            open = attempt;
            Future<?> planned = again;
            if (planned != null) {
                planned.cancel(false);
            }
        }
        if (open != null) {
            open.cancel();
        }
    }

    @Override
    public void onComplete() {
        Attempt open;
        synchronized (this) {
            open = attempt;
        }
        if (open != null) {
            open.complete();
        }
    }

    /** This node answers. */
    private final class Here extends ForwardingServerCall.SimpleForwardingServerCall<byte[], byte[]>
            implements Attempt {
        private final CompletableFuture<ServerCall.Listener<byte[]>> started = new CompletableFuture<>();
        private final byte[] bytes;
        private byte @Nullable [] answer; // of the thread that answers

        private Here(byte[] bytes) {
            super(call);
            this.bytes = bytes;
        }

        @Override
        public void start() {
            Context before = context.attach();
            try {
                ServerCall.Listener<byte[]> listener = here.startCall(this, new Metadata());
                listener.onMessage(bytes);
                listener.onHalfClose();
                started.complete(listener);
            } finally {
                context.detach(before);
            }
        }

        @Override
        public void request(int messages) {} // it is here already

        @Override
        public void sendHeaders(Metadata headers) {} // with the answer

        @Override
        public void sendMessage(byte[] message) {
            answer = message;
        }

        @Override
        public void close(Status status, Metadata trailers) {
            ended(bytes, status, trailers, true, answer);
        }

        @Override
        public void cancel() {
            var _ = started.thenAccept(ServerCall.Listener::onCancel);
        }

        @Override
        public void complete() {
            var _ = started.thenAccept(ServerCall.Listener::onComplete);
        }
    }

    /** Another member answers. */
    private final class There extends ClientCall.Listener<byte[]> implements Attempt {
        private final ManagedChannel way;
        private final CompletableFuture<ClientCall<byte[], byte[]>> started = new CompletableFuture<>();
        private final AtomicBoolean hasStream = new AtomicBoolean(); // whether a connection took the call
        private final byte[] bytes;
        private byte @Nullable [] answer; // of the thread of the connection

        private There(ManagedChannel way, byte[] bytes) {
            this.way = way;
            this.bytes = bytes;
        }

        @Override
        public void start() {
            ClientCall<byte[], byte[]> out = way.newCall(
                    call.getMethodDescriptor(),
                    (given == null ? CallOptions.DEFAULT : CallOptions.DEFAULT.withDeadline(given))
                            .withStreamTracerFactory(new ClientStreamTracer.Factory() {
                                @Override
                                public ClientStreamTracer newClientStreamTracer(
                                        ClientStreamTracer.StreamInfo info, Metadata headers) {
                                    return new ClientStreamTracer() {
                                        @Override
                                        public void outboundHeaders() {
                                            hasStream.set(true);
                                        }
                                    };
                                }
                            }));
            var headers = new Metadata();
            headers.put(RoutedHandler.FORWARDED, "1");
            out.start(this, headers);
            out.request(2);
            out.sendMessage(bytes);
            out.halfClose();
            started.complete(out);
        }

        @Override
        public void onMessage(byte[] message) {
            answer = message;
        }

        @Override
        public void onClose(Status status, Metadata trailers) {
            boolean isOfService = trailers.containsKey(RoutedHandler.ANSWERED);
            Status told = isOfService || !BROKEN.contains(status.getCode())
                    ? status
                    : Status.UNAVAILABLE.withDescription("the connection to the member that answers broke: " + status);
            boolean wasBegun = hasStream.get() && !trailers.containsKey(RoutedHandler.NOT_TAKEN);
            ended(bytes, told, new Metadata(), wasBegun, answer);
        }

        @Override
        public void cancel() {
            var _ = started.thenAccept(out -> out.cancel("the caller is gone", null));
        }

        @Override
        public void complete() {}
    }
}
