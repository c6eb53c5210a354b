package io.hearth.lighthouse.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.common.util.concurrent.ListenableFuture;
import com.google.protobuf.ByteString;
import com.google.protobuf.UnknownFieldSet;
import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.netty.NegotiationType;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.ClientCalls;
import io.hearth.core.SetupException;
import io.hearth.identity.HearthHome;
import io.hearth.identity.NodeId;
import io.hearth.identity.PeerId;
import io.hearth.lighthouse.LighthouseSettings;
import io.hearth.lighthouse.client.LighthouseClient;
import io.hearth.lighthouse.client.QuorumRequest;
import io.hearth.lighthouse.torchft.wire.LighthouseHeartbeatRequest;
import io.hearth.lighthouse.torchft.wire.LighthouseQuorumRequest;
import io.hearth.lighthouse.torchft.wire.LighthouseQuorumResponse;
import io.hearth.lighthouse.torchft.wire.Quorum;
import io.hearth.lighthouse.torchft.wire.QuorumMember;
import io.hearth.serve.alone.ServiceServer;
import io.hearth.serve.grpc.PortPlace;
import io.hearth.serve.grpc.UnaryHandler;
import io.hearth.serve.replica.ServiceReplica;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A lighthouse on loopback, and a gRPC client. */
@Timeout(60)
final class LighthouseServerTest {
    private static final String SERVICE = "torchft.LighthouseService";
    private static final long SECOND = 1_000_000_000L;

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

    private ServiceServer start(int minReplicas) throws Exception {
        var server = ServiceServer.start(
                Lighthouse.maker(new LighthouseSettings(minReplicas, 60 * SECOND, 5 * SECOND)),
                new ServiceReplica.Place(
                        new NodeId(PeerId.of(new byte[PeerId.KEY_BYTES]), "lighthouse"),
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

    private static QuorumMember member(String id) {
        return QuorumMember.newBuilder()
                .setReplicaId(id)
                .setAddress("http://" + id)
                .setStep(3)
                .setWorldSize(1)
                .build();
    }

    private static ListenableFuture<byte[]> ask(ManagedChannel channel, QuorumMember member, long seconds) {
        byte[] request = LighthouseQuorumRequest.newBuilder()
                .setRequester(member)
                .build()
                .toByteArray();
        return call(channel, "Quorum", request, seconds);
    }

    private static ListenableFuture<byte[]> call(ManagedChannel channel, String method, byte[] request, long seconds) {
        return ClientCalls.futureUnaryCall(
                channel.newCall(
                        UnaryHandler.descriptor(SERVICE, method),
                        CallOptions.DEFAULT.withDeadlineAfter(seconds, TimeUnit.SECONDS)),
                request);
    }

    private static Quorum quorum(ListenableFuture<byte[]> answer) throws Exception {
        return LighthouseQuorumResponse.parseFrom(answer.get()).getQuorum();
    }

    private static Status failure(ListenableFuture<byte[]> answer) {
        var failed = assertThrows(ExecutionException.class, answer::get);
        return Status.fromThrowable(failed);
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

    @Test
    void twoReplicasGetOneQuorum() throws Exception {
        ServiceServer server = start(2);
        ManagedChannel channel = channel(server);
        call(channel, "Heartbeat", heartbeat("a"), 10).get();
        var unknown = UnknownFieldSet.newBuilder()
                .addField(
                        99,
                        UnknownFieldSet.Field.newBuilder()
                                .addLengthDelimited(ByteString.copyFromUtf8("handle"))
                                .build())
                .build();
        QuorumMember newer = member("a").toBuilder().setUnknownFields(unknown).build();
        var a = ask(channel, newer, 20);
        var b = ask(channel(server), member("b"), 20);
        Quorum quorum = quorum(a);
        assertEquals(quorum, quorum(b));
        assertTrue(quorum.getQuorumId() > 0);
        assertEquals(List.of(newer, member("b")), quorum.getParticipantsList()); // with the field of a newer torchft
        assertTrue(quorum.hasCreated());
    }

    private static QuorumMember failed(String id, long commitFailures) {
        return member(id).toBuilder().setCommitFailures(commitFailures).build();
    }

    /** Defect 5 of the original: numbers begin at 1 again. */
    @Test
    void numbersGoOnAfterARestart() throws Exception {
        ServiceServer first = start(1);
        long one = quorum(ask(channel(first), member("a"), 20)).getQuorumId();
        assertEquals(one + 1, quorum(ask(channel(first), failed("a", 1), 20)).getQuorumId());
        first.close();
        ServiceServer second = start(1);
        ManagedChannel channel = channel(second);
        assertEquals(one + 1, quorum(ask(channel, member("a"), 20)).getQuorumId()); // the same members
        var waits = ask(channel, member("c"), 30); // for a, which is known
        assertEquals(one + 2, quorum(ask(channel, failed("a", 2), 20)).getQuorumId());
        assertEquals(one + 2, quorum(waits).getQuorumId());
    }

    /** A folder that was deleted, as after the loss of a disk. */
    @Test
    void noNumberComesAgainAfterTheLossOfTheFolder() throws Exception {
        ServiceServer first = start(1);
        quorum(ask(channel(first), member("a"), 20));
        long last = quorum(ask(channel(first), failed("a", 1), 20)).getQuorumId();
        first.close();
        folder = Files.createDirectory(folder.resolve("empty"));
        long next = quorum(ask(channel(start(1)), member("a"), 20)).getQuorumId();
        assertTrue(next > last, next + " after " + last);
    }

    @Test
    void aCallThatNobodyAnswersEndsAtItsDeadline() throws Exception {
        ManagedChannel channel = channel(start(2));
        Status status = failure(ask(channel, member("a"), 1));
        boolean isOver = status.getCode() == Status.Code.CANCELLED && "Timeout expired".equals(status.getDescription());
        assertTrue(isOver || status.getCode() == Status.Code.DEADLINE_EXCEEDED, status.toString());
        assertFalse(
                http(open(ServiceServer.class), "GET", "/status.json").body().contains("\"asks\":true"));
    }

    /** Calls whose time is up before they were read, or at any moment after: none stays behind as a replica that waits. */
    @Test
    void expiredCallsLeaveNobodyBehind() throws Exception {
        ServiceServer server = start(3);
        ManagedChannel channel = channel(server);
        var calls = new ArrayList<ListenableFuture<byte[]>>();
        for (int i = 0; i < 400; i++) {
            byte[] request = LighthouseQuorumRequest.newBuilder()
                    .setRequester(member("replica-" + i % 2))
                    .build()
                    .toByteArray();
            calls.add(ClientCalls.futureUnaryCall(
                    channel.newCall(
                            UnaryHandler.descriptor(SERVICE, "Quorum"),
                            CallOptions.DEFAULT.withDeadlineAfter(20L * i, TimeUnit.MICROSECONDS)),
                    request));
        }
        calls.forEach(LighthouseServerTest::failure);
        call(channel, "Heartbeat", heartbeat("c"), 10).get(); // the server has read all that came before it
        String json = http(server, "GET", "/status.json").body();
        assertFalse(json.contains("\"asks\":true"), json);
    }

    private static byte[] heartbeat(String id) {
        return LighthouseHeartbeatRequest.newBuilder().setReplicaId(id).build().toByteArray();
    }

    private <T> T open(Class<T> type) {
        return type.cast(open.stream().filter(type::isInstance).findFirst().orElseThrow());
    }

    /** Defect 7: after its shutdown, connections go on getting answers. */
    @Test
    void closingEndsOpenCalls() throws Exception {
        ServiceServer server = start(2);
        ManagedChannel channel = channel(server);
        var waiting = ask(channel, member("a"), 50);
        call(channel, "Heartbeat", heartbeat("b"), 10).get(); // the server has the call before it on this connection
        server.close();
        assertEquals(Status.Code.UNAVAILABLE, failure(waiting).getCode());
    }

    @Test
    void badCallsGetTypedErrors() throws Exception {
        ManagedChannel channel = channel(start(1));
        Status missing = failure(call(channel, "Quorum", new byte[0], 10));
        assertEquals(Status.Code.INVALID_ARGUMENT, missing.getCode());
        assertEquals("missing requester", missing.getDescription());
        assertEquals(
                Status.Code.INTERNAL,
                failure(call(channel, "Quorum", new byte[] {10, 99, 1}, 10)).getCode());
        assertEquals(
                Status.Code.INVALID_ARGUMENT,
                failure(call(channel, "Heartbeat", new byte[0], 10)).getCode());
        assertEquals(
                Status.Code.UNIMPLEMENTED,
                failure(call(channel, "Unknown", new byte[0], 10)).getCode());
        var large = member("x".repeat(2 * 1024 * 1024));
        assertEquals(
                Status.Code.RESOURCE_EXHAUSTED, failure(ask(channel, large, 10)).getCode());
        var zipped = ClientCalls.futureUnaryCall(
                channel.newCall(
                        UnaryHandler.descriptor(SERVICE, "Heartbeat"), CallOptions.DEFAULT.withCompression("gzip")),
                new byte[0]);
        assertEquals(Status.Code.UNIMPLEMENTED, failure(zipped).getCode());
        assertTrue(quorum(ask(channel, member("a"), 10)).getQuorumId() > 0); // and it still answers
    }

    @Test
    void browsersSeeThePageOnTheSamePort() throws Exception {
        ServiceServer server = start(1);
        long id = quorum(ask(channel(server), member("<b>&"), 10)).getQuorumId();
        HttpResponse<String> page = http(server, "GET", "/");
        assertEquals(200, page.statusCode());
        assertTrue(page.body().contains("<td>&lt;b&gt;&amp;</td>"), page.body());
        assertTrue(http(server, "GET", "/status").body().startsWith("<p>Quorum " + id + ", 1 members."));
        String json = http(server, "GET", "/status.json").body();
        assertTrue(json.contains("\"quorum_id\":" + id) && json.contains("\"in_quorum\":true"), json);
        assertEquals(404, http(server, "GET", "/elsewhere").statusCode());
        assertEquals(405, http(server, "PUT", "/").statusCode());
    }

    /** Defect 9: whoever reaches the page can end a trainer. */
    @Test
    void nobodyEndsAReplica() throws Exception {
        assertEquals(403, http(start(1), "POST", "/replica/a/kill").statusCode());
    }

    /** In a program: one lighthouse of a home at a time, which goes on where the one before it ended. */
    @Test
    void aProgramHasALighthouseOfItsHome() throws Exception {
        HearthHome home = HearthHome.open(folder);
        var settings = new LighthouseSettings(1, 60 * SECOND, 5 * SECOND);
        long number;
        try (var lighthouse = LighthouseServer.start(home, settings, 0);
                LighthouseClient client = LighthouseClient.to(lighthouse.address())) {
            number = client.quorum(QuorumRequest.of("a", 1), Duration.ofSeconds(20))
                    .id();
            assertThrows(SetupException.class, () -> LighthouseServer.start(home, settings, 0));
        }
        try (var lighthouse = LighthouseServer.start(home, settings, 0);
                LighthouseClient client = LighthouseClient.to(lighthouse.address())) {
            assertEquals(
                    number,
                    client.quorum(QuorumRequest.of("a", 1), Duration.ofSeconds(20))
                            .id());
        }
    }
}
