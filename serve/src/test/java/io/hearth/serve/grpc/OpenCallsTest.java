package io.hearth.serve.grpc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.common.util.concurrent.ListenableFuture;
import com.google.protobuf.ByteString;
import com.google.protobuf.BytesValue;
import com.google.protobuf.Int32Value;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.ServerServiceDefinition;
import io.grpc.Status;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.ClientCalls;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledExecutorService;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A port on loopback whose bounds are small. */
@Timeout(60)
final class OpenCallsTest {
    private static final String SERVICE = "test.Bytes";
    private static final int CALLS_MAX = 3;
    private static final int CONNECTIONS_MAX = 2;
    private static final int BYTES_MAX = 3 * 1024 * 1024;
    private static final int LARGE = 2 * 1024 * 1024;

    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
    private final OpenCalls bounds = new OpenCalls(CALLS_MAX, BYTES_MAX);
    private final BlockingQueue<UnaryCall> waiting = new LinkedBlockingQueue<>();
    private final ServicePort port;
    private final ManagedChannel channel;

    OpenCallsTest() throws Exception {
        var methods = ServerServiceDefinition.builder(SERVICE)
                .addMethod(UnaryHandler.method(
                        SERVICE, "Get", Int32Value.parser(), timer, (request, remaining, call) -> {
                            call.answer(BytesValue.of(ByteString.copyFrom(new byte[request.getValue()])));
                            return () -> {};
                        }))
                .addMethod(
                        UnaryHandler.method(SERVICE, "Wait", Int32Value.parser(), timer, (request, remaining, call) -> {
                            waiting.add(call);
                            return () -> {};
                        }))
                .build();
        var loopback = PortPlace.loopback(0);
        port = ServicePort.open(
                loopback,
                List.of(methods),
                ServicePort.MESSAGE_BYTES_DEFAULT,
                (_, _) -> new ServicePort.Page(404, "text/plain", "").now(),
                new ServicePort.Bounds(bounds, CONNECTIONS_MAX, Duration.ofMinutes(1)));
        channel = NettyChannelBuilder.forAddress(
                        new InetSocketAddress(loopback.address().getAddress(), port.port()))
                .usePlaintext()
                .flowControlWindow(64 * 1024)
                .build();
    }

    @AfterEach
    void close() {
        channel.shutdownNow();
        port.close();
        timer.shutdownNow();
    }

    private ClientCall<byte[], byte[]> call(String method) {
        return channel.newCall(UnaryHandler.descriptor(SERVICE, method), CallOptions.DEFAULT);
    }

    private ListenableFuture<byte[]> ask(String method, int value) {
        return ClientCalls.futureUnaryCall(call(method), Int32Value.of(value).toByteArray());
    }

    private static Status failure(ListenableFuture<byte[]> answer) {
        return Status.fromThrowable(assertThrows(ExecutionException.class, answer::get));
    }

    /** A caller that asks and does not read. */
    private ClientCall<byte[], byte[]> askAndStop(int bytes) {
        ClientCall<byte[], byte[]> call = call("Get");
        call.start(new ClientCall.Listener<>() {}, new Metadata());
        call.sendMessage(Int32Value.of(bytes).toByteArray());
        call.halfClose();
        return call;
    }

    private void awaitNothingOpen() {
        while (bounds.calls() > 0 || bounds.bytes() > 0) {
            Thread.onSpinWait();
        }
    }

    private void awaitUnread(long bytes) {
        while (bounds.bytes() < bytes) {
            Thread.onSpinWait();
        }
    }

    @Test
    void callsThatAreOpenAreBounded() throws Exception {
        for (int i = 0; i < CALLS_MAX; i++) {
            var _ = ask("Wait", 0);
        }
        for (int i = 0; i < CALLS_MAX; i++) {
            waiting.take().answer(Int32Value.of(i));
        }
        awaitNothingOpen();
        List<ListenableFuture<byte[]>> open = List.of(ask("Wait", 0), ask("Wait", 0), ask("Wait", 0));
        Status refused = failure(ask("Get", 1));
        assertEquals(Status.Code.RESOURCE_EXHAUSTED, refused.getCode());
        assertTrue(
                String.valueOf(refused.getDescription()).startsWith("3 calls are open at this port already"),
                refused.toString());
        open.forEach(each -> each.cancel(true));
        awaitNothingOpen();
        assertNotNull(ask("Get", 1).get());
    }

    /** A connection too many is closed unread, and there is room again when one ends. */
    @Test
    void connectionsAreBounded() throws Exception {
        assertNotNull(ask("Get", 1).get()); // over the first connection
        try (Socket second = socket()) {
            try (Socket third = socket()) {
                assertEquals(-1, third.getInputStream().read());
            }
            assertFalse(second.isClosed());
            assertNotNull(ask("Get", 1).get());
        }
        while (true) { // until the port has seen the end of the second one
            try (Socket next = socket()) {
                next.getOutputStream().write("GET / HTTP/1.1\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
                if (next.getInputStream().read() == 'H') {
                    return;
                }
            } catch (SocketException closed) {
                // it came too early
            }
        }
    }

    private Socket socket() throws IOException {
        return new Socket(InetAddress.getLoopbackAddress(), port.port());
    }

    /** One that does not read blocks no memory beyond the bound, and others only until it leaves. */
    @Test
    void answersThatNobodyReadsAreBounded() throws Exception {
        ClientCall<byte[], byte[]> idle = askAndStop(LARGE);
        awaitUnread(LARGE);
        Status refused = failure(ask("Get", LARGE));
        assertEquals(Status.Code.RESOURCE_EXHAUSTED, refused.getCode());
        assertTrue(String.valueOf(refused.getDescription()).contains("bytes of answers"), refused.toString());
        assertNotNull(ask("Get", 1000).get()); // a small one fits
        idle.cancel("it leaves", null);
        awaitNothingOpen();
        assertNotNull(ask("Get", 3 * BYTES_MAX / 4).get());
        awaitNothingOpen();
    }
}
