package io.hearth.lighthouse.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.ClientCalls;
import io.hearth.core.SetupException;
import io.hearth.identity.NodeId;
import io.hearth.identity.PeerId;
import io.hearth.lighthouse.LighthouseSettings;
import io.hearth.lighthouse.QuorumResult;
import io.hearth.lighthouse.client.CallFailedException;
import io.hearth.lighthouse.client.CallTimedOutException;
import io.hearth.lighthouse.client.ManagerClient;
import io.hearth.lighthouse.torchft.wire.ManagerQuorumRequest;
import io.hearth.lighthouse.torchft.wire.ManagerQuorumResponse;
import io.hearth.serve.Failure;
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
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Managers and their lighthouse on loopback, and two ranks of each manager. */
@Timeout(60)
final class ManagerServerTest {
    private static final long SECOND = 1_000_000_000L;
    private static final Duration LONG = Duration.ofSeconds(40);
    private static final Duration VERY_LONG = Duration.ofMinutes(10);
    private static final Duration SHORT = Duration.ofMillis(400);

    private static final MethodDescriptor<byte[], byte[]> QUORUM =
            UnaryHandler.descriptor("torchft.ManagerService", "Quorum");

    @TempDir
    private Path folder;

    private final ExecutorService ranks = Executors.newVirtualThreadPerTaskExecutor();
    private final List<AutoCloseable> open = new ArrayList<>();
    private long incarnation;

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable each : open.reversed()) {
            each.close();
        }
        ranks.shutdownNow();
    }

    private <T extends AutoCloseable> T opened(T resource) {
        open.add(resource);
        return resource;
    }

    private ServiceServer lighthouse(int minReplicas, int port) throws SetupException {
        return opened(ServiceServer.start(
                Lighthouse.maker(new LighthouseSettings(minReplicas, 60 * SECOND, 5 * SECOND)),
                new ServiceReplica.Place(
                        new NodeId(PeerId.of(new byte[PeerId.KEY_BYTES]), "lighthouse"),
                        ++incarnation,
                        folder,
                        Optional.empty()),
                PortPlace.loopback(port)));
    }

    private static String address(ServiceServer lighthouse) {
        return "http://127.0.0.1:" + lighthouse.port();
    }

    private static ManagerServer.Builder builder(String id) {
        return ManagerServer.builder(id, 2).store("store-" + id).heartbeatEvery(Duration.ofMillis(20));
    }

    private ManagerServer manager(String id, ServiceServer lighthouse) throws SetupException {
        return opened(builder(id).start(address(lighthouse)));
    }

    private ManagerClient client(ManagerServer manager) {
        return opened(ManagerClient.to(manager.address()));
    }

    private ManagedChannel channel(ManagerServer manager) {
        ManagedChannel channel = NettyChannelBuilder.forAddress("127.0.0.1", manager.port())
                .usePlaintext()
                .build();
        open.add(channel::shutdownNow);
        return channel;
    }

    private Future<QuorumResult> ask(ManagerServer manager, long rank, long step, Duration timeout) {
        ManagerClient client = client(manager);
        return ranks.submit(() -> client.quorum(rank, step, "state-of-" + rank, false, true, 0, timeout));
    }

    private Future<Boolean> vote(ManagerServer manager, long rank, long step, boolean commits, Duration timeout) {
        ManagerClient client = client(manager);
        return ranks.submit(() -> client.shouldCommit(rank, step, commits, timeout));
    }

    private static CallFailedException failure(Future<?> answer) {
        var failed = assertThrows(ExecutionException.class, answer::get);
        return assertInstanceOf(CallFailedException.class, failed.getCause());
    }

    private static Failure.Code code(Future<?> answer) {
        return failure(answer).failure().code();
    }

    /** Reads the lighthouse's page until it is as expected. */
    private static void await(ServiceServer lighthouse, Predicate<String> status) throws Exception {
        try (HttpClient client = HttpClient.newHttpClient()) {
            var request = HttpRequest.newBuilder(URI.create(address(lighthouse) + "/status.json"))
                    .version(HttpClient.Version.HTTP_1_1)
                    .build();
            while (!status.test(
                    client.send(request, HttpResponse.BodyHandlers.ofString()).body())) {
                Thread.onSpinWait();
            }
        }
    }

    @Test
    void whoIsBehindTakesTheStateOfTheNewest() throws Exception {
        ServiceServer lighthouse = lighthouse(2, 0);
        ManagerServer a = manager("a", lighthouse);
        ManagerServer b = manager("b", lighthouse);
        var a0 = ask(a, 0, 3, LONG);
        var a1 = ask(a, 1, 3, LONG);
        var b0 = ask(b, 0, 7, LONG);
        var b1 = ask(b, 1, 7, LONG);
        long number = a0.get().quorumId();
        var behind = new QuorumResult(
                number,
                0,
                2,
                Optional.of(b.address()),
                OptionalInt.of(1),
                List.of(),
                "store-b",
                7,
                OptionalInt.empty(),
                1,
                0,
                List.of("a", "b"),
                List.of("", ""));
        var newest = new QuorumResult(
                number,
                1,
                2,
                Optional.empty(),
                OptionalInt.empty(),
                List.of(0),
                "store-b",
                7,
                OptionalInt.of(0),
                1,
                0,
                List.of("a", "b"),
                List.of("", ""));
        assertEquals(List.of(behind, behind, newest, newest), List.of(a0.get(), a1.get(), b0.get(), b1.get()));
        ManagerClient source = client(b);
        assertEquals("state-of-0", source.checkpointMetadata(0, LONG));
        assertEquals("state-of-1", source.checkpointMetadata(1, LONG));
        var unknown = assertThrows(CallFailedException.class, () -> source.checkpointMetadata(2, LONG));
        assertEquals(Failure.Code.INVALID_ARGUMENT, unknown.failure().code());
    }

    /** Fields that torchft's client reads, and the handles of its newest version. */
    @Test
    void theMessageSaysWhetherToHeal() throws Exception {
        ServiceServer lighthouse = lighthouse(2, 0);
        var answers = new ArrayList<Future<byte[]>>();
        for (String id : List.of("a", "b")) {
            var manager = opened(ManagerServer.builder(id, 1).start(address(lighthouse)));
            byte[] request = ManagerQuorumRequest.newBuilder()
                    .setStep(id.equals("a") ? 3 : 7)
                    .setCommitFailures(2)
                    .setReconfigureHandle("handle-" + id)
                    .build()
                    .toByteArray();
            var options = CallOptions.DEFAULT.withDeadlineAfter(LONG.toSeconds(), TimeUnit.SECONDS);
            answers.add(ClientCalls.futureUnaryCall(channel(manager).newCall(QUORUM, options), request));
        }
        var behind = ManagerQuorumResponse.parseFrom(answers.getFirst().get());
        var newest = ManagerQuorumResponse.parseFrom(answers.getLast().get());
        assertTrue(behind.getHeal() && behind.hasRecoverSrcReplicaRank() && !behind.hasMaxReplicaRank());
        assertFalse(newest.getHeal() || newest.hasRecoverSrcReplicaRank() || !newest.hasMaxReplicaRank());
        assertEquals(2, behind.getCommitFailures());
        assertEquals(List.of("handle-a", "handle-b"), behind.getReconfigureHandlesList());
    }

    @Test
    void atTheBeginningTheLoadOfRanksIsSpread() throws Exception {
        ServiceServer lighthouse = lighthouse(2, 0);
        ManagerServer a = manager("a", lighthouse);
        ManagerServer b = manager("b", lighthouse);
        var a0 = ask(a, 0, 0, LONG);
        var a1 = ask(a, 1, 0, LONG);
        var b0 = ask(b, 0, 0, LONG);
        var b1 = ask(b, 1, 0, LONG);
        assertEquals(List.of(1), a0.get().recoverTo());
        assertEquals(Optional.of(a.address()), b0.get().recoverFromAddress());
        assertEquals(Optional.of(b.address()), a1.get().recoverFromAddress());
        assertEquals(List.of(0), b1.get().recoverTo());
        assertEquals("store-a", b0.get().storeAddress());
        assertEquals("store-b", a1.get().storeAddress());
        assertEquals(OptionalInt.of(1), b1.get().maxReplicaRank());
    }

    @Test
    void aStepIsCommittedIfAllRanksCan() throws Exception {
        ManagerServer manager = manager("a", lighthouse(1, 0));
        var yes = vote(manager, 0, 4, true, LONG);
        assertTrue(vote(manager, 1, 4, true, LONG).get() && yes.get());
        var no = vote(manager, 0, 5, false, LONG);
        assertFalse(vote(manager, 1, 5, true, LONG).get() || no.get());
    }

    /** Defect 2 of the original: a vote counts after its caller gave up, and for any step. */
    @Test
    void aVoteWhoseCallerGaveUpIsWithdrawn() throws Exception {
        ManagerServer manager = manager("a", lighthouse(1, 0));
        assertInstanceOf(CallTimedOutException.class, failure(vote(manager, 0, 2, true, SHORT)));
        assertInstanceOf(CallTimedOutException.class, failure(vote(manager, 1, 2, true, SHORT)));
    }

    /** Defect 8: ranks wait until their time is up. */
    @Test
    void ranksHearAtOnceThatThereIsNoLighthouse() throws Exception {
        ServiceServer lighthouse = lighthouse(2, 0);
        ManagerServer manager = manager("a", lighthouse);
        var first = ask(manager, 0, 1, LONG);
        var second = ask(manager, 1, 1, LONG);
        await(lighthouse, status -> status.contains("\"asks\":true"));
        String address = address(lighthouse);
        lighthouse.close();
        assertEquals(Failure.Code.UNAVAILABLE, code(first)); // it went while they waited
        assertEquals(Failure.Code.UNAVAILABLE, code(second));
        var third = ask(manager, 0, 1, LONG);
        assertEquals(Failure.Code.UNAVAILABLE, code(ask(manager, 1, 1, LONG))); // it is not there
        String text = failure(third).failure().text();
        assertTrue(text.contains(address) && text.contains("see that it runs"), text);
    }

    @Test
    void aManagerFindsItsLighthouseAgain() throws Exception {
        ServiceServer lighthouse = lighthouse(1, 0);
        ManagerServer manager = opened(builder("a").retries(100).start(address(lighthouse)));
        await(lighthouse, status -> status.contains("\"replica_id\":\"a\"")); // by heartbeats alone
        var before = ask(manager, 0, 1, LONG);
        long number = ask(manager, 1, 1, LONG).get().quorumId();
        before.get();
        int port = lighthouse.port();
        lighthouse.close();
        var waits = ask(manager, 0, 1, LONG);
        var repeats = ask(manager, 1, 1, LONG);
        ServiceServer next = lighthouse(1, port);
        await(next, status -> status.contains("\"replica_id\":\"a\""));
        assertEquals(number, waits.get().quorumId()); // the same members
        assertEquals(number, repeats.get().quorumId());
    }

    /** Also if it is the one whose request began the round. */
    @Test
    void aRankThatLeavesEndsNoCallOfTheOthers() throws Exception {
        ServiceServer lighthouse = lighthouse(2, 0);
        ManagerServer a = manager("a", lighthouse);
        ManagerServer b = manager("b", lighthouse);
        ManagedChannel channel = channel(a); // one connection keeps the order
        var calls = new ArrayList<Future<byte[]>>();
        for (int rank = 0; rank < 2; rank++) {
            byte[] request =
                    ManagerQuorumRequest.newBuilder().setGroupRank(rank).build().toByteArray();
            var options = CallOptions.DEFAULT.withDeadlineAfter(LONG.toSeconds(), TimeUnit.SECONDS);
            calls.add(ClientCalls.futureUnaryCall(channel.newCall(QUORUM, options), request));
        }
        await(lighthouse, status -> status.contains("\"asks\":true"));
        calls.getLast().cancel(true);
        assertEquals("", ManagerClient.over(channel).checkpointMetadata(0, LONG)); // it knows by now
        var others = ask(b, 0, 1, LONG);
        ask(b, 1, 1, LONG).get();
        assertEquals(List.of("a", "b"), others.get().replicaIds());
        assertEquals(
                others.get().quorumId(),
                ManagerQuorumResponse.parseFrom(calls.getFirst().get()).getQuorumId());
    }

    @Test
    void nobodyIsLeftBehindAtTheLighthouse() throws Exception {
        ServiceServer lighthouse = lighthouse(2, 0);
        ManagerServer manager = manager("a", lighthouse);
        var alone = ask(manager, 0, 1, SHORT); // the other rank is missing
        assertInstanceOf(CallTimedOutException.class, failure(alone));
        var first = ask(manager, 0, 1, VERY_LONG);
        var second = ask(manager, 1, 1, VERY_LONG); // the other group is missing
        await(lighthouse, status -> status.contains("\"asks\":true"));
        open.removeLast().close();
        open.removeLast().close(); // both give up
        assertEquals(Failure.Code.UNAVAILABLE, code(first));
        assertEquals(Failure.Code.UNAVAILABLE, code(second));
        await(lighthouse, status -> !status.contains("\"asks\":true"));
    }

    /** Defect 10: they wait in vain. */
    @Test
    void ranksAndStepsOutOfRangeAreRefused() throws Exception {
        ManagerServer manager = manager("a", lighthouse(1, 0));
        assertEquals(Failure.Code.INVALID_ARGUMENT, code(ask(manager, 5, 1, LONG)));
        assertEquals(Failure.Code.INVALID_ARGUMENT, code(ask(manager, 0, -1, LONG)));
        assertEquals(Failure.Code.INVALID_ARGUMENT, code(vote(manager, -1, 1, true, LONG)));
    }

    @Test
    void aCallForAQuorumHasADeadline() throws Exception {
        ManagerServer manager = manager("a", lighthouse(1, 0));
        ManagedChannel channel = channel(manager);
        var refused = assertThrows(
                StatusRuntimeException.class,
                () -> ClientCalls.blockingUnaryCall(channel, QUORUM, CallOptions.DEFAULT, new byte[0]));
        assertEquals(Status.Code.INVALID_ARGUMENT, refused.getStatus().getCode());
    }

    /** Defect 9: whoever reaches the port ends the process. */
    @Test
    void nobodyEndsAManagerUnlessItAllowsThat() throws Exception {
        ServiceServer lighthouse = lighthouse(1, 0);
        ManagerClient refusing = client(manager("a", lighthouse));
        var refused = assertThrows(CallFailedException.class, () -> refusing.kill("go"));
        assertEquals(Failure.Code.PERMISSION_DENIED, refused.failure().code());
        BlockingQueue<String> messages = new ArrayBlockingQueue<>(2);
        var allowing = opened(builder("b").onKill(messages::add).start(address(lighthouse)));
        client(allowing).kill("go");
        assertEquals("go", messages.take());
        var broken = opened(builder("c")
                .onKill(_ -> {
                    throw new IllegalStateException("not now");
                })
                .start(address(lighthouse)));
        var failed =
                assertThrows(CallFailedException.class, () -> client(broken).kill("go"));
        assertEquals(Failure.Code.INTERNAL, failed.failure().code());
    }

    @Test
    void aBadStartSaysWhatToDo() throws Exception {
        ManagerServer manager = manager("a", lighthouse(1, 0));
        var taken = new InetSocketAddress(InetAddress.getLoopbackAddress(), manager.port());
        assertThrows(SetupException.class, () -> builder("b").listen(taken).start("http://127.0.0.1:1"));
        var everywhere = new InetSocketAddress("0.0.0.0", 0);
        assertThrows(
                IllegalArgumentException.class,
                () -> builder("b").listenUnencrypted(everywhere).start("http://127.0.0.1:1"));
        var seen = assertThrows(
                IllegalArgumentException.class,
                () -> builder("b").host("b").listen(everywhere).start("http://127.0.0.1:1"));
        assertTrue(String.valueOf(seen.getMessage()).contains("listenUnencrypted"), seen.toString());
        opened(builder("b").host("b").listenUnencrypted(everywhere).start("http://127.0.0.1:1"));
        assertThrows(IllegalArgumentException.class, () -> ManagerServer.builder("", 1));
    }
}
