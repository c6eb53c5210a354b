package io.hearth.coordinator.worker;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.GrpcSslContexts;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.ClientCalls;
import io.hearth.coordinator.Tensor;
import io.hearth.coordinator.collective.Plan;
import io.hearth.core.SetupException;
import io.hearth.serve.grpc.TlsFiles;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLException;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Workers that know each other by certificates, and callers that have none. */
@Timeout(120)
final class WorkerTlsTest {
    @TempDir
    private static Path authorities;

    private static TlsFiles ours;
    private static TlsFiles foreign;

    @TempDir
    private Path folder;

    @BeforeAll
    static void makeFiles() throws Exception {
        ours = new TestAuthority(authorities.resolve("ours")).files("worker");
        foreign = new TestAuthority(authorities.resolve("foreign")).files("stranger");
    }

    @Test
    void workersAverageOverTls() throws Exception {
        try (var cluster = new Cluster(folder.resolve("coordinator"), Duration.ofHours(1))) {
            WorkerSettings settings = cluster.settings(2, new Plan.Star()).withTls(ours);
            var means =
                    Cluster.all(cluster.start(settings), node -> node.average(Map.of("w", Tensor.vector(node.rank()))));
            means.forEach(mean -> assertArrayEquals(
                    new float[] {0.5f}, Objects.requireNonNull(mean.get("w")).data()));
        }
    }

    private static SslContext client(TlsFiles trusted, Optional<TlsFiles> own, String protocol) throws SSLException {
        SslContextBuilder builder = GrpcSslContexts.configure(SslContextBuilder.forClient(), SslProvider.JDK)
                .trustManager(trusted.authority().orElseThrow().toFile())
                .protocols(protocol);
        own.flatMap(TlsFiles::own)
                .ifPresent(mine -> builder.keyManager(
                        mine.certificate().toFile(), mine.key().toFile()));
        return builder.build();
    }

    private static Status call(int port, SslContext context) {
        ManagedChannel channel = NettyChannelBuilder.forAddress("127.0.0.1", port)
                .sslContext(context)
                .build();
        try {
            return assertThrows(
                            StatusRuntimeException.class,
                            () -> ClientCalls.blockingUnaryCall(
                                    channel,
                                    Wire.BARRIER,
                                    CallOptions.DEFAULT.withDeadlineAfter(20, TimeUnit.SECONDS),
                                    new byte[] {10, 99, 1}))
                    .getStatus();
        } finally {
            channel.shutdownNow();
        }
    }

    /** A caller with a certificate gets as far as its broken message; others do not. */
    @Test
    void everyCallNeedsACertificateOfTheAuthority() throws Exception {
        var timer = Executors.newSingleThreadScheduledExecutor();
        var meetings = new Meetings(timer, Duration.ofSeconds(10));
        var loopback = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        try (var port = WorkerPort.open(loopback, Optional.of(ours), meetings)) {
            for (String protocol : List.of("TLSv1.2", "TLSv1.3")) {
                assertEquals(
                        Status.Code.INTERNAL,
                        call(port.port(), client(ours, Optional.of(ours), protocol))
                                .getCode());
                assertEquals(
                        Status.Code.UNAUTHENTICATED,
                        call(port.port(), client(ours, Optional.empty(), protocol))
                                .getCode());
                assertEquals(
                        Status.Code.UNAVAILABLE,
                        call(port.port(), client(ours, Optional.of(foreign), protocol))
                                .getCode());
                assertEquals( // the worker's own certificate is not of the authority that this client trusts
                        Status.Code.UNAVAILABLE,
                        call(port.port(), client(foreign, Optional.of(ours), protocol))
                                .getCode());
            }
        } finally {
            timer.shutdownNow();
        }
    }

    @Test
    void otherMachinesAreServedOverTlsOnly() throws Exception {
        WorkerSettings settings = WorkerSettings.of(List.of("127.0.0.1:1"), 1)
                .withBind(new InetSocketAddress("0.0.0.0", 0), Optional.empty());
        try (var node = new WorkerNode(settings)) {
            var refused = assertThrows(SetupException.class, node::start);
            assertTrue(
                    String.valueOf(refused.getMessage()).startsWith("a worker does not listen on 0.0.0.0 without TLS"),
                    refused.getMessage());
        }
        try (var node = new WorkerNode(settings.withTls(ours))) {
            var unnamed = assertThrows(SetupException.class, node::start);
            assertTrue(
                    String.valueOf(unnamed.getMessage()).startsWith("others cannot call 0.0.0.0"),
                    unnamed.getMessage());
        }
    }

    @Test
    void unusableFilesAreNamed() throws IOException {
        Path empty = Files.createFile(folder.resolve("empty.pem"));
        Path missing = folder.resolve("missing.pem");
        WorkerSettings settings = WorkerSettings.of(List.of("127.0.0.1:1"), 1);
        for (TlsFiles files : List.of(
                new TlsFiles(missing, empty, Optional.empty()),
                new TlsFiles(empty, missing, Optional.empty()),
                new TlsFiles(empty, empty, Optional.empty()))) {
            try (var node = new WorkerNode(settings.withTls(files))) {
                var unusable = assertThrows(SetupException.class, node::start);
                assertTrue(String.valueOf(unusable.getMessage()).contains(folder.toString()), unusable.getMessage());
            }
        }
    }
}
