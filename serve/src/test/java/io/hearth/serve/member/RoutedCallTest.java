package io.hearth.serve.member;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.grpc.Attributes;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ClientStreamTracer;
import io.grpc.Context;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.Status;
import io.hearth.identity.NodeId;
import io.hearth.identity.NodeIdentity;
import io.hearth.serve.grpc.UnaryHandler;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** One routed call, with a caller, a service and connections that do what the test says. */
@Timeout(30)
final class RoutedCallTest {
    private static final MethodDescriptor<byte[], byte[]> METHOD = UnaryHandler.descriptor("test.Service", "Call");
    private static final byte[] REQUEST = {1};
    private static final byte[] ANSWER = {2};

    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();

    @AfterEach
    void close() {
        timer.shutdownNow();
    }

    /** What the caller gets. */
    private static final class Caller extends ServerCall<byte[], byte[]> {
        private final List<byte[]> answers = new ArrayList<>();
        private final CompletableFuture<Status> end = new CompletableFuture<>();

        @Override
        public void request(int messages) {}

        @Override
        public void sendHeaders(Metadata headers) {}

        @Override
        public void sendMessage(byte[] message) {
            answers.add(message);
        }

        @Override
        public void close(Status status, Metadata trailers) {
            assertTrue(end.complete(status), "closed twice");
        }

        @Override
        public boolean isCancelled() {
            return false;
        }

        @Override
        public Attributes getAttributes() {
            return Attributes.EMPTY;
        }

        @Override
        public MethodDescriptor<byte[], byte[]> getMethodDescriptor() {
            return METHOD;
        }

        private void assertAnswered() throws Exception {
            assertEquals(Status.Code.OK, end.get().getCode());
            assertEquals(1, answers.size());
            assertArrayEquals(ANSWER, answers.getFirst());
        }
    }

    /** A service of this node that hands each call to the test. */
    private static final class Service implements ServerCallHandler<byte[], byte[]> {
        private final BlockingQueue<String> heard = new LinkedBlockingQueue<>();
        private final Queue<Consumer<ServerCall<byte[], byte[]>>> handlers = new ArrayDeque<>();

        @Override
        public ServerCall.Listener<byte[]> startCall(ServerCall<byte[], byte[]> call, Metadata headers) {
            return new ServerCall.Listener<>() {
                @Override
                public void onHalfClose() {
                    handlers.remove().accept(call);
                }

                @Override
                public void onCancel() {
                    heard.add("cancel");
                }

                @Override
                public void onComplete() {
                    heard.add("complete");
                }
            };
        }
    }

    /** A connection whose calls the test ends. */
    private static final class Connection extends ManagedChannel {
        private final Queue<Consumer<ClientCall.Listener<byte[]>>> handlers = new ArrayDeque<>();
        private final BlockingQueue<String> heard = new LinkedBlockingQueue<>();
        private boolean isMade = true;

        @Override
        @SuppressWarnings("unchecked") // the calls of services are bytes
        public <Q, A> ClientCall<Q, A> newCall(MethodDescriptor<Q, A> method, CallOptions options) {
            return (ClientCall<Q, A>) new ClientCall<byte[], byte[]>() {
                private ClientCall.@Nullable Listener<byte[]> listener;

                @Override
                public void start(ClientCall.Listener<byte[]> of, Metadata headers) {
                    assertTrue(headers.containsKey(RoutedHandler.FORWARDED));
                    listener = of;
                }

                @Override
                public void request(int messages) {}

                @Override
                public void cancel(@Nullable String message, @Nullable Throwable cause) {
                    assertTrue(listener != null, "cancelled before it began");
                    heard.add("cancel");
                }

                @Override
                public void halfClose() {
                    if (isMade) {
                        options.getStreamTracerFactories()
                                .forEach(factory -> factory.newClientStreamTracer(
                                                ClientStreamTracer.StreamInfo.newBuilder()
                                                        .build(),
                                                new Metadata())
                                        .outboundHeaders());
                    }
                    handlers.remove().accept(Objects.requireNonNull(listener));
                }

                @Override
                public void sendMessage(byte[] message) {
                    assertArrayEquals(REQUEST, message);
                }
            };
        }

        @Override
        public String authority() {
            return "test";
        }

        @Override
        public ManagedChannel shutdown() {
            return this;
        }

        @Override
        public ManagedChannel shutdownNow() {
            return this;
        }

        @Override
        public boolean isShutdown() {
            return false;
        }

        @Override
        public boolean isTerminated() {
            return false;
        }

        @Override
        public boolean awaitTermination(long timeout, TimeUnit unit) {
            return false;
        }
    }

    private final class To implements Router {
        private final NodeId other = new NodeId(NodeIdentity.generate().peer(), "agent");
        private volatile Optional<Connection> way = Optional.empty();
        private volatile boolean isHere;
        private volatile boolean mayRepeat = true;
        private volatile boolean isAnsweredAnywhere;

        @Override
        public Optional<NodeId> answering() {
            return isHere || way.isPresent() ? Optional.of(other) : Optional.empty();
        }

        @Override
        public boolean isHere() {
            return isHere;
        }

        @Override
        public Optional<ManagedChannel> to(NodeId member) {
            return way.map(connection -> connection);
        }

        @Override
        public String vacancy() {
            return "nobody";
        }

        @Override
        public boolean mayRepeat(String method) {
            return mayRepeat;
        }

        @Override
        public boolean isAnsweredAnywhere(String method) {
            return isAnsweredAnywhere;
        }

        @Override
        public byte[] marked(String method, byte[] request) {
            return request;
        }

        @Override
        public ScheduledExecutorService timer() {
            return timer;
        }
    }

    private final Caller caller = new Caller();
    private final Service service = new Service();
    private final Connection connection = new Connection();
    private final To router = new To();

    private RoutedCall call() {
        var routed = new RoutedCall(caller, service, router);
        routed.onMessage(REQUEST);
        return routed;
    }

    private static void answer(ServerCall<byte[], byte[]> call) {
        call.sendHeaders(new Metadata());
        call.sendMessage(ANSWER);
        call.close(Status.OK, new Metadata());
    }

    private static void lose(ServerCall<byte[], byte[]> call) {
        call.close(Status.UNAVAILABLE.withDescription("deposed"), new Metadata());
    }

    private static void answer(ClientCall.Listener<byte[]> call) {
        call.onMessage(ANSWER);
        call.onClose(Status.OK, new Metadata());
    }

    /** Runs it on another thread, to its end. */
    private static void elsewhere(Runnable work) {
        CompletableFuture.runAsync(work, task -> Thread.ofVirtual().start(task)).join();
    }

    /** A service may be answering on one thread, with its own lock, while another one hands it the call. */
    @Test
    void aServiceMayAnswerOnAnotherThreadBeforeItReturns() throws Exception {
        router.isHere = true;
        service.handlers.add(call -> elsewhere(() -> answer(call)));
        call().onHalfClose();
        caller.assertAnswered();
    }

    @Test
    void aMethodThatAnyMemberAnswersGoesNowhereElse() throws Exception {
        router.isAnsweredAnywhere = true;
        service.handlers.add(RoutedCallTest::answer);
        call().onHalfClose();
        caller.assertAnswered();
    }

    @Test
    void aCallerMayLeaveWhileItsCallBegins() throws Exception {
        router.isHere = true;
        RoutedCall routed = call();
        service.handlers.add(_ -> elsewhere(routed::onCancel));
        routed.onHalfClose();
        assertEquals("cancel", service.heard.take());
    }

    @Test
    void aCallerThatLeavesEndsTheCallAtTheOtherMember() throws Exception {
        router.way = Optional.of(connection);
        RoutedCall routed = call();
        connection.handlers.add(_ -> elsewhere(routed::onCancel));
        routed.onHalfClose();
        assertEquals("cancel", connection.heard.take());
    }

    @Test
    void anAnswerWhoseConnectionBrokeBehindItCountsForNothing() throws Exception {
        router.way = Optional.of(connection);
        connection.handlers.add(first -> {
            first.onMessage(new byte[] {9});
            first.onClose(Status.UNAVAILABLE, new Metadata());
        });
        connection.handlers.add(RoutedCallTest::answer);
        call().onHalfClose();
        caller.assertAnswered();
    }

    /** Netty tells of a write to a closed connection as UNKNOWN; a Rust manager of torchft gives up its step then, and waits a minute. */
    @ParameterizedTest
    @EnumSource(
            value = Status.Code.class,
            names = {"UNAVAILABLE", "UNKNOWN", "INTERNAL", "CANCELLED", "UNAUTHENTICATED"})
    void aConnectionMayBreakInAnyWay(Status.Code code) throws Exception {
        router.way = Optional.of(connection);
        connection.handlers.add(
                first -> first.onClose(code.toStatus().withDescription("channel closed"), new Metadata()));
        connection.handlers.add(RoutedCallTest::answer);
        call().onHalfClose();
        caller.assertAnswered();
    }

    @Test
    void whatTheServiceItselfSaysIsTold() throws Exception {
        router.way = Optional.of(connection);
        var answered = new Metadata();
        answered.put(RoutedHandler.ANSWERED, "1");
        connection.handlers.add(only -> only.onClose(Status.INTERNAL.withDescription("malformed"), answered));
        call().onHalfClose();
        assertEquals("malformed", caller.end.get().getDescription());
        assertEquals(Status.Code.INTERNAL, caller.end.get().getCode());
    }

    @Test
    void aServiceHearsOfTheEndOfEachTryBeforeTheNextOne() throws Exception {
        router.isHere = true;
        service.handlers.add(RoutedCallTest::lose);
        service.handlers.add(call -> {
            assertEquals("complete", service.heard.poll());
            answer(call);
        });
        RoutedCall routed = call();
        routed.onHalfClose();
        caller.assertAnswered();
        routed.onComplete();
        assertEquals("complete", service.heard.take());
    }

    @Test
    void aCallThatMayHaveHadItsEffectIsNotRepeatedUnlessTheServiceSaysSo() throws Exception {
        router.way = Optional.of(connection);
        router.mayRepeat = false;
        connection.handlers.add(first -> first.onClose(Status.UNAVAILABLE, RoutedHandler.notTaken()));
        connection.handlers.add(second -> second.onClose(Status.UNAVAILABLE, new Metadata()));
        call().onHalfClose();
        assertEquals(Status.Code.UNAVAILABLE, caller.end.get().getCode());
        assertEquals(0, connection.handlers.size());
    }

    /** A machine that is gone refuses the connection, or gRPC waits to try it again. */
    @Test
    void aCallThatNoConnectionTookIsMadeAgain() throws Exception {
        router.way = Optional.of(connection);
        router.mayRepeat = false;
        connection.isMade = false;
        connection.handlers.add(first -> {
            connection.isMade = true;
            first.onClose(Status.UNAVAILABLE.withDescription("connection refused"), new Metadata());
        });
        connection.handlers.add(RoutedCallTest::answer);
        call().onHalfClose();
        caller.assertAnswered();
    }

    @Test
    void aCallWithoutAnAnsweringMemberEndsWithTheReasonBeforeItsTimeIsUp() throws Exception {
        var context = Context.current().withDeadlineAfter(300, TimeUnit.MILLISECONDS, timer);
        context.run(() -> call().onHalfClose());
        assertEquals(Status.Code.UNAVAILABLE, caller.end.get().getCode());
        assertEquals("nobody", caller.end.get().getDescription());
        assertTrue(!context.isCancelled(), "the caller's own time is not up yet");
        context.cancel(null);
    }

    @Test
    void aCallOfANodeThatEndsIsTold() throws Exception {
        timer.shutdownNow();
        call().onHalfClose();
        assertEquals(Status.Code.UNAVAILABLE, caller.end.get().getCode());
    }
}
