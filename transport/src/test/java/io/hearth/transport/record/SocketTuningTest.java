package io.hearth.transport.record;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

/** The mark by which a forked child of a program finds Hearth's sockets. */
final class SocketTuningTest {
    @Test
    void whoForksKnowsTheMark() throws Exception {
        var root = Path.of(System.getProperty("hearth.root"));
        String header = Files.readString(root.resolve("bridge/src/main/resources/io/hearth/bridge/hearth.h"));
        String python = Files.readString(root.resolve("python/src/hearth_train/_sockets.py"));
        assertTrue(header.contains("TCP_KEEPINTVL is " + SocketTuning.PROBE_SECONDS + ","));
        assertTrue(python.contains("_PROBE_SECONDS = " + SocketTuning.PROBE_SECONDS + " "));
    }

    @Test
    void bothEndsOfAConnectionHaveTheMark() throws Exception {
        try (var server = ServerSocketChannel.open();
                var dialling = SocketChannel.open()) {
            Assumptions.assumeTrue(dialling.supportedOptions().contains(SocketTuning.PROBE_INTERVAL));
            SocketTuning.mark(server);
            server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            SocketTuning.tune(dialling);
            dialling.connect(server.getLocalAddress());
            try (SocketChannel accepted = server.accept()) {
                SocketTuning.tune(accepted);
                for (SocketChannel end : new SocketChannel[] {dialling, accepted}) {
                    assertEquals(SocketTuning.PROBE_SECONDS, end.getOption(SocketTuning.PROBE_INTERVAL));
                    assertTrue(end.getOption(StandardSocketOptions.TCP_NODELAY));
                }
            }
        }
    }
}
