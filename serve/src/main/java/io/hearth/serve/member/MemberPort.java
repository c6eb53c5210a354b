package io.hearth.serve.member;

import io.grpc.Grpc;
import io.grpc.Metadata;
import io.grpc.Server;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.ServerServiceDefinition;
import io.grpc.Status;
import io.grpc.netty.NettyServerBuilder;
import io.hearth.core.SetupException;
import io.hearth.identity.PeerId;
import io.hearth.serve.grpc.OpenCalls;
import io.hearth.transport.control.GatedServerChannel;
import io.hearth.transport.control.Tls;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.function.Supplier;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSession;
import org.jspecify.annotations.Nullable;

/**
 * The encrypted port at which other machines of the cluster reach the services. A connection is closed unread unless a linked node has its
 * address; its certificate must be that of a machine with a link, in the handshake and again at each call.
 */
final class MemberPort implements AutoCloseable {
    /** As much as any service takes; only machines of the cluster can send it. */
    static final int MESSAGE_BYTES_MAX = 64 * 1024 * 1024;

    private static final int HEADER_BYTES_MAX = 16 * 1024;
    private static final int CALLS_MAX =
            8 * OpenCalls.CALLS_MAX; // so that no call of one service waits for those of another one
    private static final int CONNECTIONS_OF_ADDRESS_MAX = 64;
    private static final long ALIVE_SECONDS = 2; // asks whether the caller's machine is there
    private static final long HANDSHAKE_SECONDS = 5;
    private static final long CLOSE_SECONDS = 5;

    private final Supplier<KnownNodes> nodes;
    private final Predicate<InetAddress> usable;
    private final EventLoopGroup loops = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    private final Map<InetAddress, Integer> connections = new HashMap<>(); // event loop only
    private final Server server;

    /**
     * Opens any free port.
     *
     * @param usable whether connections may come in at this address of the machine
     */
    MemberPort(
            MemberTls tls,
            Supplier<KnownNodes> nodes,
            Predicate<InetAddress> usable,
            List<ServerServiceDefinition> services)
            throws SetupException {
        this.nodes = nodes;
        this.usable = usable;
        var builder = NettyServerBuilder.forPort(0)
                .sslContext(tls.server(machine -> nodes.get().isLinked(machine)))
                .channelFactory(() -> new GatedServerChannel(this::enter))
                .bossEventLoopGroup(loops)
                .workerEventLoopGroup(loops)
                .directExecutor() // services only step a machine
                .handshakeTimeout(HANDSHAKE_SECONDS, TimeUnit.SECONDS)
                .maxInboundMessageSize(MESSAGE_BYTES_MAX)
                .maxInboundMetadataSize(HEADER_BYTES_MAX)
                .maxConcurrentCallsPerConnection(CALLS_MAX)
                .permitKeepAliveWithoutCalls(true)
                .permitKeepAliveTime(1, TimeUnit.SECONDS)
                .keepAliveTime(ALIVE_SECONDS, TimeUnit.SECONDS)
                .keepAliveTimeout(ALIVE_SECONDS, TimeUnit.SECONDS)
                .intercept(new OnlyLinked());
        services.forEach(builder::addService);
        try {
            server = builder.build().start();
        } catch (IOException failed) {
            var _ = loops.shutdownGracefully(0, 0, TimeUnit.SECONDS);
            throw new SetupException("no port can be opened for the services: " + failed.getMessage(), failed);
        }
    }

    private Optional<Runnable> enter(InetSocketAddress remote, InetSocketAddress local) {
        InetAddress from = remote.getAddress();
        if (!usable.test(local.getAddress())
                || !nodes.get().isLinked(from)
                || connections.getOrDefault(from, 0) >= CONNECTIONS_OF_ADDRESS_MAX) {
            return Optional.empty();
        }
        connections.merge(from, 1, Integer::sum);
        return Optional.of(() -> connections.computeIfPresent(from, (_, count) -> count == 1 ? null : count - 1));
    }

    int port() {
        return server.getPort();
    }

    private final class OnlyLinked implements ServerInterceptor {
        @Override
        public <Q, A> ServerCall.Listener<Q> interceptCall(
                ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
            if (isLinked(call.getAttributes().get(Grpc.TRANSPORT_ATTR_SSL_SESSION))) {
                return next.startCall(call, headers);
            }
            call.close(
                    Status.UNAUTHENTICATED.withDescription(
                            "this machine is not linked to the caller's: start 'hearth agent' there, in the same namespace"),
                    RoutedHandler.notTaken());
            return new ServerCall.Listener<>() {};
        }

        private boolean isLinked(@Nullable SSLSession session) {
            try {
                return session != null
                        && session.getPeerCertificates() instanceof X509Certificate[] chain
                        && nodes.get().isLinked(machine(chain));
            } catch (SSLPeerUnverifiedException | CertificateException nobody) {
                return false;
            }
        }

        private static PeerId machine(X509Certificate[] chain) throws CertificateException {
            return Tls.peer(chain);
        }
    }

    @Override
    public void close() {
        server.shutdownNow();
        try {
            var _ = server.awaitTermination(CLOSE_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException impatient) {
            Thread.currentThread().interrupt();
        }
        var _ = loops.shutdownGracefully(0, CLOSE_SECONDS, TimeUnit.SECONDS);
    }
}
