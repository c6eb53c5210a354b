package io.hearth.lighthouse.client;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.MessageLite;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.netty.NegotiationType;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.StreamObserver;
import io.hearth.core.SetupException;
import io.hearth.serve.Failure;
import io.hearth.serve.grpc.TlsFiles;
import io.hearth.serve.grpc.UnaryHandler;
import io.netty.channel.ChannelOption;
import io.netty.handler.ssl.SslContext;
import java.net.URI;
import java.net.URISyntaxException;
import java.time.Duration;
import java.util.Arrays;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/** Calls the methods of one service. Any thread. */
final class Caller implements AutoCloseable {
    private static final int ANSWER_BYTES_MAX = 16 * 1024 * 1024;
    private static final int CONNECT_MILLIS = 5_000;
    private static final long ALIVE_SECONDS = 60; // as torchft's clients
    private static final long ALIVE_ANSWER_SECONDS = 20;

    /** What tonic's servers say at the deadline, as it arrives: without a content type, so gRPC for Java does not read it as a status. */
    private static final Set<String> SERVERS_TIMEOUTS = Set.of("Timeout expired", "grpc-message=Timeout%20expired");

    private final String callee;
    private final String service;
    private final Channel channel;
    private final Optional<ManagedChannel> own;

    /** Reads the bytes of an answer. */
    interface Reader<T> {
        T read(byte[] bytes) throws InvalidProtocolBufferException;
    }

    private Caller(String callee, String service, Channel channel, Optional<ManagedChannel> own) {
        this.callee = callee;
        this.service = service;
        this.channel = channel;
        this.own = own;
    }

    /**
     * Calls over a connection of its own, without encryption.
     *
     * @param role what it calls, such as "the lighthouse"; for people
     * @param address {@code http://host:port}
     */
    static Caller to(String role, String service, String address) {
        return to(role, service, address, "http", builder -> builder.negotiationType(NegotiationType.PLAINTEXT));
    }

    /**
     * Calls over a connection of its own with TLS.
     *
     * @param role what it calls, such as "the lighthouse"; for people
     * @param address {@code https://host:port}
     * @throws SetupException if the files cannot be used
     */
    static Caller to(String role, String service, String address, TlsFiles files) throws SetupException {
        SslContext tls = files.client();
        return to(role, service, address, "https", builder -> builder.sslContext(tls));
    }

    private static Caller to(
            String role, String service, String address, String scheme, UnaryOperator<NettyChannelBuilder> security) {
        URI uri;
        try {
            uri = new URI(address);
        } catch (URISyntaxException broken) {
            throw new IllegalArgumentException(expected(scheme, address), broken);
        }
        String host = uri.getHost();
        if (!scheme.equals(uri.getScheme()) || host == null || uri.getPort() < 1 || uri.getPort() > 65_535) {
            throw new IllegalArgumentException(expected(scheme, address));
        }
        ManagedChannel channel = security.apply(NettyChannelBuilder.forAddress(host, uri.getPort()))
                .withOption(ChannelOption.CONNECT_TIMEOUT_MILLIS, CONNECT_MILLIS)
                .maxInboundMessageSize(ANSWER_BYTES_MAX)
                .keepAliveTime(ALIVE_SECONDS, TimeUnit.SECONDS)
                .keepAliveTimeout(ALIVE_ANSWER_SECONDS, TimeUnit.SECONDS)
                .keepAliveWithoutCalls(true)
                .disableRetry()
                .build();
        return new Caller(role + " at " + address, service, channel, Optional.of(channel));
    }

    private static String expected(String scheme, String address) {
        return "an address is " + scheme + "://host:port here, got " + address
                + (scheme.equals("http") ? "; for https give files of TLS, or an io.grpc.Channel in its place" : "");
    }

    /** Calls over a channel of somebody else. */
    static Caller over(String role, String service, Channel channel) {
        return new Caller(role, service, channel, Optional.empty());
    }

    /** Calls. The future ends with {@link CallFailedException}; cancelling the future cancels the call. */
    <T> CompletableFuture<T> call(String method, MessageLite request, Reader<T> reader, Duration timeout) {
        if (timeout.isNegative() || timeout.isZero()) {
            throw new IllegalArgumentException("a time-out is more than 0, got " + timeout);
        }
        long nanos = timeout.compareTo(Duration.ofNanos(Long.MAX_VALUE)) < 0 ? timeout.toNanos() : Long.MAX_VALUE;
        ClientCall<byte[], byte[]> call = channel.newCall(
                UnaryHandler.descriptor(service, method),
                CallOptions.DEFAULT.withDeadlineAfter(nanos, TimeUnit.NANOSECONDS));
        var answer = new CompletableFuture<T>();
        ClientCalls.asyncUnaryCall(call, request.toByteArray(), new StreamObserver<>() {
            @Override
            public void onNext(byte[] bytes) {
                try {
                    answer.complete(reader.read(bytes));
                } catch (InvalidProtocolBufferException broken) {
                    answer.completeExceptionally(new CallFailedException(
                            new Failure(
                                    Failure.Code.INTERNAL,
                                    callee + " gave an answer to " + method + " that cannot be used ("
                                            + broken.getMessage() + "): see that its version is one that this speaks"),
                            broken));
                }
            }

            @Override
            public void onError(Throwable why) {
                answer.completeExceptionally(failure(method, timeout, Status.fromThrowable(why), why));
            }

            @Override
            public void onCompleted() {}
        });
        var _ = answer.whenComplete((_, _) -> {
            if (answer.isCancelled()) {
                call.cancel("the caller gave up", null);
            }
        });
        return answer;
    }

    private CallFailedException failure(String method, Duration timeout, Status status, Throwable why) {
        Failure.Code code = Arrays.stream(Failure.Code.values())
                .filter(each -> each.number() == status.getCode().value())
                .findFirst()
                .orElse(Failure.Code.INTERNAL);
        String description = status.getDescription();
        Throwable cause = status.getCause();
        String said = ((description == null ? status.getCode().name() : description)
                        + (cause == null ? "" : ": " + cause.getMessage()))
                .lines()
                .collect(Collectors.joining(", "));
        if (code == Failure.Code.DEADLINE_EXCEEDED || SERVERS_TIMEOUTS.stream().anyMatch(said::contains)) {
            return new CallTimedOutException(
                    new Failure(
                            Failure.Code.DEADLINE_EXCEEDED,
                            callee + " did not answer " + method + " within " + timeout.toMillis() + " ms (" + said
                                    + "): see who is missing, and call again"),
                    why);
        }
        String text = code == Failure.Code.UNAVAILABLE
                ? callee + " is not available (" + said + "): see that it runs and can be reached, and call again"
                : callee + " refused " + method + ": " + said;
        return new CallFailedException(new Failure(code, text), why);
    }

    /** Waits for an answer; an interrupt cancels the call. */
    static <T> T await(CompletableFuture<T> answer) throws CallFailedException, InterruptedException {
        try {
            return answer.get();
        } catch (InterruptedException stop) {
            answer.cancel(false);
            throw stop;
        } catch (ExecutionException failed) {
            if (failed.getCause() instanceof CallFailedException first) {
                throw CallFailedException.again(first);
            }
            throw new IllegalStateException("a fault of this client", failed);
        }
    }

    /** Leaves the connection: the next call opens one at once. Nothing happens over a channel of somebody else. */
    void reconnect() {
        own.ifPresent(ManagedChannel::enterIdle);
    }

    @Override
    public void close() {
        own.ifPresent(ManagedChannel::shutdownNow);
    }
}
