package io.hearth.parameterserver.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import com.google.protobuf.MessageLite;
import io.grpc.Status;
import io.hearth.identity.NodeId;
import io.hearth.parameterserver.ServerSettings;
import io.hearth.parameterserver.machine.Assignment;
import io.hearth.parameterserver.wire.ElementType;
import io.hearth.parameterserver.wire.FinishInitParamsRequest;
import io.hearth.parameterserver.wire.GetParamRequest;
import io.hearth.parameterserver.wire.GetParamResponse;
import io.hearth.parameterserver.wire.InitParamRequest;
import io.hearth.parameterserver.wire.OptimizerConfig;
import io.hearth.parameterserver.wire.Parameter;
import io.hearth.parameterserver.wire.RegisterRequest;
import io.hearth.parameterserver.wire.SendGradRequest;
import io.hearth.parameterserver.wire.Sgd;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Three machines, of which one after the other is killed while trainers train: each acknowledged gradient counts exactly once. */
@Timeout(120)
final class TakeOverIT {
    private static final int PARTS = 4;
    private static final int LARGE = 1_200_000; // elements of a parameter that takes two chunks between members
    private static final OptimizerConfig SGD = OptimizerConfig.newBuilder()
            .setSgd(Sgd.newBuilder())
            .setConstantRate(1)
            .build();

    @TempDir
    private Path folder;

    private static ServerSettings settings(boolean isSynchronous) {
        return new ServerSettings(PARTS, isSynchronous, 50_000_000L, 3_600_000_000_000L);
    }

    private static Parameter parameter(int part, double value, int elements) {
        ByteBuffer bytes = ByteBuffer.allocate(8 * elements).order(ByteOrder.LITTLE_ENDIAN);
        for (int i = 0; i < elements; i++) {
            bytes.putDouble(value);
        }
        return Parameter.newBuilder()
                .setName("p" + part)
                .setElementType(ElementType.FLOAT64)
                .setContent(ByteString.copyFrom(bytes.array()))
                .build();
    }

    /** Calls one machine after the other until one answers, as a client would. */
    private static byte[] call(MemoryCluster cluster, String method, MessageLite request) {
        for (int attempt = 0; ; attempt++) {
            List<NodeId> up = cluster.upNodes();
            try {
                return cluster.call(up.get(attempt % up.size()), method, request)
                        .join();
            } catch (CompletionException failed) {
                Status status = Status.fromThrowable(failed);
                boolean mayRepeat = status.getCode() == Status.Code.UNAVAILABLE
                        || String.valueOf(status.getDescription()).contains("not registered");
                if (!mayRepeat || attempt > 2_000) {
                    throw failed;
                }
                LockSupport.parkNanos(5_000_000); // until another machine has taken over
            }
        }
    }

    private static void initialize(MemoryCluster cluster) {
        for (int part = 0; part < PARTS; part++) {
            call(
                    cluster,
                    "InitParam",
                    InitParamRequest.newBuilder()
                            .setParam(parameter(part, 0, part == 0 ? LARGE : 3))
                            .setConfig(SGD)
                            .setPart(part)
                            .build());
        }
        call(
                cluster,
                "FinishInitParams",
                FinishInitParamsRequest.newBuilder().setTrainer("first").build());
    }

    private static GetParamResponse get(MemoryCluster cluster, int part, long version) throws Exception {
        return GetParamResponse.parseFrom(call(
                cluster,
                "GetParam",
                GetParamRequest.newBuilder()
                        .setName("p" + part)
                        .setPart(part)
                        .setVersionMin(version)
                        .build()));
    }

    private static void send(MemoryCluster cluster, String trainer, long sequence, int part, int elements) {
        call(
                cluster,
                "SendGrad",
                SendGradRequest.newBuilder()
                        .setGradient(parameter(part, 1, elements))
                        .setTrainer(trainer)
                        .setSequence(sequence)
                        .setPart(part)
                        .build());
    }

    private static Optional<Assignment> assignment(MemoryCluster cluster, int part) {
        return Optional.ofNullable(cluster.ledger().assignments().get(part));
    }

    /** Waits until each part has a copy of the newest term, which an update shows: it is acknowledged only then. */
    private static void settle(MemoryCluster cluster) {
        for (int part = 1; part < PARTS; part++) {
            while (cluster.upNodes().size() > 1
                    && assignment(cluster, part)
                            .flatMap(Assignment::holder)
                            .filter(holder -> cluster.upNodes().contains(holder.node()))
                            .isEmpty()) {
                LockSupport.parkNanos(1_000_000);
            }
        }
    }

    @Test
    void eachAcknowledgedGradientCountsOnceWhateverMachineDies() throws Exception {
        try (var cluster = new MemoryCluster(settings(false), folder, 3);
                var threads = Executors.newCachedThreadPool()) {
            initialize(cluster);
            var isOver = new AtomicBoolean();
            long[][] sent = new long[3][PARTS];
            var trainers = new ArrayList<Future<?>>();
            for (int i = 0; i < sent.length; i++) {
                int trainer = i;
                trainers.add(threads.submit(() -> {
                    for (long sequence = 1; !isOver.get(); sequence++) {
                        for (int part = 1; part < PARTS; part++) {
                            send(cluster, "t" + trainer, sequence, part, 3);
                            sent[trainer][part]++;
                        }
                    }
                }));
            }
            for (int round = 0; round < 6; round++) {
                int part = 1 + round % (PARTS - 1);
                settle(cluster);
                send(cluster, "kills", 2L * round + 1, part, 3); // acknowledged: so the holder has it
                NodeId primary =
                        assignment(cluster, part).orElseThrow().primary().node();
                cluster.kill(primary);
                send(cluster, "kills", 2L * round + 2, part, 3); // acknowledged by the one that took over
                for (int other = 1; other < PARTS; other++) {
                    send(cluster, "others", round + 1, other, 3); // all parts are served again
                }
                cluster.start(primary);
            }
            isOver.set(true);
            for (var trainer : trainers) {
                trainer.get();
            }
            for (int part = 1; part < PARTS; part++) {
                long expected = 6 + 4; // of others, and kills
                for (long[] each : sent) {
                    expected += each[part];
                }
                GetParamResponse got = get(cluster, part, 0);
                assertEquals(expected, got.getVersion());
                assertEquals(parameter(part, (double) -expected, 3), got.getParam());
            }
            assertTrue(get(cluster, 0, 0).getParam().equals(parameter(0, 0, LARGE)), "the large one came along");
            assertEquals(Optional.empty(), cluster.failure());
            assertTrue(cluster.ledger().assignments().values().stream().allMatch(each -> each.term() > 2));
        }
    }

    @Test
    void aStepGoesOnAfterATakeOver() throws Exception {
        try (var cluster = new MemoryCluster(settings(true), folder, 3)) {
            initialize(cluster);
            for (String trainer : List.of("a", "b")) {
                call(
                        cluster,
                        "Register",
                        RegisterRequest.newBuilder()
                                .setTrainer(trainer)
                                .setLeaseMillis(600_000)
                                .build());
            }
            for (int step = 1; step <= 4; step++) {
                settle(cluster);
                send(cluster, "a", step, 1, 3);
                NodeId primary = assignment(cluster, 1).orElseThrow().primary().node();
                cluster.kill(primary);
                send(cluster, "b", step, 1, 3);
                GetParamResponse got = get(cluster, 1, step);
                assertEquals(step, got.getVersion());
                assertEquals(parameter(1, -step, 3), got.getParam()); // the mean of both
                cluster.start(primary);
            }
            assertEquals(Optional.empty(), cluster.failure());
        }
    }

    /** All machines lose power: what the checkpoints have is there again. */
    @Test
    void afterAPowerCutTheCheckpointsAreUsed() throws Exception {
        try (var cluster = new MemoryCluster(settings(false), folder, 2)) {
            initialize(cluster);
            send(cluster, "a", 1, 1, 3);
            call(cluster, "Save", io.hearth.parameterserver.wire.SaveRequest.getDefaultInstance());
            List<NodeId> all = cluster.upNodes();
            all.forEach(cluster::kill);
            all.forEach(cluster::start);
            assertEquals(parameter(1, -1, 3), get(cluster, 1, 1).getParam());
            send(cluster, "a", 1, 1, 3); // a repeat, known from the checkpoint
            send(cluster, "a", 2, 1, 3);
            assertEquals(parameter(1, -2, 3), get(cluster, 1, 2).getParam());
            assertEquals(Optional.empty(), cluster.failure());
        }
    }
}
