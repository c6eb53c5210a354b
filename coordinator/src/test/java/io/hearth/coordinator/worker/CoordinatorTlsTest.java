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
import io.hearth.coordinator.CoordinatorSettings;
import io.hearth.coordinator.Tensor;
import io.hearth.coordinator.collective.Plan;
import io.hearth.coordinator.distributed.wire.RegisterWorkerRequest;
import io.hearth.coordinator.server.Coordinator;
import io.hearth.core.SetupException;
import io.hearth.identity.NodeId;
import io.hearth.identity.PeerId;
import io.hearth.serve.alone.ServiceServer;
import io.hearth.serve.grpc.PortPlace;
import io.hearth.serve.grpc.TlsFiles;
import io.hearth.serve.grpc.UnaryHandler;
import io.hearth.serve.replica.ServiceReplica;
import io.netty.handler.ssl.JdkSslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.function.ThrowingSupplier;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The port of a coordinator with certificates from files: gRPC and pages. */
@Timeout(120)
final class CoordinatorTlsTest {
    @TempDir
    private static Path authorities;

    private static TlsFiles ours;
    private static TlsFiles foreign;

    @TempDir
    private Path folder;

    private Cluster cluster;

    @BeforeAll
    static void makeFiles() throws Exception {
        ours = new TestAuthority(authorities.resolve("ours")).files("coordinator");
        foreign = new TestAuthority(authorities.resolve("foreign")).files("stranger");
    }

    @BeforeEach
    void start() throws Exception {
        cluster = new Cluster(folder.resolve("coordinator"), Duration.ofHours(1), Optional.of(ours));
    }

    @AfterEach
    void close() {
        cluster.close();
    }

    @Test
    void workersRegisterAndAverageOverTls() throws Exception {
        WorkerSettings settings =
                cluster.settings(2, new Plan.Star()).withTls(ours).withCoordinatorTls(ours);
        var means = Cluster.all(cluster.start(settings), node -> node.average(Map.of("w", Tensor.vector(node.rank()))));
        means.forEach(mean -> assertArrayEquals(
                new float[] {0.5f}, Objects.requireNonNull(mean.get("w")).data()));
    }

    private static SslContextBuilder trusting(TlsFiles trusted, Optional<TlsFiles> own) {
        SslContextBuilder builder = SslContextBuilder.forClient()
                .sslProvider(SslProvider.JDK)
                .trustManager(trusted.authority().orElseThrow().toFile());
        own.flatMap(TlsFiles::own)
                .ifPresent(mine -> builder.keyManager(
                        mine.certificate().toFile(), mine.key().toFile()));
        return builder;
    }

    private Status register(String id, String protocol, TlsFiles trusted, Optional<TlsFiles> own) throws Exception {
        return register(
                id,
                builder()
                        .sslContext(GrpcSslContexts.configure(trusting(trusted, own), SslProvider.JDK)
                                .protocols(protocol)
                                .build()));
    }

    private NettyChannelBuilder builder() {
        return NettyChannelBuilder.forAddress("127.0.0.1", cluster.port());
    }

    private static Status register(String id, NettyChannelBuilder builder) {
        ManagedChannel channel = builder.build();
        try {
            ClientCalls.blockingUnaryCall(
                    channel,
                    UnaryHandler.descriptor("distributed.Coordinator", "RegisterWorker"),
                    CallOptions.DEFAULT.withDeadlineAfter(20, TimeUnit.SECONDS),
                    RegisterWorkerRequest.newBuilder()
                            .setWorkerId(id)
                            .setAddress("a:1")
                            .build()
                            .toByteArray());
            return Status.OK;
        } catch (StatusRuntimeException refused) {
            return refused.getStatus();
        } finally {
            channel.shutdownNow();
        }
    }

    @Test
    void everyCallNeedsACertificateOfTheAuthority() throws Exception {
        for (String protocol : List.of("TLSv1.2", "TLSv1.3")) {
            assertEquals(Status.OK, register(protocol, protocol, ours, Optional.of(ours)));
            Status anonymous = register("anonymous", protocol, ours, Optional.empty());
            assertEquals(Status.Code.UNAUTHENTICATED, anonymous.getCode());
            assertEquals(
                    "only clients with a certificate of the authority are answered here", anonymous.getDescription());
            assertEquals(
                    Status.Code.UNAVAILABLE,
                    register("foreign", protocol, ours, Optional.of(foreign)).getCode());
            assertEquals( // this client does not trust the coordinator
                    Status.Code.UNAVAILABLE,
                    register("distrustful", protocol, foreign, Optional.of(ours))
                            .getCode());
        }
        assertEquals(
                Status.Code.UNAVAILABLE,
                register("unencrypted", builder().usePlaintext()).getCode());
    }

    /** As a browser does, this client offers both HTTP/1.1 and HTTP/2. */
    private HttpResponse<String> page(Optional<TlsFiles> own) throws Exception {
        try (var client = HttpClient.newBuilder()
                .sslContext(((JdkSslContext) trusting(ours, own).build()).context())
                .build()) {
            return client.send(
                    HttpRequest.newBuilder(URI.create("https://127.0.0.1:" + cluster.port() + "/"))
                            .timeout(Duration.ofSeconds(20))
                            .build(),
                    HttpResponse.BodyHandlers.ofString());
        }
    }

    @Test
    void pagesNeedACertificateToo() throws Exception {
        assertEquals(Status.OK, register("a-worker", "TLSv1.3", ours, Optional.of(ours)));
        HttpResponse<String> known = page(Optional.of(ours));
        assertEquals(200, known.statusCode());
        assertTrue(known.body().contains("a-worker"), known.body());
        HttpResponse<String> anonymous = page(Optional.empty());
        assertEquals(403, anonymous.statusCode());
        assertEquals("only clients with a certificate of the authority are answered here\n", anonymous.body());
    }

    @Test
    void aKeyOfAnotherCertificateIsNamedAtTheStart() {
        TlsFiles.Own mine = ours.own().orElseThrow();
        TlsFiles.Own other = foreign.own().orElseThrow();
        var mixed = new TlsFiles(mine.certificate(), other.key(), Optional.empty());
        for (ThrowingSupplier<?> end : List.<ThrowingSupplier<?>>of(() -> mixed.server("h2"), mixed::client)) {
            var wrong = assertThrows(SetupException.class, end::get);
            assertEquals(
                    "the key " + other.key() + " is not that of the certificate " + mine.certificate()
                            + ": give the two that were made together",
                    wrong.getMessage());
        }
    }

    private TlsFiles ofKind(String kind) throws Exception {
        return new TestAuthority(folder.resolve("kinds")).files("some", ("-keyalg " + kind).split(" ", -1));
    }

    @ParameterizedTest
    @ValueSource(strings = {"EC -groupname secp384r1", "RSA"})
    void keysOfRsaAndOfOtherCurvesAreTakenWithTheirCertificateOnly(String kind) throws Exception {
        TlsFiles files = ofKind(kind);
        files.server("h2");
        files.client();
        var mixed = new TlsFiles(
                files.own().orElseThrow().certificate(),
                ours.own().orElseThrow().key(),
                Optional.empty());
        var wrong = assertThrows(SetupException.class, mixed::client);
        assertTrue(String.valueOf(wrong.getMessage()).contains("is not that of the certificate"), wrong.getMessage());
    }

    @ParameterizedTest
    @ValueSource(strings = {"Ed25519", "RSASSA-PSS"})
    void keysOfOtherKindsAreRefused(String kind) throws Exception {
        var refused = assertThrows(SetupException.class, ofKind(kind)::client);
        assertTrue(String.valueOf(refused.getMessage()).contains("the key one of RSA or EC"), refused.getMessage());
    }

    @Test
    void anExpiredCertificateIsNamedAtTheStart() throws Exception {
        var authority = new TestAuthority(folder.resolve("old"));
        TlsFiles old = authority.files("old", "-startdate", "-9d", "-validity", "2");
        for (ThrowingSupplier<?> end : List.<ThrowingSupplier<?>>of(() -> old.server("h2"), old::client)) {
            var expired = assertThrows(SetupException.class, end::get);
            assertTrue(String.valueOf(expired.getMessage()).contains("is not valid today"), expired.getMessage());
        }
    }

    @Test
    void otherMachinesAreServedOverTlsOnly() {
        var place = new ServiceReplica.Place(
                new NodeId(PeerId.of(new byte[PeerId.KEY_BYTES]), "coordinator"),
                1,
                folder.resolve("other"),
                Optional.empty());
        var everywhere = new InetSocketAddress("0.0.0.0", 0);
        var settings = new CoordinatorSettings(Duration.ofHours(1).toNanos());
        var refused = assertThrows(
                SetupException.class,
                () -> ServiceServer.start(
                        Coordinator.maker(settings), place, new PortPlace(everywhere, Optional.empty())));
        assertTrue(
                String.valueOf(refused.getMessage())
                        .startsWith("the service coordinator does not listen on 0.0.0.0 without TLS"),
                refused.getMessage());
        Path missing = folder.resolve("missing.pem");
        var unusable = assertThrows(
                SetupException.class,
                () -> ServiceServer.start(
                        Coordinator.maker(settings),
                        place,
                        new PortPlace(everywhere, Optional.of(new TlsFiles(missing, missing, Optional.empty())))));
        assertTrue(String.valueOf(unusable.getMessage()).contains(missing.toString()), unusable.getMessage());
    }
}
