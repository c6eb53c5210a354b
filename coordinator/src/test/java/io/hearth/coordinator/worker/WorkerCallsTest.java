package io.hearth.coordinator.worker;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.StatusException;
import io.grpc.netty.NegotiationType;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.BlockingClientCall;
import io.grpc.stub.ClientCalls;
import io.hearth.coordinator.ExchangeException;
import io.hearth.coordinator.collective.Plan;
import io.hearth.coordinator.distributed.wire.AllReduceRequest;
import io.hearth.coordinator.distributed.wire.AllReduceResponse;
import io.hearth.coordinator.distributed.wire.BarrierRequest;
import io.hearth.coordinator.distributed.wire.BroadcastRequest;
import io.hearth.coordinator.distributed.wire.BroadcastResponse;
import io.hearth.coordinator.distributed.wire.RegisterWorkerRequest;
import io.hearth.coordinator.distributed.wire.RegisterWorkerResponse;
import io.hearth.coordinator.distributed.wire.Tensor;
import io.hearth.serve.grpc.UnaryHandler;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A worker of Hearth with rank 0, and one with rank 1 that knows only the fields of the original. */
@Timeout(60)
final class WorkerCallsTest {
    private static final CallOptions SOON = CallOptions.DEFAULT;

    @TempDir
    private Path folder;

    private Cluster cluster;
    private WorkerNode node;
    private ManagedChannel channel;

    private static ManagedChannel channel(String address) {
        return NettyChannelBuilder.forTarget(address)
                .negotiationType(NegotiationType.PLAINTEXT)
                .build();
    }

    @BeforeEach
    void start() throws Exception {
        cluster = new Cluster(folder, Duration.ofHours(1));
        var registered = new CompletableFuture<WorkerEvent>();
        node = cluster.add(new WorkerNode(cluster.settings(2, new Plan.Star()), registered::complete));
        var started = Cluster.begin(() -> {
            node.start();
            return true;
        });
        assertEquals(new WorkerEvent.Registered(0), Cluster.result(registered));
        ManagedChannel coordinator = channel("127.0.0.1:" + cluster.port());
        byte[] answer = ClientCalls.blockingUnaryCall(
                coordinator,
                UnaryHandler.descriptor(Wire.COORDINATOR, "RegisterWorker"),
                SOON,
                RegisterWorkerRequest.newBuilder()
                        .setWorkerId("other")
                        .setAddress("127.0.0.1:1")
                        .build()
                        .toByteArray());
        coordinator.shutdownNow();
        RegisterWorkerResponse other = RegisterWorkerResponse.parseFrom(answer);
        assertEquals(1, other.getRank());
        Cluster.result(started);
        channel = channel(other.getPeers(0));
    }

    @AfterEach
    void close() throws Exception {
        channel.shutdownNow();
        cluster.close();
    }

    private static Tensor tensor(float... values) {
        var tensor = Tensor.newBuilder().addShape(values.length);
        for (float value : values) {
            tensor.addData(value);
        }
        return tensor.build();
    }

    private BlockingClientCall<byte[], byte[]> stream(AllReduceRequest... requests) throws Exception {
        BlockingClientCall<byte[], byte[]> call = ClientCalls.blockingBidiStreamingCall(
                channel, Wire.ALL_REDUCE, SOON.withDeadlineAfter(30, TimeUnit.SECONDS));
        for (AllReduceRequest request : requests) {
            assertTrue(call.write(request.toByteArray()));
        }
        call.halfClose();
        return call;
    }

    private static AllReduceRequest named(String name, float... values) {
        return AllReduceRequest.newBuilder()
                .setName(name)
                .setTensor(tensor(values))
                .build();
    }

    /** The original's worker sends each tensor in one message, in any order, and wants the means the same way. */
    @Test
    void aWorkerOfTheOriginalIsServed() throws Exception {
        for (int round = 1; round <= 2; round++) {
            var call = stream(named("b", 3, 5), named("a", 1));
            var mean = node.average(Map.of(
                    "a", io.hearth.coordinator.Tensor.vector(3), "b", io.hearth.coordinator.Tensor.vector(1, 1)));
            assertArrayEquals(
                    new float[] {2, 3}, Objects.requireNonNull(mean.get("b")).data());
            var a = AllReduceResponse.parseFrom(call.read());
            assertEquals("a", a.getName());
            assertEquals(tensor(2), a.getTensor());
            assertEquals(tensor(2, 3), AllReduceResponse.parseFrom(call.read()).getTensor());
            assertNull(call.read());
        }
        var passed = Cluster.begin(() -> ClientCalls.blockingUnaryCall(
                channel,
                Wire.BARRIER,
                SOON,
                BarrierRequest.newBuilder().setRank(1).build().toByteArray()));
        node.barrier();
        assertEquals(0, Cluster.result(passed).length);
        for (float value : List.of(7f, 8f)) { // the second broadcast of a name is not the first one's tensor
            var pulled = Cluster.begin(() -> ClientCalls.blockingUnaryCall(
                    channel,
                    Wire.BROADCAST,
                    SOON,
                    BroadcastRequest.newBuilder().setName("broadcast").build().toByteArray()));
            node.broadcast("broadcast", io.hearth.coordinator.Tensor.vector(value), 0);
            assertEquals(
                    tensor(value),
                    BroadcastResponse.parseFrom(Cluster.result(pulled)).getTensor());
        }
    }

    private static Status failure(BlockingClientCall<byte[], byte[]> call) {
        return assertThrows(StatusException.class, () -> {
                    while (call.read() != null) {}
                })
                .getStatus();
    }

    /** The original takes a tensor that is missing, or too short, for zeros. */
    @Test
    void whatDoesNotFitIsATypedError() throws Exception {
        for (var requests : List.of(
                List.of(named("a", 1, 2)),
                List.of(named("b", 1)),
                List.of(named("a", 1), named("a", 1)),
                List.<AllReduceRequest>of(),
                List.of(AllReduceRequest.newBuilder()
                        .setName("a")
                        .setTensor(tensor(1))
                        .setOffset(-1)
                        .build()),
                List.of(AllReduceRequest.newBuilder()
                        .setName("a")
                        .setTensor(Tensor.newBuilder().addShape(1))
                        .build()))) {
            var call = stream(requests.toArray(AllReduceRequest[]::new));
            var failed = assertThrows(
                    ExchangeException.class, () -> node.average(Map.of("a", io.hearth.coordinator.Tensor.vector(1))));
            assertEquals(ExchangeException.Reason.MISMATCH, failed.reason());
            Status status = failure(call);
            assertEquals(Status.Code.FAILED_PRECONDITION, status.getCode());
            assertEquals(failed.getMessage(), status.getDescription());
        }
    }

    @Test
    void brokenCallsGetTypedErrors() throws Exception {
        BlockingClientCall<byte[], byte[]> broken =
                ClientCalls.blockingBidiStreamingCall(channel, Wire.ALL_REDUCE, SOON);
        broken.write(new byte[] {10, 99, 1});
        assertEquals(Status.Code.INTERNAL, failure(broken).getCode());
        BlockingClientCall<byte[], byte[]> large =
                ClientCalls.blockingBidiStreamingCall(channel, Wire.ALL_REDUCE, SOON);
        large.write(new byte[9 * 1024 * 1024]);
        assertEquals(Status.Code.RESOURCE_EXHAUSTED, failure(large).getCode());
        BlockingClientCall<byte[], byte[]> vanished =
                ClientCalls.blockingBidiStreamingCall(channel, Wire.ALL_REDUCE, SOON);
        vanished.write(named("a", 1).toByteArray());
        vanished.cancel("gone", null);
        var call = stream(named("a", 1));
        boolean isAveraged = false;
        while (!isAveraged) {
            try {
                node.average(Map.of("a", io.hearth.coordinator.Tensor.vector(1)));
                isAveraged = true;
            } catch (ExchangeException gone) { // if it was still there
                assertEquals(ExchangeException.Reason.UNREACHABLE, gone.reason());
            }
        }
        assertEquals(tensor(1), AllReduceResponse.parseFrom(call.read()).getTensor());
    }
}
