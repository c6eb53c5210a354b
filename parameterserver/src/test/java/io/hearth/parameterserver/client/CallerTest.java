package io.hearth.parameterserver.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.google.protobuf.Empty;
import io.grpc.Server;
import io.grpc.ServerServiceDefinition;
import io.grpc.Status;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.ServerCalls;
import io.hearth.serve.grpc.UnaryHandler;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The error of a call whose time is up. The server answers one call, refuses some, and never answers the others. */
@Timeout(60)
final class CallerTest {
    private static final String SERVICE = "hearth.parameterserver.ParameterServer";

    private Optional<Server> open = Optional.empty();

    @AfterEach
    void close() {
        open.ifPresent(Server::shutdownNow);
    }

    private InetSocketAddress server(int refusals) throws Exception {
        var calls = new AtomicInteger();
        Server server = NettyServerBuilder.forAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .addService(ServerServiceDefinition.builder(SERVICE)
                        .addMethod(UnaryHandler.descriptor(SERVICE, "Get"), ServerCalls.asyncUnaryCall((_, answer) -> {
                            int before = calls.getAndIncrement();
                            if (before == 0) {
                                answer.onNext(new byte[0]);
                                answer.onCompleted();
                            } else if (before <= refusals) {
                                answer.onError(Status.UNAVAILABLE
                                        .withDescription("not yet")
                                        .asException());
                            }
                        }))
                        .build())
                .build()
                .start();
        open = Optional.of(server);
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), server.getPort());
    }

    private static ParameterServerException failure(InetSocketAddress server, Duration timeout) throws Exception {
        try (var caller = new Caller(List.of(server), 0, () -> {}, timeout, Optional.empty())) {
            call(caller); // connects and loads classes, which can take longer than the rest
            return assertThrows(ParameterServerException.class, () -> call(caller));
        }
    }

    private static void call(Caller caller) throws Exception {
        var _ = caller.begin("Get", Empty.getDefaultInstance(), Empty.parser()).await();
    }

    @Test
    void aCallThatWaitedIsLateWhateverCameBefore() throws Exception {
        var late = failure(server(1), Duration.ofSeconds(3));
        assertEquals(Status.Code.DEADLINE_EXCEEDED, late.code(), late.toString());
        assertEquals("no answer within 3000 ms", late.getMessage());
    }

    @Test
    void aCallThatWasRefusedAllTheTimeSaysWhy() throws Exception {
        var refused = failure(server(Integer.MAX_VALUE), Duration.ofSeconds(1));
        assertEquals(Status.Code.UNAVAILABLE, refused.code(), refused.toString());
        assertEquals("not yet", refused.getMessage());
    }
}
