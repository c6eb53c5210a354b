package io.hearth.transport.stream;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hearth.transport.control.Tally;
import io.hearth.transport.record.Deadlines;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class StreamListenerTest {
    @TempDir
    Path folder = Path.of("");

    /** A wait in a virtual thread makes the socket non-blocking for good. */
    @Test
    void connectionsAreGreetedByPlatformThreads() throws Exception {
        var isVirtual = new CompletableFuture<Boolean>();
        var address = UnixDomainSocketAddress.of(folder.resolve("s"));
        try (var timer = Executors.newSingleThreadScheduledExecutor();
                var server =
                        ServerSocketChannel.open(StandardProtocolFamily.UNIX).bind(address);
                var _ = new StreamListener(
                        server,
                        channel -> {
                            isVirtual.complete(Thread.currentThread().isVirtual());
                            channel.close();
                        },
                        new GreetingThreads(new Tally(), new Deadlines(timer), TimeUnit.SECONDS.toNanos(60), 4),
                        _ -> {})) {
            try (var _ = SocketChannel.open(address)) {
                assertEquals(false, isVirtual.get(60, TimeUnit.SECONDS));
            }
        }
    }
}
