package io.hearth.serve.grpc;

import io.grpc.DecompressorRegistry;
import io.grpc.Server;
import io.grpc.ServerServiceDefinition;
import io.grpc.netty.InternalNettyServerCredentials;
import io.grpc.netty.NettyServerBuilder;
import io.hearth.core.SetupException;
import io.hearth.transport.control.GatedServerChannel;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.handler.ssl.ApplicationProtocolNames;
import io.netty.handler.ssl.SslContext;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** A port with gRPC services and pages. Closing it ends all connections. */
public final class ServicePort implements AutoCloseable {
    /** The most bytes of a message, unless a service takes more. */
    public static final int MESSAGE_BYTES_DEFAULT = 64 * 1024;

    private static final int HEADER_BYTES_MAX = 16 * 1024;
    private static final int CALLS_MAX = 1_000;
    private static final int CONNECTIONS_MAX = 2_000;
    private static final Duration PAGE_TIME = Duration.ofSeconds(30);
    private static final long HANDSHAKE_SECONDS = 10;
    private static final int RESETS_MAX = 2_000; // calls that a connection begins and ends at once
    private static final int RESETS_SECONDS = 10;
    private static final long ALIVE_SECONDS = 10; // asks whether the caller's machine is there
    private static final long CLOSE_SECONDS = 5;

    /** Answers requests of HTTP/1.1, without blocking. */
    public interface Pages {
        CompletableFuture<Page> answer(String method, String uri);
    }

    /**
     * An answer.
     *
     * @param status of HTTP
     * @param type of the content, without its character set
     */
    public record Page(int status, String type, String text) {
        /** This page as the answer to a request. */
        public CompletableFuture<Page> now() {
            return CompletableFuture.completedFuture(this);
        }
    }

    /**
     * Bounds of one port.
     *
     * @param connectionsMax open ones
     * @param pageTime how long a connection may live that is not gRPC's: a page and its answer
     */
    record Bounds(OpenCalls calls, int connectionsMax, Duration pageTime) {}

    private final EventLoopGroup loops;
    private final Server server;

    private ServicePort(EventLoopGroup loops, Server server) {
        this.loops = loops;
        this.server = server;
    }

    /**
     * Opens a port.
     *
     * @param place where other machines may reach an unencrypted port only if a person asked for that
     * @param messageBytesMax of one message of a caller
     * @throws IOException if the port is taken
     * @throws SetupException if the files of TLS cannot be used
     */
    public static ServicePort open(
            PortPlace place, List<ServerServiceDefinition> services, int messageBytesMax, Pages pages)
            throws IOException, SetupException {
        return open(place, services, messageBytesMax, pages, new Bounds(new OpenCalls(), CONNECTIONS_MAX, PAGE_TIME));
    }

    /** As the other one, with bounds of its own. */
    static ServicePort open(
            PortPlace place, List<ServerServiceDefinition> services, int messageBytesMax, Pages pages, Bounds bounds)
            throws IOException, SetupException {
        Optional<SslContext> tls = Optional.empty();
        boolean onlyVerified = false;
        if (place.tls().isPresent()) {
            // Browsers offer both and get pages. Clients of gRPC offer HTTP/2 only.
            tls = Optional.of(
                    place.tls().get().server(ApplicationProtocolNames.HTTP_1_1, ApplicationProtocolNames.HTTP_2));
            onlyVerified = place.tls().get().authority().isPresent();
        }
        var entrance = new Connections(bounds.connectionsMax());
        EventLoopGroup loops = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
        var builder = NettyServerBuilder.forAddress(
                        place.address(),
                        InternalNettyServerCredentials.create(
                                new SniffingNegotiator(pages, tls, onlyVerified, bounds.pageTime())))
                .bossEventLoopGroup(loops)
                .workerEventLoopGroup(loops)
                .channelFactory(() -> new GatedServerChannel(entrance))
                .handshakeTimeout(HANDSHAKE_SECONDS, TimeUnit.SECONDS)
                .maxRstFramesPerWindow(RESETS_MAX, RESETS_SECONDS)
                .directExecutor() // services only step a machine
                .maxInboundMessageSize(messageBytesMax)
                .maxInboundMetadataSize(HEADER_BYTES_MAX)
                .maxConcurrentCallsPerConnection(CALLS_MAX)
                .permitKeepAliveWithoutCalls(true)
                .permitKeepAliveTime(5, TimeUnit.SECONDS)
                .keepAliveTime(ALIVE_SECONDS, TimeUnit.SECONDS)
                .keepAliveTimeout(ALIVE_SECONDS, TimeUnit.SECONDS)
                .intercept(bounds.calls())
                .decompressorRegistry(DecompressorRegistry.emptyInstance());
        if (onlyVerified) {
            builder.intercept(new OnlyVerified()); // the last one is asked first
        }
        services.forEach(builder::addService);
        try {
            return new ServicePort(loops, builder.build().start());
        } catch (IOException taken) {
            var _ = loops.shutdownGracefully(0, 0, TimeUnit.SECONDS);
            throw taken;
        }
    }

    public int port() {
        return server.getPort();
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
