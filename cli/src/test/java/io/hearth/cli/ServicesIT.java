package io.hearth.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.coordinator.Tensor;
import io.hearth.coordinator.worker.WorkerNode;
import io.hearth.coordinator.worker.WorkerSettings;
import io.hearth.identity.NetworkNamespace;
import io.hearth.parameterserver.ElementType;
import io.hearth.parameterserver.client.ClientOptions;
import io.hearth.parameterserver.client.ParameterClient;
import io.hearth.parameterserver.client.Shape;
import io.hearth.parameterserver.optimize.Clip;
import io.hearth.parameterserver.optimize.LearningRate;
import io.hearth.parameterserver.optimize.Method;
import io.hearth.parameterserver.optimize.OptimizerSettings;
import io.hearth.scheduler.JobSpec;
import io.hearth.scheduler.JobView;
import io.hearth.scheduler.NodeSpec;
import io.hearth.scheduler.Shard;
import io.hearth.scheduler.ShardStrategy;
import io.hearth.scheduler.Topology;
import io.hearth.scheduler.client.NodeClient;
import io.hearth.scheduler.client.SchedulerClient;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The services of three agents that are processes: the one that answers is killed, and its callers go on. */
@Timeout(240)
final class ServicesIT {
    private static final String SERVICES = "coordinator:0,scheduler:0,parameterserver:0";
    private static final int AGENTS = 3;

    @TempDir
    private Path folder;

    private final List<RunningProcess> agents = new ArrayList<>();
    private final List<Map<String, Integer>> ports = new ArrayList<>();

    @BeforeEach
    void start() throws Exception {
        NetworkNamespace namespace = NetworkNamespace.create("home");
        for (int i = 0; i < AGENTS; i++) {
            RunningProcess agent = RunningProcess.hearth(
                    Commands.in(folder.resolve("agent-" + i), namespace).environment(),
                    List.of(),
                    "agent",
                    "--interface",
                    "lo",
                    "--serve",
                    SERVICES);
            agents.add(agent);
            var found = new TreeMap<String, Integer>();
            for (String name : List.of("coordinator", "scheduler", "parameterserver")) {
                String line =
                        agent.await("the port of " + name, said -> said.contains("service=" + name + " address="));
                found.put(name, Integer.parseInt(line.substring(line.lastIndexOf(':') + 1)));
            }
            ports.add(found);
            for (int each = 0; i == 0 && each < found.size(); each++) {
                agent.await("an election", said -> said.contains("this machine answers for service="));
            }
            if (i > 0) {
                awaitCopies(agent);
            }
        }
        for (RunningProcess earlier : agents.subList(0, AGENTS - 1)) {
            awaitCopies(earlier);
        }
    }

    /** Waits until an agent knows that each of them keeps the state of each service: until then none may be lost. */
    private void awaitCopies(RunningProcess agent) throws InterruptedException {
        var missing = new HashSet<>(ports.getFirst().keySet());
        while (!missing.isEmpty()) {
            String line = agent.await(
                    "copies of " + missing + " on all machines",
                    said -> said.endsWith("is kept on machines=" + agents.size()));
            missing.removeIf(name -> line.contains("service=" + name + " "));
        }
    }

    @AfterEach
    void end() {
        agents.forEach(RunningProcess::close);
    }

    private InetSocketAddress at(int agent, String service) {
        return new InetSocketAddress(
                InetAddress.getLoopbackAddress(),
                Objects.requireNonNull(ports.get(agent).get(service)));
    }

    private void killTheOneThatAnswers() throws Exception {
        agents.getFirst().kill(); // the oldest
        agents.getFirst().exitCode();
    }

    @Test
    void noShardIsLostOrGivenTwice() throws Exception {
        try (SchedulerClient scheduler = SchedulerClient.to(at(1, "scheduler"))) {
            NodeClient node = scheduler.node(NodeSpec.worker("node-1", "127.0.0.1:1"));
            node.register();
            scheduler.submit(new JobSpec(
                    "once", "job", Topology.ALL_REDUCE, ShardStrategy.ROUND_ROBIN, 1, 0, 0, "/data", 1_000, 6, 0));
            var done = new HashSet<Integer>();
            List<Shard> open = node.nextShards("job", 3);
            for (Shard shard : open.subList(0, 2)) {
                assertTrue(done.add(shard.index()));
                node.complete("job", shard);
            }
            killTheOneThatAnswers();
            assertTrue(done.add(open.get(2).index()));
            node.complete("job", open.get(2)); // given by the one that is dead
            for (List<Shard> more = node.nextShards("job", 3); !more.isEmpty(); more = node.nextShards("job", 3)) {
                for (Shard shard : more) {
                    assertTrue(done.add(shard.index()), () -> "given twice: " + shard);
                    node.complete("job", shard);
                }
            }
            JobView job = scheduler.show("job");
            assertEquals(6, done.size(), job::toString);
            assertEquals("DONE", job.state().name());
        }
    }

    @Test
    void workersKeepTheirRanks() throws Exception {
        List<String> addresses = List.of(
                "127.0.0.1:" + at(1, "coordinator").getPort(),
                "127.0.0.1:" + at(2, "coordinator").getPort());
        try (var one = new WorkerNode(WorkerSettings.of(addresses, 2));
                var other = new WorkerNode(WorkerSettings.of(addresses, 2))) {
            var starting = Thread.ofVirtual().start(() -> {
                try {
                    other.start();
                } catch (Exception failed) {
                    throw new IllegalStateException(failed);
                }
            });
            one.start();
            starting.join();
            List<Integer> ranks = List.of(one.rank(), other.rank());
            killTheOneThatAnswers();
            var averaging = Thread.ofVirtual().start(() -> {
                try {
                    other.average(Map.of("w", Tensor.vector(3)));
                } catch (Exception failed) {
                    throw new IllegalStateException(failed);
                }
            });
            Map<String, Tensor> mean = one.average(Map.of("w", Tensor.vector(1)));
            averaging.join();
            assertEquals(2, Objects.requireNonNull(mean.get("w")).data()[0]);
            assertEquals(ranks, List.of(one.rank(), other.rank()));
        }
    }

    @Test
    void noAnsweredGradientIsLostOrAppliedTwice() throws Exception {
        var shape = new Shape("w", ElementType.FLOAT32, 4);
        var sgd = new OptimizerSettings(new Method.Sgd(0, false, 0), new LearningRate.Constant(1), new Clip.None());
        try (ParameterClient client = ParameterClient.connect(
                at(1, "parameterserver"),
                "trainer",
                List.of(shape),
                new ClientOptions(1 << 20, false, Duration.ofSeconds(60)))) {
            client.init("w", floats(0), sgd);
            client.finish();
            for (int step = 1; step <= 30; step++) {
                if (step == 15) {
                    killTheOneThatAnswers();
                }
                client.send(List.of(new ParameterClient.Gradient("w", floats(1))));
            }
            ByteBuffer values = ByteBuffer.wrap(
                            client.get(List.of("w")).getFirst().content())
                    .order(ByteOrder.LITTLE_ENDIAN);
            assertEquals(-30, values.getFloat(0));
        }
    }

    private static byte[] floats(float value) {
        ByteBuffer buffer = ByteBuffer.allocate(4 * Float.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        for (int i = 0; i < 4; i++) {
            buffer.putFloat(value);
        }
        return buffer.array();
    }
}
