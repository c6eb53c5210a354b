package io.hearth.coordinator.worker;

import io.grpc.DecompressorRegistry;
import io.grpc.Server;
import io.grpc.netty.NettyServerBuilder;
import io.hearth.core.SetupException;
import io.hearth.serve.grpc.OnlyVerified;
import io.hearth.serve.grpc.PortPlace;
import io.hearth.serve.grpc.TlsFiles;
import io.netty.handler.ssl.ApplicationProtocolNames;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/** The port on which other workers call this one. */
final class WorkerPort implements AutoCloseable {
    private static final int HEADER_BYTES_MAX = 16 * 1024;
    private static final int CALLS_MAX = 1_000;
    private static final long CLOSE_SECONDS = 5;

    private final ExecutorService threads;
    private final Server server;

    private WorkerPort(ExecutorService threads, Server server) {
        this.threads = threads;
        this.server = server;
    }

    static WorkerPort open(InetSocketAddress bind, Optional<TlsFiles> tls, Meetings meetings) throws SetupException {
        var place = new PortPlace(bind, tls);
        place.checkEncrypted("a worker");
        NettyServerBuilder builder = NettyServerBuilder.forAddress(bind)
                .maxInboundMessageSize(2 * Wire.MESSAGE_BYTES_MAX)
                .maxInboundMetadataSize(HEADER_BYTES_MAX)
                .maxConcurrentCallsPerConnection(CALLS_MAX)
                .permitKeepAliveWithoutCalls(true)
                .permitKeepAliveTime(5, TimeUnit.SECONDS)
                .decompressorRegistry(DecompressorRegistry.emptyInstance())
                .addService(meetings.service());
        if (tls.isPresent()) {
            builder.sslContext(tls.get().server(ApplicationProtocolNames.HTTP_2));
            if (tls.get().authority().isPresent()) {
                builder.intercept(new OnlyVerified());
            }
        }
        ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
        try {
            return new WorkerPort(threads, builder.executor(threads).build().start());
        } catch (IOException taken) {
            threads.shutdown();
            throw new SetupException(place.refusal("a worker", taken), taken);
        }
    }

    int port() {
        return server.getPort();
    }

    /** Lets calls end that are being answered, for a short time. */
    @Override
    public void close() {
        server.shutdown();
        try {
            if (!server.awaitTermination(CLOSE_SECONDS, TimeUnit.SECONDS)) {
                server.shutdownNow();
                var _ = server.awaitTermination(CLOSE_SECONDS, TimeUnit.SECONDS);
            }
        } catch (InterruptedException impatient) {
            server.shutdownNow();
            Thread.currentThread().interrupt();
        }
        threads.shutdown();
    }
}
