package io.hearth.coordinator.server;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.MessageLite;
import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.NegotiationType;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.ClientCalls;
import io.hearth.coordinator.CoordinatorSettings;
import io.hearth.coordinator.distributed.wire.EndCheckpointRequest;
import io.hearth.coordinator.distributed.wire.HeartbeatRequest;
import io.hearth.coordinator.distributed.wire.HeartbeatResponse;
import io.hearth.coordinator.distributed.wire.RegisterWorkerRequest;
import io.hearth.coordinator.distributed.wire.RegisterWorkerResponse;
import io.hearth.coordinator.distributed.wire.StartCheckpointRequest;
import io.hearth.coordinator.distributed.wire.StartCheckpointResponse;
import io.hearth.coordinator.distributed.wire.UnregisterWorkerRequest;
import io.hearth.core.Bytes;
import io.hearth.core.Clock;
import io.hearth.identity.NodeId;
import io.hearth.identity.PeerId;
import io.hearth.replicated.host.ReplicaHost;
import io.hearth.serve.alone.ServiceServer;
import io.hearth.serve.grpc.PortPlace;
import io.hearth.serve.grpc.UnaryHandler;
import io.hearth.serve.replica.ServiceReplica;
import io.hearth.serve.shell.ClusterService;
import io.hearth.serve.shell.MemberCalls;
import io.hearth.serve.shell.StoreAccess;
import io.hearth.serve.shell.Surroundings;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A coordinator on loopback, and a gRPC client that knows only the fields of the original. */
@Timeout(60)
final class CoordinatorServerTest {
    private static final long HOUR = 3_600L * 1_000_000_000;

    @TempDir
    private Path folder;

    private final List<AutoCloseable> open = new ArrayList<>();
    private long incarnation;

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable each : open.reversed()) {
            each.close();
        }
    }

    private ServiceServer start(long timeoutNanos) throws Exception {
        var server = ServiceServer.start(
                Coordinator.maker(new CoordinatorSettings(timeoutNanos)),
                new ServiceReplica.Place(
                        new NodeId(PeerId.of(new byte[PeerId.KEY_BYTES]), "coordinator"),
                        ++incarnation,
                        folder,
                        Optional.empty()),
                PortPlace.loopback(0));
        open.add(server);
        return server;
    }

    private ManagedChannel channel(ServiceServer server) {
        ManagedChannel channel = NettyChannelBuilder.forAddress(
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), server.port()))
                .negotiationType(NegotiationType.PLAINTEXT)
                .build();
        open.add(channel::shutdownNow);
        return channel;
    }

    private static byte[] call(ManagedChannel channel, String method, MessageLite request) {
        return ClientCalls.blockingUnaryCall(
                channel,
                UnaryHandler.descriptor("distributed.Coordinator", method),
                CallOptions.DEFAULT.withDeadlineAfter(20, TimeUnit.SECONDS),
                request.toByteArray());
    }

    private static String failure(ManagedChannel channel, String method, MessageLite request) {
        Status status = assertThrows(StatusRuntimeException.class, () -> call(channel, method, request))
                .getStatus();
        return status.getCode() + ": " + status.getDescription();
    }

    private static RegisterWorkerRequest worker(String id) {
        return RegisterWorkerRequest.newBuilder().setWorkerId(id).setAddress(id).build();
    }

    private static RegisterWorkerResponse register(ManagedChannel channel, String id) throws Exception {
        return RegisterWorkerResponse.parseFrom(call(channel, "RegisterWorker", worker(id)));
    }

    private static HeartbeatRequest heartbeat(String id) {
        return HeartbeatRequest.newBuilder().setWorkerId(id).build();
    }

    private static HttpResponse<String> http(ServiceServer server, String method, String path) throws Exception {
        try (HttpClient client = HttpClient.newHttpClient()) {
            return client.send(
                    HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.port() + path))
                            .method(method, HttpRequest.BodyPublishers.noBody())
                            .version(HttpClient.Version.HTTP_1_1)
                            .build(),
                    HttpResponse.BodyHandlers.ofString());
        }
    }

    /** The calls of the original's worker, and what the original answers, with a code of its own for each error. */
    @Test
    void theFiveCallsAnswerAsTheOriginalDoes() throws Exception {
        ManagedChannel channel = channel(start(HOUR));
        RegisterWorkerResponse a = register(channel, "a:1");
        assertEquals(0, a.getRank());
        assertEquals(List.of("a:1"), a.getPeersList());
        RegisterWorkerResponse b = register(channel, "b:1");
        assertEquals(1, b.getRank());
        assertEquals(List.of("a:1", "b:1"), b.getPeersList());
        assertEquals(
                "ALREADY_EXISTS: worker a:1 already registered", failure(channel, "RegisterWorker", worker("a:1")));
        assertEquals("INVALID_ARGUMENT: worker id cannot be empty", failure(channel, "RegisterWorker", worker("")));
        HeartbeatResponse beat = HeartbeatResponse.parseFrom(call(channel, "Heartbeat", heartbeat("a:1")));
        assertEquals("OK", beat.getStatus());
        assertEquals(List.of(), beat.getPeersList());
        assertEquals("NOT_FOUND: worker q not found", failure(channel, "Heartbeat", heartbeat("q")));
        assertEquals(
                "ckpt-3",
                StartCheckpointResponse.parseFrom(call(
                                channel,
                                "StartCheckpoint",
                                StartCheckpointRequest.newBuilder()
                                        .setEpoch(3)
                                        .setPath("/models")
                                        .build()))
                        .getCheckpointId());
        var end =
                EndCheckpointRequest.newBuilder().setWorkerId("a:1").setEpoch(3).setCheckpointId("ckpt-3");
        call(channel, "EndCheckpoint", end.build());
        assertEquals(
                "NOT_FOUND: worker q not found",
                failure(channel, "EndCheckpoint", end.clone().setWorkerId("q").build()));
        assertEquals(
                "NOT_FOUND: checkpoint ckpt-9 not found",
                failure(
                        channel,
                        "EndCheckpoint",
                        end.clone().setEpoch(9).setCheckpointId("ckpt-9").build()));
        var leave = UnregisterWorkerRequest.newBuilder().setWorkerId("a:1").build();
        call(channel, "UnregisterWorker", leave);
        assertEquals("NOT_FOUND: worker a:1 not found", failure(channel, "UnregisterWorker", leave));
        assertEquals(0, register(channel, "c:1").getRank()); // and peers[0] is that worker
    }

    /** The original forgets all workers with its process. */
    @Test
    void ranksAndCheckpointsSurviveARestart() throws Exception {
        ServiceServer first = start(HOUR);
        ManagedChannel channel = channel(first);
        register(channel, "a:1");
        register(channel, "b:1");
        call(
                channel,
                "StartCheckpoint",
                StartCheckpointRequest.newBuilder().setEpoch(7).setPath("/m").build());
        first.close();
        ServiceServer second = start(HOUR);
        ManagedChannel again = channel(second);
        assertEquals(
                "OK",
                HeartbeatResponse.parseFrom(call(again, "Heartbeat", heartbeat("a:1")))
                        .getStatus());
        RegisterWorkerResponse c = register(again, "c:1");
        assertEquals(2, c.getRank());
        assertEquals(List.of("a:1", "b:1", "c:1"), c.getPeersList());
        var end = EndCheckpointRequest.newBuilder().setEpoch(7).setCheckpointId("ckpt-7");
        call(again, "EndCheckpoint", end.clone().setWorkerId("a:1").build());
        call(again, "EndCheckpoint", end.clone().setWorkerId("b:1").build());
        String json = http(second, "GET", "/status.json").body();
        assertTrue(json.contains("\"ended\":2,\"left\":0,\"complete\":true"), json);
    }

    /** A worker that was heard again and again stays, while the silent one beside it goes: no clock is asserted. */
    @Test
    void aSilentWorkerIsForgotten() throws Exception {
        ManagedChannel channel = channel(start(300 * 1_000_000L));
        register(channel, "silent");
        boolean isForgotten = false;
        while (!isForgotten) {
            try {
                register(channel, "silent");
                isForgotten = true;
            } catch (StatusRuntimeException present) {
                assertEquals(Status.Code.ALREADY_EXISTS, present.getStatus().getCode());
            }
        }
        assertTrue(isForgotten);
    }

    @Test
    void badCallsGetTypedErrors() throws Exception {
        ServiceServer server = start(HOUR);
        ManagedChannel channel = channel(server);
        var broken = assertThrows(
                StatusRuntimeException.class,
                () -> ClientCalls.blockingUnaryCall(
                        channel,
                        UnaryHandler.descriptor("distributed.Coordinator", "RegisterWorker"),
                        CallOptions.DEFAULT,
                        new byte[] {10, 99, 1}));
        assertEquals(Status.Code.INTERNAL, broken.getStatus().getCode());
        assertTrue(failure(channel, "Unknown", heartbeat("a")).startsWith("UNIMPLEMENTED"));
        assertTrue(
                failure(channel, "RegisterWorker", worker("x".repeat(70_000))).startsWith("RESOURCE_EXHAUSTED"));
        assertTrue(failure(channel, "RegisterWorker", worker("x".repeat(257))).startsWith("INVALID_ARGUMENT"));
        assertEquals(0, register(channel, "a").getRank()); // and it still answers
    }

    @Test
    void browsersSeeThePageOnTheSamePort() throws Exception {
        ServiceServer server = start(HOUR);
        register(channel(server), "<b>&");
        HttpResponse<String> page = http(server, "GET", "/");
        assertEquals(200, page.statusCode());
        assertTrue(page.body().contains("<td>0</td><td>&lt;b&gt;&amp;</td>"), page.body());
        assertTrue(http(server, "GET", "/status").body().startsWith("<p>1 workers."));
        String json = http(server, "GET", "/status.json").body();
        assertTrue(json.contains("\"serving\":true") && json.contains("\"rank\":0"), json);
        assertEquals(404, http(server, "GET", "/elsewhere").statusCode());
        assertEquals(405, http(server, "POST", "/").statusCode());
    }

    /** A machine that repeats a call for its caller marks it first: else a worker could meet its own registration. */
    @Test
    void aRegistrationWithoutASessionGetsOne() throws Exception {
        try (var timer = new ScheduledThreadPoolExecutor(1);
                ClusterService<?> service = Coordinator.maker(new CoordinatorSettings(HOUR))
                        .make(new Surroundings(
                                new NodeId(PeerId.of(new byte[PeerId.KEY_BYTES]), "coordinator"),
                                folder,
                                Clock.system(),
                                timer,
                                NO_STORE,
                                MemberCalls.NONE,
                                why -> {}))) {
            String register = "distributed.Coordinator/RegisterWorker";
            byte[] plain = RegisterWorkerRequest.newBuilder()
                    .setWorkerId("w")
                    .setAddress("w:1")
                    .build()
                    .toByteArray();
            byte[] marked = service.marked(register, plain);
            var read = RegisterWorkerRequest.parseFrom(marked);
            assertEquals("w", read.getWorkerId());
            assertTrue(read.getSession() != 0);
            assertArrayEquals(marked, service.marked(register, marked));
            assertArrayEquals(plain, service.marked("distributed.Coordinator/Heartbeat", plain));
            byte[] malformed = {10, 99};
            assertArrayEquals(malformed, service.marked(register, malformed));
        }
    }

    private static final StoreAccess NO_STORE = new StoreAccess() {
        @Override
        public void submit(Bytes command, Consumer<ReplicaHost.Outcome> then) {}

        @Override
        public void confirm(Consumer<Boolean> then) {}
    };
}
