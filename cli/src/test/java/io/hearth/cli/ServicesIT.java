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
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The services of three agents that are processes: the one that answers for all is killed, and its callers go on. */
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

    @Test
    void theCallersOfTheOneThatIsKilledGoOn() throws Exception {
        try (var shards = new ShardCaller(at(1, "scheduler"));
                var ranks = new RankCaller(at(1, "coordinator"), at(2, "coordinator"));
                var gradients = new GradientCaller(at(1, "parameterserver"))) {
            List<Caller> callers = List.of(shards, ranks, gradients);
            for (Caller caller : callers) {
                caller.call();
            }
            agents.getFirst().kill(); // the oldest, which answers for each service
            agents.getFirst().exitCode();
            var going = new ArrayList<FutureTask<?>>();
            for (Caller caller : callers) { // at once, because a later one would not meet the outage
                going.add(aside(() -> {
                    caller.goOn();
                    return true;
                }));
            }
            for (FutureTask<?> each : going) {
                each.get();
            }
        }
    }

    private static <T> FutureTask<T> aside(Callable<T> action) {
        var task = new FutureTask<>(action);
        Thread.ofVirtual().start(task);
        return task;
    }

    /** A caller of one service. */
    private interface Caller extends AutoCloseable {
        /** Before the one that answers is killed. */
        void call() throws Exception;

        void goOn() throws Exception;

        @Override
        void close();
    }

    /** No shard is lost or given twice. */
    private static final class ShardCaller implements Caller {
        private final SchedulerClient scheduler;
        private final NodeClient node;
        private final Set<Integer> done = new HashSet<>();
        private final List<Shard> open = new ArrayList<>();

        ShardCaller(InetSocketAddress address) throws Exception {
            scheduler = SchedulerClient.to(address);
            node = scheduler.node(NodeSpec.worker("node-1", "127.0.0.1:1"));
        }

        private void complete(Shard shard) throws Exception {
            assertTrue(done.add(shard.index()), () -> "given twice: " + shard);
            node.complete("job", shard);
        }

        @Override
        public void call() throws Exception {
            node.register();
            scheduler.submit(new JobSpec(
                    "once", "job", Topology.ALL_REDUCE, ShardStrategy.ROUND_ROBIN, 1, 0, 0, "/data", 1_000, 6, 0));
            open.addAll(node.nextShards("job", 3));
            complete(open.removeFirst());
            complete(open.removeFirst());
        }

        @Override
        public void goOn() throws Exception {
            complete(open.removeFirst()); // given by the one that is dead
            for (List<Shard> more = node.nextShards("job", 3); !more.isEmpty(); more = node.nextShards("job", 3)) {
                for (Shard shard : more) {
                    complete(shard);
                }
            }
            JobView job = scheduler.show("job");
            assertEquals(6, done.size(), job::toString);
            assertEquals("DONE", job.state().name());
        }

        @Override
        public void close() {
            scheduler.close();
        }
    }

    /** Workers keep their ranks. */
    private static final class RankCaller implements Caller {
        private final List<WorkerNode> workers = new ArrayList<>();
        private List<Integer> ranks = List.of();

        RankCaller(InetSocketAddress... coordinators) {
            List<String> addresses = Stream.of(coordinators)
                    .map(address -> "127.0.0.1:" + address.getPort())
                    .toList();
            workers.add(new WorkerNode(WorkerSettings.of(addresses, 2)));
            workers.add(new WorkerNode(WorkerSettings.of(addresses, 2)));
        }

        private List<Integer> ranks() throws Exception {
            return List.of(workers.get(0).rank(), workers.get(1).rank());
        }

        @Override
        public void call() throws Exception {
            FutureTask<Boolean> starting = aside(() -> {
                workers.get(1).start();
                return true;
            });
            workers.get(0).start();
            starting.get();
            ranks = ranks();
        }

        @Override
        public void goOn() throws Exception {
            FutureTask<Map<String, Tensor>> averaging =
                    aside(() -> workers.get(1).average(Map.of("w", Tensor.vector(3))));
            Map<String, Tensor> mean = workers.get(0).average(Map.of("w", Tensor.vector(1)));
            assertEquals(2, Objects.requireNonNull(mean.get("w")).data()[0]);
            assertEquals(2, Objects.requireNonNull(averaging.get().get("w")).data()[0]);
            assertEquals(ranks, ranks());
        }

        @Override
        public void close() {
            workers.forEach(WorkerNode::close);
        }
    }

    /** No answered gradient is lost or applied twice. */
    private static final class GradientCaller implements Caller {
        private static final int STEPS = 15;

        private final ParameterClient client;

        GradientCaller(InetSocketAddress address) throws Exception {
            client = ParameterClient.connect(
                    address,
                    "trainer",
                    List.of(new Shape("w", ElementType.FLOAT32, 4)),
                    new ClientOptions(1 << 20, false, Duration.ofSeconds(60)));
        }

        @Override
        public void call() throws Exception {
            client.init(
                    "w",
                    floats(0),
                    new OptimizerSettings(new Method.Sgd(0, false, 0), new LearningRate.Constant(1), new Clip.None()));
            client.finish();
            send();
        }

        @Override
        public void goOn() throws Exception {
            send();
            ByteBuffer values = ByteBuffer.wrap(
                            client.get(List.of("w")).getFirst().content())
                    .order(ByteOrder.LITTLE_ENDIAN);
            assertEquals(-2 * STEPS, values.getFloat(0));
        }

        private void send() throws Exception {
            for (int step = 0; step < STEPS; step++) {
                client.send(List.of(new ParameterClient.Gradient("w", floats(1))));
            }
        }

        @Override
        public void close() {
            client.close();
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
