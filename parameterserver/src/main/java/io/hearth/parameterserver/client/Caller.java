package io.hearth.parameterserver.client;

import com.google.common.util.concurrent.ListenableFuture;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.MessageLite;
import com.google.protobuf.Parser;
import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.netty.NegotiationType;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.ClientCalls;
import io.hearth.parameterserver.Sizes;
import io.hearth.serve.grpc.UnaryHandler;
import io.netty.handler.ssl.SslContext;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/**
 * Calls of one connection at a time, to any of the servers. A call that no machine can answer at this moment is repeated until its time is up,
 * on the next server if there are several.
 */
final class Caller implements AutoCloseable {
    private static final String SERVICE = "hearth.parameterserver.ParameterServer";
    private static final long PAUSE_MILLIS = 50;
    private static final long LATE_NANOS = 50_000_000; // before its deadline a call may end because of it

    /** Calls of one list that are on their way at the same time. */
    private static final int OPEN_MAX = 32;

    private final Duration timeout;
    private final Optional<SslContext> tls;
    private final int preferred;
    private final Runnable onMove;

    // Guarded by this.
    private List<InetSocketAddress> servers;
    private InetSocketAddress server;
    private ManagedChannel channel;
    private boolean isClosed;

    /**
     * @param servers one or more
     * @param preferred which one is used first, modulo their number
     * @param onMove runs when a server did not answer
     */
    Caller(
            List<InetSocketAddress> servers,
            int preferred,
            Runnable onMove,
            Duration timeout,
            Optional<SslContext> tls) {
        this.tls = tls;
        this.servers = List.copyOf(servers);
        this.preferred = preferred;
        this.onMove = onMove;
        this.timeout = timeout;
        this.server = choice(servers);
        this.channel = open(server);
    }

    private InetSocketAddress choice(List<InetSocketAddress> all) {
        return all.get(Math.floorMod(preferred, all.size()));
    }

    private ManagedChannel open(InetSocketAddress address) {
        InetSocketAddress resolved =
                address.isUnresolved() ? new InetSocketAddress(address.getHostString(), address.getPort()) : address;
        NettyChannelBuilder builder =
                NettyChannelBuilder.forAddress(resolved).maxInboundMessageSize(Sizes.MESSAGE_BYTES_MAX);
        return tls.map(builder::sslContext)
                .orElseGet(() -> builder.negotiationType(NegotiationType.PLAINTEXT))
                .build();
    }

    private synchronized ManagedChannel channel() {
        return channel;
    }

    /** The servers that there are now, one or more. If the one in use is not among them, its calls go to another one. */
    synchronized void servers(List<InetSocketAddress> newest) {
        servers = List.copyOf(newest);
        if (!servers.contains(server)) {
            move(choice(servers));
        }
    }

    /** Goes on to the next server, unless another call did. */
    private synchronized void leave(ManagedChannel failed) {
        if (channel.equals(failed) && servers.size() > 1) {
            move(servers.get((servers.indexOf(server) + 1) % servers.size()));
        }
    }

    private void move(InetSocketAddress next) {
        if (isClosed) {
            return;
        }
        channel.shutdownNow(); // its calls end as unavailable, and are repeated
        server = next;
        channel = open(next);
    }

    /** A call that is on its way. */
    final class Call<A extends MessageLite> {
        private final String method;
        private final byte[] request;
        private final Parser<A> parser;
        private final long beganNanos = System.nanoTime();
        private final long endNanos = beganNanos + timeout.toNanos();
        private long triedNanos; // when the newest try began
        private ManagedChannel way;
        private ListenableFuture<byte[]> open;

        private Call(String method, MessageLite request, Parser<A> parser) {
            this.method = method;
            this.request = request.toByteArray();
            this.parser = parser;
            this.way = channel();
            this.open = begin();
        }

        private ListenableFuture<byte[]> begin() {
            triedNanos = System.nanoTime();
            long left = Math.max(1, endNanos - triedNanos);
            return ClientCalls.futureUnaryCall(
                    way.newCall(
                            UnaryHandler.descriptor(SERVICE, method),
                            CallOptions.DEFAULT.withDeadlineAfter(left, TimeUnit.NANOSECONDS)),
                    request);
        }

        A await() throws ParameterServerException, InterruptedException {
            Optional<Status> former = Optional.empty();
            while (true) {
                try {
                    return parser.parseFrom(open.get());
                } catch (ExecutionException failed) {
                    Status status = Status.fromThrowable(failed);
                    boolean isLate = endNanos - System.nanoTime() <= LATE_NANOS;
                    if (isLate && isOfTime(status)) {
                        status = former.filter(_ -> !hadMostOfTheTime()).orElse(tooLate());
                    }
                    if (isLate || !mayRepeat(status)) {
                        throw new ParameterServerException(status, failed);
                    }
                    former = Optional.of(status);
                    if (isGone(status)) {
                        leave(way);
                        onMove.run();
                    }
                    Thread.sleep(PAUSE_MILLIS); // no event announces that a machine answers again
                    way = channel();
                    open = begin();
                } catch (InvalidProtocolBufferException broken) {
                    throw new ParameterServerException(
                            Status.INTERNAL.withDescription("the server's answer cannot be read"), broken);
                }
            }
        }

        /** Whether the newest try took longer than all before it; else their failure says why there was no answer. */
        private boolean hadMostOfTheTime() {
            return System.nanoTime() - triedNanos > triedNanos - beganNanos;
        }

        private Status tooLate() {
            return Status.DEADLINE_EXCEEDED.withDescription("no answer within " + timeout.toMillis() + " ms");
        }

        /** A server ends a call by itself some milliseconds before its deadline. */
        private static boolean isOfTime(Status status) {
            return status.getCode() == Status.Code.DEADLINE_EXCEEDED || status.getCode() == Status.Code.CANCELLED;
        }

        /** A server that stops cancels its calls. */
        private static boolean isGone(Status status) {
            return status.getCode() == Status.Code.UNAVAILABLE || status.getCode() == Status.Code.CANCELLED;
        }

        /** A server may be full for a moment. A trainer that has just registered may reach a machine that has not heard of it. */
        private static boolean mayRepeat(Status status) {
            return isGone(status)
                    || (status.getCode() == Status.Code.RESOURCE_EXHAUSTED
                            && String.valueOf(status.getDescription()).contains("call again"))
                    || (status.getCode() == Status.Code.FAILED_PRECONDITION
                            && String.valueOf(status.getDescription()).contains("is not registered"));
        }
    }

    <A extends MessageLite> Call<A> begin(String method, MessageLite request, Parser<A> parser) {
        return new Call<>(method, request, parser);
    }

    /** Makes a call for each piece, a few at a time: a large model is not all on its way at once. */
    <P, A extends MessageLite> List<A> all(List<P> pieces, Function<P, Call<A>> begin)
            throws ParameterServerException, InterruptedException {
        var open = new ArrayDeque<Call<A>>();
        var answers = new ArrayList<A>();
        for (P piece : pieces) {
            if (open.size() == OPEN_MAX) {
                answers.add(open.remove().await());
            }
            open.add(begin.apply(piece));
        }
        while (!open.isEmpty()) {
            answers.add(open.remove().await());
        }
        return answers;
    }

    @Override
    public synchronized void close() {
        isClosed = true;
        channel.shutdownNow();
    }
}
