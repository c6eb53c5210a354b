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

/** What a caller says whose time is up, at a server whose first answers are refusals and which then gives none. */
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
                            if (calls.incrementAndGet() <= refusals) {
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

    private static ParameterServerException failure(InetSocketAddress server, Duration timeout) {
        try (var caller = new Caller(List.of(server), 0, () -> {}, timeout, Optional.empty())) {
            return assertThrows(
                    ParameterServerException.class,
                    () -> caller.begin("Get", Empty.getDefaultInstance(), Empty.parser())
                            .await());
        }
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
