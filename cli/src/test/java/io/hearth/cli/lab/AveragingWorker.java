package io.hearth.cli.lab;

import com.google.protobuf.MessageLite;
import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.NegotiationType;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.ClientCalls;
import io.hearth.cli.lab.ServicesClient.Place;
import io.hearth.coordinator.ExchangeException;
import io.hearth.coordinator.Tensor;
import io.hearth.coordinator.distributed.wire.HeartbeatRequest;
import io.hearth.coordinator.distributed.wire.RegisterWorkerRequest;
import io.hearth.coordinator.distributed.wire.RegisterWorkerResponse;
import io.hearth.coordinator.worker.WorkerEvent;
import io.hearth.coordinator.worker.WorkerNode;
import io.hearth.coordinator.worker.WorkerSettings;
import io.hearth.serve.grpc.TlsFiles;
import io.hearth.serve.grpc.UnaryHandler;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * Averages with the workers of the other hosts, over TLS. Averages need no coordinator, so a second worker of this host, with which nobody
 * averages, calls it all the time: it repeats its registration, which is a stored command whose answer is the same rank, and sends
 * heartbeats.
 */
final class AveragingWorker {
    private static final Duration HEARTBEATS = Duration.ofMillis(500);
    private static final Duration LONG = Duration.ofMinutes(2);
    private static final long PAUSE_MILLIS = 100;
    private static final long CALL_SECONDS = 20;

    private AveragingWorker() {}

    static void work(Place place, Journal journal) throws Exception {
        Path tls = place.folder().resolve("tls");
        var settings = WorkerSettings.of(List.of("127.0.0.1:" + ServicesClient.COORDINATOR_PORT), place.hosts())
                .withId("worker-" + place.host())
                .withBind(new InetSocketAddress(place.address(place.host()), 0), Optional.empty())
                .withTls(new TlsFiles(
                        tls.resolve("worker.pem"), tls.resolve("worker.key"), Optional.of(tls.resolve("ca.pem"))))
                .withTimes(HEARTBEATS, LONG, LONG);
        if (place.isEarly()) {
            awaitFirst();
        }
        try (var worker = new WorkerNode(settings, event -> tell(journal, event))) {
            worker.start();
            var calling = Thread.ofPlatform().daemon().unstarted(() -> call(place, journal));
            calling.start();
            boolean isOver = false;
            while (!isOver) {
                int rank = worker.rank();
                try {
                    Map<String, Tensor> means =
                            worker.average(Map.of("w", Tensor.vector(place.host() + 1, place.isOver() ? 1 : 0)));
                    float[] mean = Objects.requireNonNull(means.get("w")).data();
                    journal.write("coordinator", "mean", rank, mean[0]);
                    isOver = mean[1] > 0; // the same for all
                } catch (ExchangeException failed) {
                    journal.write("coordinator", "failed", rank, failed.reason());
                }
                Thread.sleep(PAUSE_MILLIS); // training
            }
            calling.interrupt();
            calling.join();
        }
    }

    /** Waits until the coordinator has heard of the first worker. */
    private static void awaitFirst() throws InterruptedException {
        ManagedChannel channel = connect();
        try {
            var heartbeat =
                    HeartbeatRequest.newBuilder().setWorkerId("worker-0").build();
            while (true) {
                try {
                    var _ = call(channel, "Heartbeat", heartbeat);
                    return;
                } catch (StatusRuntimeException missing) {
                    if (missing.getStatus().getCode() != Status.Code.NOT_FOUND) {
                        throw missing;
                    }
                    Thread.sleep(PAUSE_MILLIS); // a client in another process asks again
                }
            }
        } finally {
            channel.shutdownNow();
        }
    }

    private static ManagedChannel connect() {
        return NettyChannelBuilder.forAddress("127.0.0.1", ServicesClient.COORDINATOR_PORT)
                .negotiationType(NegotiationType.PLAINTEXT)
                .build();
    }

    private static void tell(Journal journal, WorkerEvent event) {
        try {
            journal.write("coordinator", "event", event.getClass().getSimpleName(), event);
        } catch (IOException full) {
            throw new UncheckedIOException(full);
        }
    }

    private static void call(Place place, Journal journal) {
        ManagedChannel channel = connect();
        String id = "caller-" + place.name();
        long session = 1 + place.host() + (long) place.hosts() * place.start();
        var register = RegisterWorkerRequest.newBuilder()
                .setWorkerId(id)
                .setAddress(place.address(place.host()) + ":1")
                .setSession(session)
                .build();
        var heartbeat = HeartbeatRequest.newBuilder()
                .setWorkerId(id)
                .setSession(session)
                .build();
        try {
            while (!Thread.interrupted()) {
                int rank = RegisterWorkerResponse.parseFrom(call(channel, "RegisterWorker", register))
                        .getRank();
                journal.write("coordinator", "rank", rank);
                var _ = call(channel, "Heartbeat", heartbeat);
                journal.write("coordinator", "beat");
                Thread.sleep(PAUSE_MILLIS); // the interval of its heartbeats
            }
        } catch (InterruptedException ended) {
            // the training is over
        } catch (IOException | StatusRuntimeException failed) {
            System.out.println("FAILED a call of the coordinator: " + failed);
        } finally {
            channel.shutdownNow();
        }
    }

    private static byte[] call(ManagedChannel channel, String method, MessageLite request) throws InterruptedException {
        while (true) {
            try {
                return ClientCalls.blockingUnaryCall(
                        channel,
                        UnaryHandler.descriptor("distributed.Coordinator", method),
                        CallOptions.DEFAULT.withDeadlineAfter(CALL_SECONDS, TimeUnit.SECONDS),
                        request.toByteArray());
            } catch (StatusRuntimeException failed) {
                if (failed.getStatus().getCode() == Status.Code.CANCELLED) {
                    throw new InterruptedException("the training is over");
                }
                if (failed.getStatus().getCode() != Status.Code.UNAVAILABLE) {
                    throw failed;
                }
                Thread.sleep(PAUSE_MILLIS); // a client in another process asks again
            }
        }
    }
}
