package io.hearth.parameterserver.server;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.NegotiationType;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.ClientCalls;
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
import io.hearth.parameterserver.wire.GetParamRequest;
import io.hearth.parameterserver.wire.Parameter;
import io.hearth.parameterserver.wire.SaveResponse;
import io.hearth.parameterserver.wire.SendGradRequest;
import io.hearth.parameterserver.wire.StatusResponse;
import io.hearth.serve.alone.ServiceServer;
import io.hearth.serve.grpc.PortPlace;
import io.hearth.serve.grpc.UnaryHandler;
import io.hearth.serve.replica.ServiceReplica;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A parameter server on loopback, and gRPC clients. */
@Timeout(60)
final class ParameterServerTest {
    private static final String SERVICE = "hearth.parameterserver.ParameterServer";
    private static final OptimizerSettings SGD =
            new OptimizerSettings(new Method.Sgd(0, false, 0), new LearningRate.Constant(1), new Clip.None());
    private static final OptimizerSettings ADAM = new OptimizerSettings(
            new Method.Adam(0.9, 0.999, 1e-8, 0), new LearningRate.Linear(0.1, 0.001, 0.01), new Clip.Norm(1));
    private static final int PIECES = 8; // of the larger parameter
    private static final List<Shape> SHAPES =
            List.of(new Shape("w", ElementType.FLOAT32, 3), new Shape("large", ElementType.FLOAT64, 1_000));

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

    private ServiceServer start(boolean isSynchronous) throws Exception {
        return start(isSynchronous, 0);
    }

    private ServiceServer start(boolean isSynchronous, int port) throws Exception {
        var server = ServiceServer.start(
                ParameterServer.maker(new ServerSettings(4, isSynchronous, 3_600_000_000_000L, 1_000_000_000L)),
                new ServiceReplica.Place(
                        new NodeId(PeerId.of(new byte[PeerId.KEY_BYTES]), "parameterserver"),
                        ++incarnation,
                        folder,
                        Optional.empty()),
                PortPlace.loopback(port));
        open.add(server);
        return server;
    }

    private static InetSocketAddress address(int port) {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    }

    private ParameterClient client(ServiceServer server, String trainer) throws Exception {
        ParameterClient client = ParameterClient.connect(
                address(server.port()), trainer, SHAPES, new ClientOptions(1_000, true, Duration.ofSeconds(20)));
        open.add(client);
        return client;
    }

    private byte[] call(ServiceServer server, String method, byte[] request, long millis) {
        ManagedChannel channel = NettyChannelBuilder.forAddress(address(server.port()))
                .negotiationType(NegotiationType.PLAINTEXT)
                .build();
        open.add(channel::shutdownNow);
        return ClientCalls.blockingUnaryCall(
                channel,
                UnaryHandler.descriptor(SERVICE, method),
                CallOptions.DEFAULT.withDeadlineAfter(millis, TimeUnit.MILLISECONDS),
                request);
    }

    private static byte[] floats(float... numbers) {
        ByteBuffer bytes = ByteBuffer.allocate(4 * numbers.length).order(ByteOrder.LITTLE_ENDIAN);
        for (float number : numbers) {
            bytes.putFloat(number);
        }
        return bytes.array();
    }

    private static byte[] doubles(double number) {
        ByteBuffer bytes = ByteBuffer.allocate(8_000).order(ByteOrder.LITTLE_ENDIAN);
        for (int i = 0; i < 1_000; i++) {
            bytes.putDouble(number + i);
        }
        return bytes.array();
    }

    private static void initialize(ParameterClient client, OptimizerSettings settings) throws Exception {
        client.init("w", floats(1, 2, 3), SGD);
        client.init("large", doubles(0), settings);
        client.finish();
    }

    @Test
    void threeTrainersTrainOneModel() throws Exception {
        ServiceServer server = start(false);
        ParameterClient first = client(server, "first");
        initialize(first, SGD);
        try (var threads = Executors.newFixedThreadPool(3)) {
            var trainers = new ArrayList<Future<?>>();
            for (int i = 0; i < 3; i++) {
                ParameterClient client = client(server, "t" + i);
                trainers.add(threads.submit(() -> {
                    for (int step = 0; step < 20; step++) {
                        client.send(List.of(
                                new ParameterClient.Gradient("large", doubles(0)),
                                new ParameterClient.Gradient("w", floats(1, 0, -1))));
                    }
                    return null;
                }));
            }
            for (var trainer : trainers) {
                trainer.get();
            }
        }
        var got = first.get(List.of("w", "large"));
        assertArrayEquals(floats(-59, 2, 63), got.getFirst().content());
        assertEquals(60, got.getFirst().version());
        ByteBuffer large = ByteBuffer.wrap(got.getLast().content()).order(ByteOrder.LITTLE_ENDIAN);
        for (int i = 0; i < 1_000; i++) {
            assertEquals(i - 60.0 * i, large.getDouble());
        }
    }

    @Test
    void errorsAreThoseOfTheOriginal() throws Exception {
        ServiceServer server = start(false);
        ParameterClient client = client(server, "a");
        var gradient = List.of(new ParameterClient.Gradient("w", floats(1, 1, 1)));
        assertFails(Status.Code.FAILED_PRECONDITION, "pserver not fully initialized", () -> client.send(gradient));
        initialize(client, SGD);
        client.finish(); // its answer may have been lost
        assertFails(
                Status.Code.ALREADY_EXISTS,
                "pserver already initialized",
                () -> client.init("w", floats(1, 1, 1), SGD));
        ParameterClient other = client(server, "b");
        assertFails(Status.Code.ALREADY_EXISTS, "pserver already initialized", other::finish);
        byte[] unknown = GetParamRequest.newBuilder().setName("x").build().toByteArray();
        var missing = assertThrows(StatusRuntimeException.class, () -> call(server, "GetParam", unknown, 10_000));
        assertEquals(Status.Code.NOT_FOUND, missing.getStatus().getCode());
        assertEquals("parameter: x does not exist", missing.getStatus().getDescription());
        assertEquals(
                "no gradient received",
                assertThrows(StatusRuntimeException.class, () -> call(server, "SendGrad", new byte[0], 10_000))
                        .getStatus()
                        .getDescription());
        byte[] outside =
                GetParamRequest.newBuilder().setName("w").setPart(4).build().toByteArray();
        assertEquals(
                Status.Code.INVALID_ARGUMENT,
                assertThrows(StatusRuntimeException.class, () -> call(server, "GetParam", outside, 10_000))
                        .getStatus()
                        .getCode());
        assertEquals(
                Status.Code.INTERNAL,
                assertThrows(
                                StatusRuntimeException.class,
                                () -> call(server, "InitParam", new byte[] {10, 99, 1}, 10_000))
                        .getStatus()
                        .getCode());
        assertThrows(IllegalArgumentException.class, () -> client.send(List.of()));
    }

    private interface Action {
        void run() throws Exception;
    }

    private static void assertFails(Status.Code code, String text, Action action) {
        var failed = assertThrows(ParameterServerException.class, action::run);
        assertEquals(code, failed.code());
        assertEquals(text, failed.getMessage());
    }

    @Test
    void aClientWhoseTimeIsUpSaysWhyNobodyAnswered() throws Exception {
        int free;
        try (var socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            free = socket.getLocalPort();
        }
        var impatient = new ClientOptions(1_000, false, Duration.ofMillis(300));
        var failed = assertThrows(
                ParameterServerException.class, () -> ParameterClient.connect(address(free), "c", SHAPES, impatient));
        assertEquals(Status.Code.UNAVAILABLE, failed.code());
        assertTrue(String.valueOf(failed.getMessage()).contains("Connection refused"), failed.getMessage());
    }

    @Test
    void aReaderWaitsForTheInitializationUntilItsTimeIsUp() throws Exception {
        ServiceServer server = start(false);
        ParameterClient client = client(server, "a");
        try (ParameterClient impatient = ParameterClient.connect(
                address(server.port()), "c", SHAPES, new ClientOptions(1_000, false, Duration.ofMillis(1_500)))) {
            var early = assertThrows(ParameterServerException.class, () -> impatient.get(List.of("w")));
            assertEquals(Status.Code.DEADLINE_EXCEEDED, early.code(), early.toString());
        }
        try (var threads = Executors.newSingleThreadExecutor()) {
            ParameterClient reader = client(server, "b");
            var waits = threads.submit(() -> reader.get(List.of("w")));
            initialize(client, SGD);
            assertArrayEquals(floats(1, 2, 3), waits.get().getFirst().content());
        }
    }

    /** A server that stops cancels the calls that wait there; the client makes them again. */
    @Test
    void aReaderWaitsOverAStopAndAStartOfTheServer() throws Exception {
        ServiceServer server = start(false);
        ParameterClient reader = client(server, "b");
        try (var threads = Executors.newSingleThreadExecutor()) {
            var waits = threads.submit(() -> reader.get(List.of("w")));
            for (int times = 0; times < 3; times++) {
                initializedNot(server);
                int port = server.port();
                server.close();
                server = start(false, port);
            }
            initialize(client(server, "a"), SGD);
            assertArrayEquals(floats(1, 2, 3), waits.get().getFirst().content());
        }
    }

    /** Takes as long as another reader waits in vain. */
    private void initializedNot(ServiceServer server) throws Exception {
        try (ParameterClient impatient = ParameterClient.connect(
                address(server.port()), "c", SHAPES, new ClientOptions(1_000, false, Duration.ofMillis(300)))) {
            assertThrows(ParameterServerException.class, () -> impatient.get(List.of("w")));
        }
    }

    @Test
    void aStepOfTwoTrainersIsTheirMean() throws Exception {
        ServiceServer server = start(true);
        ParameterClient a = client(server, "a");
        ParameterClient b = client(server, "b");
        initialize(a, SGD);
        a.register(Duration.ofMinutes(1));
        assertEquals(List.of("a", "b"), b.register(Duration.ofMinutes(1)));
        for (int step = 1; step <= 3; step++) {
            a.send(List.of(
                    new ParameterClient.Gradient("w", floats(2, 0, 0)),
                    new ParameterClient.Gradient("large", doubles(2))));
            assertEquals(step - 1, b.get(List.of("w")).getFirst().version());
            b.send(List.of(
                    new ParameterClient.Gradient("large", doubles(4)),
                    new ParameterClient.Gradient("w", floats(0, 2, 0))));
            var got = a.get(List.of("large", "w"), step);
            assertEquals(step, got.getFirst().version());
            assertArrayEquals(floats(1 - step, 2 - step, 3), got.getLast().content());
        }
        a.send(List.of(new ParameterClient.Gradient("w", floats(0, 0, 1))));
        assertEquals(List.of("a"), b.register(Duration.ZERO)); // so the step is complete
        assertArrayEquals(floats(-2, -1, 2), a.get(List.of("w"), 4).getFirst().content());
    }

    @Test
    void aRestoredServerGoesOnBitForBit() throws Exception {
        byte[][] ends = new byte[2][];
        for (boolean isRestarted : new boolean[] {false, true}) {
            ServiceServer server = start(false);
            ParameterClient client = client(server, "t" + isRestarted);
            initialize(client, ADAM);
            for (int step = 0; step < 30; step++) {
                if (isRestarted && step == 15) {
                    var saved = SaveResponse.parseFrom(call(server, "Save", new byte[0], 10_000));
                    assertTrue(saved.getFilesCount() == 4, saved.toString());
                    server.close();
                    server = start(false);
                    client = client(server, "later");
                    assertFails(Status.Code.ALREADY_EXISTS, "pserver already initialized", client::finish);
                }
                client.send(List.of(new ParameterClient.Gradient("large", doubles(Math.sin(step) * 500 - 400))));
            }
            ends[isRestarted ? 1 : 0] = client.get(List.of("large")).getFirst().content();
            server.close();
            clear();
        }
        assertArrayEquals(ends[0], ends[1]);
    }

    /** The ledger is lost, as with a restored backup: terms begin above those of the checkpoints, so new files are the newest. */
    @Test
    void checkpointsGoOnAfterTheLossOfTheLedger() throws Exception {
        ServiceServer first = start(false);
        ParameterClient client = client(first, "a");
        initialize(client, SGD);
        var gradient = List.of(new ParameterClient.Gradient("w", floats(1, 1, 1)));
        for (int life = 1; life <= 3; life++) {
            client.send(gradient);
            open.removeLast().close();
            open.removeLast().close();
            try (Stream<Path> files = Files.list(folder)) {
                for (Path file : files.filter(each -> Files.isRegularFile(each)).toList()) {
                    Files.delete(file);
                }
            }
            client = client(start(false), "life-" + life);
            assertArrayEquals(
                    floats(1 - life, 2 - life, 3 - life),
                    client.get(List.of("w")).getFirst().content());
        }
    }

    /** One piece had finished its step when the second trainer came, the other ones had not: nobody waits for ever. */
    @Test
    void aTrainerMayComeInTheMiddleOfAStep() throws Exception {
        ServiceServer server = start(true);
        ParameterClient first = byName(server, "a");
        initialize(first, SGD);
        first.register(Duration.ofMinutes(1));
        first.send(List.of(new ParameterClient.Gradient("large", doubles(0))));
        ParameterClient second = byName(server, "b");
        sendPiece(server, 0, 100);
        second.register(Duration.ofMinutes(1));
        for (int piece = 1; piece < PIECES; piece++) {
            sendPiece(server, piece, 100);
        }
        long version = 0;
        for (int step = 1; step <= 3; step++) {
            assertEquals(step, second.get(List.of("large"), version).getFirst().version());
            version = second.send(List.of(new ParameterClient.Gradient("large", doubles(0))))
                    .getFirst();
            for (int piece = 0; piece < PIECES; piece++) {
                sendPiece(server, piece, 100 + step);
            }
        }
        assertThrows(
                IllegalArgumentException.class,
                () -> second.send(Collections.nCopies(2, new ParameterClient.Gradient("large", doubles(0)))));
    }

    private ParameterClient byName(ServiceServer server, String trainer) throws Exception {
        ParameterClient client = ParameterClient.connect(
                address(server.port()), trainer, SHAPES, new ClientOptions(1_000, false, Duration.ofSeconds(20)));
        open.add(client);
        return client;
    }

    private void sendPiece(ServiceServer server, int piece, long sequence) {
        byte[] request = SendGradRequest.newBuilder()
                .setGradient(Parameter.newBuilder()
                        .setName("large#" + piece + "/" + PIECES)
                        .setElementTypeValue(ElementType.FLOAT64.number())
                        .setContent(ByteString.copyFrom(new byte[1_000])))
                .setTrainer("a")
                .setSequence(sequence)
                .build()
                .toByteArray();
        call(server, "SendGrad", request, 10_000);
    }

    private void clear() throws Exception {
        try (var files = Files.walk(folder)) {
            for (Path file : files.sorted(java.util.Comparator.reverseOrder()).toList()) {
                if (!file.equals(folder)) {
                    Files.delete(file);
                }
            }
        }
    }

    @Test
    void aDamagedCheckpointIsNamedInTheStatus() throws Exception {
        ServiceServer server = start(false);
        ParameterClient client = client(server, "a");
        initialize(client, SGD);
        var _ = call(server, "Save", new byte[0], 10_000);
        client.send(List.of(new ParameterClient.Gradient("w", floats(1, 1, 1))));
        var newest = SaveResponse.parseFrom(call(server, "Save", new byte[0], 10_000))
                .getFilesList();
        assertEquals(1, newest.size()); // only the part that changed
        server.close();
        String name = newest.getFirst().replaceAll(".*: ", "");
        Path file = folder.resolve("checkpoints").resolve(name);
        byte[] bytes = Files.readAllBytes(file);
        bytes[bytes.length / 2] ^= 1;
        Files.write(file, bytes);
        ServiceServer second = start(false);
        assertArrayEquals(
                floats(1, 2, 3),
                client(second, "b").get(List.of("w")).getFirst().content());
        StatusResponse status = StatusResponse.parseFrom(call(second, "Status", new byte[0], 10_000));
        String warnings = status.getPartList().stream()
                .flatMap(part -> part.getWarningsList().stream())
                .toList()
                .toString();
        assertTrue(
                warnings.contains(name) && warnings.contains("checkpoint file checksum validation failed"), warnings);
        assertEquals(4, status.getPartCount());
    }

    @Test
    void browsersSeeThePageOnTheSamePort() throws Exception {
        ServiceServer server = start(false);
        initialize(client(server, "a"), SGD);
        String page = http(server, "GET", "/").body();
        assertTrue(page.contains("<h1>Parameter server</h1>") && page.contains("4 parts"), page);
        String json = http(server, "GET", "/status.json").body();
        assertTrue(json.contains("\"initialized\":true") && json.contains("\"role\":\"primary\""), json);
        assertFalse(json.contains("\"initialized\":false"), json);
        assertEquals(404, http(server, "GET", "/elsewhere").statusCode());
        assertEquals(405, http(server, "PUT", "/").statusCode());
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
}
