package io.hearth.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.SocketChannel;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

final class StreamListenerTest {
    /** One that waits in a virtual thread makes the socket non-blocking for good. */
    @Test
    void connectionsAreGreetedByPlatformThreads() throws Exception {
        var isVirtual = new CompletableFuture<Boolean>();
        try (var timer = Executors.newSingleThreadScheduledExecutor();
                var server = StreamListener.bind(InetAddress.getLoopbackAddress());
                var _ = new StreamListener(
                        server,
                        _ -> true,
                        channel -> {
                            isVirtual.complete(Thread.currentThread().isVirtual());
                            channel.close();
                        },
                        new Tally(),
                        new Deadlines(timer),
                        TimeUnit.SECONDS.toNanos(60),
                        4,
                        _ -> {})) {
            var address = new InetSocketAddress(
                    InetAddress.getLoopbackAddress(), server.socket().getLocalPort());
            try (var _ = SocketChannel.open(address)) {
                assertEquals(false, isVirtual.get(60, TimeUnit.SECONDS));
            }
        }
    }
}
