package io.hearth.lighthouse.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.MessageLite;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.ServerServiceDefinition;
import io.grpc.Status;
import io.grpc.netty.NettyChannelBuilder;
import io.hearth.lighthouse.Quorum;
import io.hearth.lighthouse.QuorumMember;
import io.hearth.lighthouse.torchft.wire.LighthouseHeartbeatRequest;
import io.hearth.lighthouse.torchft.wire.LighthouseHeartbeatResponse;
import io.hearth.lighthouse.torchft.wire.LighthouseQuorumRequest;
import io.hearth.lighthouse.torchft.wire.LighthouseQuorumResponse;
import io.hearth.lighthouse.torchft.wire.Timestamp;
import io.hearth.serve.Failure;
import io.hearth.serve.grpc.PortPlace;
import io.hearth.serve.grpc.ServicePort;
import io.hearth.serve.grpc.UnaryHandler;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The client of a lighthouse with one that answers as the test says. */
@Timeout(60)
final class ClientsTest {
    private static final String SERVICE = "torchft.LighthouseService";
    private static final Duration LONG = Duration.ofSeconds(40);

    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
    private final CountDownLatch asked = new CountDownLatch(1);
    private final CountDownLatch gone = new CountDownLatch(1);
    private volatile Function<io.hearth.lighthouse.torchft.wire.QuorumMember, MessageLite> answer =
            _ -> LighthouseQuorumResponse.getDefaultInstance();
    private volatile boolean isSilent;
    private ServicePort port;

    @BeforeEach
    void open() throws Exception {
        var methods = ServerServiceDefinition.builder(SERVICE)
                .addMethod(UnaryHandler.method(
                        SERVICE, "Quorum", LighthouseQuorumRequest.parser(), timer, (request, _, call) -> {
                            asked.countDown();
                            if (!isSilent) {
                                call.answer(answer.apply(request.getRequester()));
                            }
                            return gone::countDown;
                        }))
                .addMethod(UnaryHandler.method(
                        SERVICE, "Heartbeat", LighthouseHeartbeatRequest.parser(), timer, (request, _, call) -> {
                            if (request.getReplicaId().isEmpty()) {
                                call.fail(new Failure(Failure.Code.INVALID_ARGUMENT, "no id"));
                            }
                            call.answer(LighthouseHeartbeatResponse.getDefaultInstance());
                            return () -> {};
                        }))
                .build();
        port = ServicePort.open(
                PortPlace.loopback(0),
                List.of(methods),
                ServicePort.MESSAGE_BYTES_DEFAULT,
                (_, _) -> new ServicePort.Page(404, "text/plain", "").now());
    }

    @AfterEach
    void close() {
        port.close();
        timer.shutdownNow();
    }

    private String address() {
        return "http://127.0.0.1:" + port.port();
    }

    private static Failure failure(LighthouseClient client) {
        return assertThrows(CallFailedException.class, () -> client.quorum(QuorumRequest.of("a", 1), LONG))
                .failure();
    }

    private static io.hearth.lighthouse.torchft.wire.QuorumMember member(String id, long step) {
        return io.hearth.lighthouse.torchft.wire.QuorumMember.newBuilder()
                .setReplicaId(id)
                .setStep(step)
                .build();
    }

    private void answerWith(io.hearth.lighthouse.torchft.wire.QuorumMember... others) {
        answer = asking -> LighthouseQuorumResponse.newBuilder()
                .setQuorum(io.hearth.lighthouse.torchft.wire.Quorum.newBuilder()
                        .setQuorumId(7)
                        .addAllParticipants(List.of(others))
                        .addParticipants(asking)
                        .setCreated(Timestamp.newBuilder().setSeconds(3).setNanos(4_000_000)))
                .build();
    }

    @Test
    void aQuorumSaysAllOfItsMembers() throws Exception {
        answerWith(member("\uD83D\uDD25", 2), member("\uFF5E", 1)); // torchft's order is that of UTF-8
        var request = new QuorumRequest("b", "http://b", "store", 5, 2, true, 1, "{\"a\":1}", List.of("x", ""));
        try (LighthouseClient client = LighthouseClient.to(address())) {
            Quorum quorum = client.quorum(request, LONG);
            assertEquals(7, quorum.id());
            assertEquals(3_004, quorum.createdMillis());
            assertEquals(
                    List.of("b", "\uFF5E", "\uD83D\uDD25"),
                    quorum.members().stream().map(QuorumMember::replicaId).toList());
            QuorumMember own = quorum.members().getFirst();
            assertEquals(
                    request,
                    new QuorumRequest(
                            own.replicaId(),
                            own.address(),
                            own.storeAddress(),
                            own.step(),
                            own.worldSize(),
                            own.shrinkOnly(),
                            own.commitFailures(),
                            own.data(),
                            own.reconfigureHandles()));
            client.heartbeat("b", LONG);
        }
    }

    @Test
    void answersThatCannotBeUsedAreErrors() {
        try (LighthouseClient client = LighthouseClient.to(address())) {
            Failure empty = failure(client);
            assertEquals(Failure.Code.INTERNAL, empty.code());
            assertTrue(empty.text().contains("it has no quorum"), empty.text());
            answerWith(member("b", -1));
            assertTrue(failure(client).text().contains("at step -1"));
            answer = _ -> member("\u0001", 1); // other bytes than an answer's
            assertEquals(Failure.Code.INTERNAL, failure(client).code());
        }
    }

    @Test
    void aRefusalHasTheCodeAndTheTextOfTheServer() {
        try (LighthouseClient client = LighthouseClient.to(address())) {
            var refused = assertThrows(CallFailedException.class, () -> client.heartbeat("", LONG));
            assertFalse(CallTimedOutException.class.isInstance(refused));
            assertEquals(
                    new Failure(
                            Failure.Code.INVALID_ARGUMENT,
                            "the lighthouse at " + address() + " refused Heartbeat: no id"),
                    refused.failure());
        }
    }

    @Test
    void timeIsUpWithATypeOfItsOwn() throws Exception {
        isSilent = true;
        try (LighthouseClient client = LighthouseClient.to(address())) {
            var late = assertThrows(
                    CallTimedOutException.class, () -> client.quorum(QuorumRequest.of("a", 1), Duration.ofMillis(200)));
            assertTrue(
                    late.failure().text().contains("within 200 ms"),
                    late.failure().text());
            assertThrows(IllegalArgumentException.class, () -> client.heartbeat("a", Duration.ZERO));
        }
        gone.await();
    }

    /** torchft's servers end a call at its deadline in a way that gRPC for Java takes for a broken proxy. */
    @Test
    void aTimeoutOfTonicIsOne() {
        LighthouseClient client = LighthouseClient.over(new Channel() {
            @Override
            public <Q, A> ClientCall<Q, A> newCall(MethodDescriptor<Q, A> method, CallOptions options) {
                return new NoopClientCall<>() {
                    @Override
                    public void start(Listener<A> listener, Metadata headers) {
                        listener.onClose(
                                Status.UNKNOWN.withDescription("HTTP status code 200\nmissing content-type in response"
                                        + " headers\ntrailers: Metadata(:status=200,grpc-status=1,"
                                        + "grpc-message=Timeout%20expired,date=Fri, 27 Nov 2026 14:01:52 GMT)"),
                                new Metadata());
                    }
                };
            }

            @Override
            public String authority() {
                return "test";
            }
        });
        var late = assertThrows(CallTimedOutException.class, () -> client.quorum(QuorumRequest.of("a", 1), LONG));
        assertEquals(Failure.Code.DEADLINE_EXCEEDED, late.failure().code());
        assertFalse(late.failure().text().contains("\n"), late.failure().text());
    }

    private static class NoopClientCall<Q, A> extends ClientCall<Q, A> {
        @Override
        public void start(Listener<A> listener, Metadata headers) {}

        @Override
        public void request(int messages) {}

        @Override
        public void cancel(@Nullable String message, @Nullable Throwable cause) {}

        @Override
        public void halfClose() {}

        @Override
        public void sendMessage(Q message) {}
    }

    @Test
    void anInterruptEndsTheCall() throws Exception {
        isSilent = true;
        try (LighthouseClient client = LighthouseClient.to(address());
                var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var waiting = threads.submit(() -> client.quorum(QuorumRequest.of("a", 1), LONG));
            asked.await();
            waiting.cancel(true);
            gone.await();
        }
    }

    @Test
    void aServerThatIsNotThereIsUnavailable() throws Exception {
        String address = address();
        try (LighthouseClient client = LighthouseClient.to(address)) {
            client.heartbeat("a", LONG);
            port.close();
            Failure why = failure(client);
            assertEquals(Failure.Code.UNAVAILABLE, why.code());
            assertTrue(why.text().startsWith("the lighthouse at " + address + " is not available ("), why.text());
            client.reconnect();
            assertEquals(Failure.Code.UNAVAILABLE, failure(client).code());
        }
    }

    @Test
    void aChannelThatWasGivenStaysOpen() throws Exception {
        ManagedChannel channel = NettyChannelBuilder.forAddress("127.0.0.1", port.port())
                .usePlaintext()
                .build();
        try {
            LighthouseClient client = LighthouseClient.over(channel);
            client.heartbeat("a", LONG);
            client.reconnect();
            client.close();
            client.heartbeat("a", LONG);
        } finally {
            channel.shutdownNow();
        }
    }

    @Test
    void badArgumentsAreRefusedBeforeACall() {
        for (String address : List.of("127.0.0.1:80", "https://a:1", "http://a", "http://a:99999", "a b", "")) {
            assertThrows(IllegalArgumentException.class, () -> ManagerClient.to(address), address);
        }
        assertThrows(IllegalArgumentException.class, () -> QuorumRequest.of("", 1));
        assertThrows(IllegalArgumentException.class, () -> QuorumRequest.of("a", -1));
    }
}
