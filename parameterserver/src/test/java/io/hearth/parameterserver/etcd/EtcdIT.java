package io.hearth.parameterserver.etcd;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.grpc.Status;
import io.hearth.core.ChildProcess;
import io.hearth.core.SetupException;
import io.hearth.identity.NodeId;
import io.hearth.identity.PeerId;
import io.hearth.parameterserver.ElementType;
import io.hearth.parameterserver.ServerSettings;
import io.hearth.parameterserver.client.ClientOptions;
import io.hearth.parameterserver.client.ParameterClient;
import io.hearth.parameterserver.client.ParameterServerException;
import io.hearth.parameterserver.client.Shape;
import io.hearth.parameterserver.optimize.Clip;
import io.hearth.parameterserver.optimize.LearningRate;
import io.hearth.parameterserver.optimize.Method;
import io.hearth.parameterserver.optimize.OptimizerSettings;
import io.hearth.parameterserver.server.ParameterServer;
import io.hearth.serve.alone.ServiceServer;
import io.hearth.serve.grpc.PortPlace;
import io.hearth.serve.replica.ServiceReplica;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Parameter servers and trainers that find each other in a real etcd. */
@Timeout(180)
final class EtcdIT {
    private static final OptimizerSettings SGD =
            new OptimizerSettings(new Method.Sgd(0, false, 0), new LearningRate.Constant(1), new Clip.None());
    private static final List<Shape> SHAPES = List.of(new Shape("w", ElementType.FLOAT32, 1));
    private static final ClientOptions OPTIONS = ClientOptions.DEFAULT;

    @TempDir
    @SuppressWarnings("NullAway.Init") // JUnit sets it
    private Path folder;

    private final List<AutoCloseable> open = new ArrayList<>();

    @SuppressWarnings("NullAway.Init") // set before each test
    private EtcdProcess etcd;

    @BeforeEach
    void start() throws Exception {
        assumeTrue(EtcdProcess.isThere(), "needs etcd on the PATH, as of Debian's etcd-server");
        etcd = new EtcdProcess(folder);
        open.add(etcd);
    }

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable each : open.reversed()) {
            each.close();
        }
    }

    private static ServiceServer server(EtcdPlace place, Path folder, Duration lease) throws SetupException {
        return ServiceServer.start(
                ParameterServer.maker(
                        new ServerSettings(2, false, 100_000_000, 1_000_000_000),
                        Optional.of(new EtcdPublication(place, Optional.empty(), 2, lease))),
                new ServiceReplica.Place(
                        new NodeId(PeerId.of(new byte[PeerId.KEY_BYTES]), "parameterserver"),
                        System.currentTimeMillis(),
                        folder,
                        Optional.empty()),
                PortPlace.loopback(0));
    }

    private ServiceServer server(String name) throws SetupException {
        ServiceServer server = server(etcd.place(), folder.resolve(name), Duration.ofSeconds(3));
        open.add(server);
        return server;
    }

    private static String address(ServiceServer server) {
        return "127.0.0.1:" + server.port();
    }

    /** The child: a server until its input ends. */
    public static void main(String[] arguments) throws Exception {
        try (ServiceServer server =
                server(EtcdPlace.parse(List.of(arguments[0]), ""), Path.of(arguments[1]), Duration.ofSeconds(3))) {
            System.out.println(server.port());
            while (System.in.read() >= 0) {
                // until the end
            }
        }
    }

    private final class Child implements AutoCloseable {
        private final Path log;
        private final Process process;
        private final String address;

        Child(String name) throws IOException {
            log = folder.resolve(name + ".log");
            process = ChildProcess.of(
                            ProcessHandle.current().info().command().orElseThrow(),
                            "-XX:TieredStopAtLevel=1",
                            "-Dorg.slf4j.simpleLogger.defaultLogLevel=info",
                            "-Dorg.slf4j.simpleLogger.log.io.etcd=error", // as the program has it
                            "-cp",
                            System.getProperty("java.class.path"),
                            EtcdIT.class.getName(),
                            etcd.endpoint(),
                            folder.resolve(name).toString())
                    .redirectError(log.toFile())
                    .start();
            address = "127.0.0.1:" + process.inputReader(StandardCharsets.UTF_8).readLine();
            open.add(this);
        }

        /** Sends a signal. After STOP it returns once the process has stopped: its threads run on until one of them takes the signal. */
        void signal(String name) throws IOException, InterruptedException {
            String pid = Long.toString(process.pid());
            ChildProcess.of("kill", "-" + name, pid).start().waitFor();
            while (name.equals("STOP") && process.isAlive()) {
                Process state = ChildProcess.of("ps", "-o", "state=", "-p", pid).start();
                if (new String(state.getInputStream().readAllBytes(), StandardCharsets.UTF_8).startsWith("T")) {
                    return;
                }
            }
        }

        InetSocketAddress address() {
            return new InetSocketAddress(
                    InetAddress.getLoopbackAddress(), Integer.parseInt(address.substring(address.indexOf(':') + 1)));
        }

        long lines(String part) throws IOException {
            return Files.readAllLines(log).stream()
                    .filter(line -> line.contains(part))
                    .count();
        }

        @Override
        public void close() {
            process.toHandle().destroyForcibly();
            process.onExit().join();
        }
    }

    private static <A> void await(Callable<A> what, A wanted) throws Exception {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        A last = what.call();
        while (!last.equals(wanted)) {
            if (end - System.nanoTime() < 0) {
                assertEquals(wanted, last);
            }
            LockSupport.parkNanos(50_000_000); // etcd is asked again
            last = what.call();
        }
    }

    private Map<String, String> servers() throws IOException, InterruptedException {
        return all("/ps/");
    }

    private Map<String, String> all(String prefix) throws IOException, InterruptedException {
        try (var session = etcd.session()) {
            return session.list(prefix);
        }
    }

    private ParameterClient client(String trainer) throws Exception {
        ParameterClient client = ParameterClient.connect(etcd.place(), trainer, SHAPES, OPTIONS);
        open.add(client);
        return client;
    }

    private static byte[] number(float value) {
        return ByteBuffer.allocate(4)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putFloat(value)
                .array();
    }

    private static float value(ParameterClient client) throws Exception {
        return ByteBuffer.wrap(client.get(List.of("w")).getFirst().content())
                .order(ByteOrder.LITTLE_ENDIAN)
                .getFloat();
    }

    private static void update(ParameterClient client) throws Exception {
        client.send(List.of(new ParameterClient.Gradient("w", number(-1))));
    }

    private static void initialize(ParameterClient client) throws Exception {
        client.init("w", number(0), SGD);
        client.finish();
    }

    @Test
    void serversTakeTheFirstFreeIndexAndLeaveIt() throws Exception {
        ServiceServer first = server("a");
        await(this::servers, Map.of("0", address(first)));
        ServiceServer second = server("b");
        await(this::servers, Map.of("0", address(first), "1", address(second)));
        first.close();
        assertEquals(Map.of("1", address(second)), servers()); // at once: it does not wait for the end of a lease
        assertEquals("2", all("/ps_desired").get(""));
        ServiceServer third = server("c");
        await(this::servers, Map.of("0", address(third), "1", address(second)));
    }

    @Test
    void theFirstWriterDecidesHowManyServersAreDesired() throws Exception {
        try (var session = etcd.session()) {
            session.put("/ps_desired", "7");
        }
        ServiceServer server = server("a");
        await(this::servers, Map.of("0", address(server)));
        assertEquals("7", all("/ps_desired").get(""));
    }

    @Test
    void updatesGoOnWhileEtcdIsGoneAndTheServerIsBackAfterwards() throws Exception {
        var server = new Child("a");
        await(this::servers, Map.of("0", server.address));
        ParameterClient trainer = client("trainer");
        initialize(trainer);
        long before = server.lines("is back"); // a slow machine may have outages of its own
        etcd.kill();
        await(() -> server.lines("trainers that start may not find it"), before + 1);
        for (int i = 0; i < 50; i++) {
            update(trainer);
        }
        assertEquals(50, value(trainer));
        etcd.restart();
        await(
                () -> server.lines("is back and has this parameter server at " + server.address + " as /ps/0"),
                before + 1);
        await(this::servers, Map.of("0", server.address));
        assertEquals(2 * (before + 1), server.lines("WARN"), Files.readString(server.log));
    }

    @Test
    void anEtcdThatForgotEverythingGetsItAgain() throws Exception {
        ServiceServer first = server("a");
        await(this::servers, Map.of("0", address(first)));
        ServiceServer second = server("b");
        await(this::servers, Map.of("0", address(first), "1", address(second)));
        await(() -> all("/checkpoints/").keySet().toString(), "[0, 1]");
        etcd.kill();
        etcd.wipe();
        etcd.restart();
        await(this::servers, Map.of("0", address(first), "1", address(second))); // the same ones
        await(() -> all("/checkpoints/").keySet().toString(), "[0, 1]");
        assertEquals("2", all("/ps_desired").get(""));
    }

    @Test
    void aKeyThatSomebodyRemovedIsWrittenAgain() throws Exception {
        ServiceServer server = server("a");
        await(this::servers, Map.of("0", address(server)));
        try (var session = etcd.session()) {
            session.put("/ps/0", "somebody-else:1"); // which takes the lease off the key
        }
        await(this::servers, Map.of("0", "somebody-else:1", "1", address(server)));
    }

    @Test
    void theKeyOfAKilledServerEndsWithItsLease() throws Exception {
        var killed = new Child("a");
        await(this::servers, Map.of("0", killed.address));
        killed.close();
        assertEquals(Map.of("0", killed.address), servers());
        await(this::servers, Map.of());
    }

    @Test
    void aTrainerGoesOnWithAServerThatComesBackElsewhere() throws Exception {
        var before = new Child("a");
        await(this::servers, Map.of("0", before.address));
        ParameterClient trainer = client("trainer");
        initialize(trainer);
        update(trainer);
        try (var waiting = Executors.newSingleThreadExecutor()) {
            before.process.getOutputStream().close(); // a clean stop, with a checkpoint
            before.process.waitFor();
            Future<?> update = waiting.submit(() -> {
                update(trainer);
                return null;
            });
            var after = new Child("a");
            assertFalse(after.address.equals(before.address));
            update.get();
        }
        assertEquals(2, value(trainer));
    }

    /** A stopped process keeps its connections: only the end of its lease tells that it is gone. */
    @ParameterizedTest
    @ValueSource(strings = {"KILL", "STOP"})
    void aTrainerLeavesAServerThatIsGone(String signal) throws Exception {
        List<Child> servers = List.of(new Child("a"), new Child("b"));
        await(() -> servers().size(), 2);
        var direct = new ArrayList<ParameterClient>();
        for (Child server : servers) { // two clusters of one machine, whose values say where an update went
            ParameterClient client = ParameterClient.connect(server.address(), "direct", SHAPES, OPTIONS);
            open.add(client);
            initialize(client);
            direct.add(client);
        }
        ParameterClient trainer = client("trainer");
        update(trainer);
        int used = value(direct.getFirst()) == 1 ? 0 : 1;
        assertEquals(List.of(1F, 0F), List.of(value(direct.get(used)), value(direct.get(1 - used))));
        servers.get(used).signal(signal);
        update(trainer);
        assertEquals(1, value(direct.get(1 - used)));
    }

    @Test
    void aDeadMemberOfEtcdIsPassedOver() throws Exception {
        EtcdPlace both =
                EtcdPlace.parse(List.of("http://127.0.0.1:" + EtcdProcess.freePort(), etcd.endpoint()), "/jobs/mnist");
        try (var server = server(both, folder.resolve("a"), Duration.ofSeconds(3));
                var client = ParameterClient.connect(both, "trainer", SHAPES, OPTIONS)) {
            initialize(client);
            update(client);
            assertEquals(Map.of("0", address(server)), all("/jobs/mnist/ps/"));
        }
    }

    @Test
    void theNoteOnACheckpointFitsTheFile() throws Exception {
        server("a");
        ParameterClient trainer = client("trainer");
        initialize(trainer);
        for (int i = 0; i < 3; i++) {
            update(trainer);
        }
        await(() -> trained().isPresent(), true);
        JsonObject note = note();
        JsonObject file = trained().orElseThrow();
        byte[] bytes = Files.readAllBytes(Path.of(file.get("path").getAsString()));
        assertEquals(bytes.length, file.get("bytes").getAsLong());
        var sum = new CRC32C();
        sum.update(Arrays.copyOf(bytes, bytes.length - 4));
        assertEquals(sum.getValue(), file.get("crc32c").getAsLong());
        assertEquals(36, note.get("uuid").getAsString().length());
        assertTrue(note.get("timestamp").getAsLong() > 1_000_000_000_000_000_000L, note.toString());
    }

    private JsonObject note() throws IOException, InterruptedException {
        String text = all("/checkpoints/0").getOrDefault("", "{\"files\": []}");
        return JsonParser.parseString(text).getAsJsonObject();
    }

    /** The file with the three updates, the parameter and the end of the initialization. */
    private Optional<JsonObject> trained() throws IOException, InterruptedException {
        return note().getAsJsonArray("files").asList().stream()
                .map(each -> each.getAsJsonObject())
                .filter(file -> file.get("updates").getAsLong() == 5)
                .findFirst();
    }

    @Test
    void exactlyOneTrainerInitializes() throws Exception {
        server("a");
        var done = new AtomicInteger();
        try (var threads = Executors.newFixedThreadPool(4)) {
            var trainers = new ArrayList<Future<Boolean>>();
            for (int i = 0; i < 4; i++) {
                ParameterClient client = client("t" + i);
                trainers.add(threads.submit(() -> client.initializeOnce(Duration.ofSeconds(60), () -> {
                    client.init("w", number(1), SGD);
                    done.incrementAndGet();
                })));
            }
            int mine = 0;
            for (var trainer : trainers) {
                mine += trainer.get() ? 1 : 0;
            }
            assertEquals(List.of(1, 1), List.of(mine, done.get()));
        }
        ParameterClient late = client("late");
        assertFalse(late.initializeOnce(Duration.ofSeconds(60), () -> late.init("w", number(5), SGD)));
        assertEquals(1, value(late));
    }

    @Test
    void aLockThatIsNotFreeIsNamed() throws Exception {
        try (var _ = EtcdLock.take(etcd.place(), Duration.ofSeconds(20))) {
            IOException refused =
                    assertThrows(IOException.class, () -> EtcdLock.take(etcd.place(), Duration.ofMillis(200)));
            assertTrue(String.valueOf(refused.getMessage()).contains("another trainer has it"), refused.getMessage());
        }
        EtcdLock.take(etcd.place(), Duration.ofSeconds(20)).close(); // nobody is left in the queue
    }

    @Test
    void withoutAServerTheErrorSaysWhatToDo() throws Exception {
        var soon = new ClientOptions(1_000, false, Duration.ofSeconds(1));
        ParameterServerException none = assertThrows(
                ParameterServerException.class, () -> ParameterClient.connect(etcd.place(), "t", SHAPES, soon));
        assertEquals(Status.Code.UNAVAILABLE, none.code());
        assertTrue(String.valueOf(none.getMessage()).contains("start one with --etcd"), none.getMessage());
        etcd.kill();
        ParameterServerException gone = assertThrows(
                ParameterServerException.class, () -> ParameterClient.connect(etcd.place(), "t", SHAPES, soon));
        assertTrue(String.valueOf(gone.getMessage()).contains("see that etcd runs there"), gone.getMessage());
        assertTrue(String.valueOf(gone.getMessage()).contains(etcd.endpoint()), gone.getMessage());
    }
}
