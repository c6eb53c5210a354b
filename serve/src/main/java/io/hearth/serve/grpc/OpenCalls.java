package io.hearth.serve.grpc;

import io.grpc.ForwardingServerCall;
import io.grpc.ForwardingServerCallListener;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.Status;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/** Bounds the calls that are open at a port, and the bytes of answers that its callers have not read yet. Messages are bytes. Any thread. */
public final class OpenCalls implements ServerInterceptor {
    /** The most open calls of one port. */
    public static final int CALLS_MAX = 10_000;

    private static final long BYTES_MAX =
            Math.max(64L * 1024 * 1024, Runtime.getRuntime().maxMemory() / 8);

    private final int callsMax;
    private final long bytesMax;
    private final AtomicLong calls = new AtomicLong();
    private final AtomicLong bytes = new AtomicLong();

    /** With {@link #CALLS_MAX}, and an eighth of Java's heap for answers, or 64 MiB if that is more. */
    public OpenCalls() {
        this(CALLS_MAX, BYTES_MAX);
    }

    OpenCalls(int callsMax, long bytesMax) {
        this.callsMax = callsMax;
        this.bytesMax = bytesMax;
    }

    /** Calls that are open now. */
    long calls() {
        return calls.get();
    }

    /** Bytes of answers that are not read yet. */
    long bytes() {
        return bytes.get();
    }

    @Override
    public <Q, A> ServerCall.Listener<Q> interceptCall(
            ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
        if (calls.incrementAndGet() > callsMax) {
            calls.decrementAndGet();
            call.close(
                    Status.RESOURCE_EXHAUSTED.withDescription(
                            callsMax + " calls are open at this port already: call again when some have ended"),
                    new Metadata());
            return new ServerCall.Listener<>() {};
        }
        var open = new Open<>(call);
        ServerCall.Listener<Q> listener;
        boolean isBegun = false;
        try {
            listener = next.startCall(open, headers);
            isBegun = true;
        } finally {
            if (!isBegun) {
                open.end(); // gRPC tells nobody of the end of a call that did not begin
            }
        }
        return new ForwardingServerCallListener.SimpleForwardingServerCallListener<>(listener) {
            @Override
            public void onComplete() {
                open.end();
                super.onComplete();
            }

            @Override
            public void onCancel() {
                open.end();
                super.onCancel();
            }
        };
    }

    /** One call. Its answer counts until the connection has taken it, which ends the call. */
    private final class Open<Q, A> extends ForwardingServerCall.SimpleForwardingServerCall<Q, A> {
        private final AtomicBoolean hasEnded = new AtomicBoolean();
        private final AtomicLong unread = new AtomicLong();
        private boolean isRefused; // of the thread that answers

        private Open(ServerCall<Q, A> call) {
            super(call);
        }

        @Override
        public void sendMessage(A message) {
            long size = message instanceof byte[] array ? array.length : 0;
            long all = bytes.addAndGet(size);
            if (all > bytesMax && all > size) { // alone, any answer may go
                bytes.addAndGet(-size);
                isRefused = true;
                super.close(
                        Status.RESOURCE_EXHAUSTED.withDescription("callers of this port have not read " + (all - size)
                                + " bytes of answers yet, and this one has " + size + ": call again when they have"),
                        new Metadata());
                return;
            }
            unread.addAndGet(size);
            if (hasEnded.get()) {
                bytes.addAndGet(-unread.getAndSet(0));
            }
            super.sendMessage(message);
        }

        @Override
        public void close(Status status, Metadata trailers) {
            if (!isRefused) {
                super.close(status, trailers);
            }
        }

        private void end() {
            if (hasEnded.compareAndSet(false, true)) {
                calls.decrementAndGet();
                bytes.addAndGet(-unread.getAndSet(0));
            }
        }
    }
}
