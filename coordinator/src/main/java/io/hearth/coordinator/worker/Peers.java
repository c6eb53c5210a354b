package io.hearth.coordinator.worker;

import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.StatusException;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.NegotiationType;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.BlockingClientCall;
import io.grpc.stub.ClientCalls;
import io.hearth.coordinator.ExchangeException;
import io.hearth.coordinator.ExchangeException.Reason;
import io.netty.handler.ssl.SslContext;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/** Connections to other workers or to coordinators, opened when they are needed. Any thread. */
final class Peers implements AutoCloseable {
    private static final long CLOSE_SECONDS = 2;

    private final Optional<SslContext> tls;
    private final Map<String, ManagedChannel> channels = new HashMap<>(); // guarded by this
    private boolean isClosed;

    Peers(Optional<SslContext> tls) {
        this.tls = tls;
    }

    private synchronized ManagedChannel channel(String address) throws ExchangeException {
        if (isClosed) {
            throw closed();
        }
        ManagedChannel known = channels.get(address);
        if (known != null) {
            return known;
        }
        int colon = address.lastIndexOf(':');
        try {
            String host = address.substring(0, Math.max(0, colon));
            NettyChannelBuilder builder = NettyChannelBuilder.forAddress(
                            host.startsWith("[") && host.endsWith("]") ? host.substring(1, host.length() - 1) : host,
                            Integer.parseInt(address.substring(colon + 1)))
                    .maxInboundMessageSize(2 * Wire.MESSAGE_BYTES_MAX);
            ManagedChannel opened = tls.map(builder::sslContext)
                    .orElseGet(() -> builder.negotiationType(NegotiationType.PLAINTEXT))
                    .build();
            channels.put(address, opened);
            return opened;
        } catch (IllegalArgumentException noAddress) {
            throw new ExchangeException(
                    Reason.UNREACHABLE, "the address \"" + address + "\" is not host:port", noAddress);
        }
    }

    static ExchangeException closed() {
        return new ExchangeException(Reason.CLOSED, "this worker is closed");
    }

    private static CallOptions options(long deadlineNanos) {
        return CallOptions.DEFAULT.withDeadlineAfter(
                Math.max(0, deadlineNanos - System.nanoTime()), TimeUnit.NANOSECONDS);
    }

    /**
     * A call with one answer.
     *
     * @param who the worker at that address, for people
     */
    byte[] call(String who, String address, MethodDescriptor<byte[], byte[]> method, byte[] request, long deadlineNanos)
            throws ExchangeException, InterruptedException {
        try {
            return ClientCalls.blockingUnaryCall(channel(address), method, options(deadlineNanos), request);
        } catch (StatusRuntimeException failed) {
            if (failed.getStatus().getCode() == Status.Code.CANCELLED && Thread.interrupted()) { // gRPC sets it again
                throw new InterruptedException();
            }
            throw Wire.failure(who, failed.getStatus(), failed);
        }
    }

    /** A call with one answer, whose failures keep their code. */
    byte[] callPlainly(String address, MethodDescriptor<byte[], byte[]> method, byte[] request, long deadlineNanos)
            throws ExchangeException, StatusException {
        try {
            return ClientCalls.blockingUnaryCall(channel(address), method, options(deadlineNanos), request);
        } catch (StatusRuntimeException failed) {
            throw failed.getStatus().asException(failed.getTrailers());
        }
    }

    /** A stream of messages in both directions. */
    BlockingClientCall<byte[], byte[]> stream(String address, long deadlineNanos) throws ExchangeException {
        return ClientCalls.blockingBidiStreamingCall(channel(address), Wire.ALL_REDUCE, options(deadlineNanos));
    }

    /** Ends the connections to all but these. */
    synchronized void keepOnly(Set<String> addresses) {
        channels.entrySet().removeIf(each -> {
            boolean isOver = !addresses.contains(each.getKey());
            if (isOver) {
                each.getValue().shutdown();
            }
            return isOver;
        });
    }

    @Override
    public void close() {
        List<ManagedChannel> all;
        synchronized (this) {
            isClosed = true;
            all = List.copyOf(channels.values());
            channels.clear();
        }
        all.forEach(ManagedChannel::shutdownNow);
        try {
            for (ManagedChannel channel : all) {
                var _ = channel.awaitTermination(CLOSE_SECONDS, TimeUnit.SECONDS);
            }
        } catch (InterruptedException impatient) {
            Thread.currentThread().interrupt();
        }
    }
}
