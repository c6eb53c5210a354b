package io.hearth.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.core.Clock;
import io.hearth.transport.memory.Doorbell;
import io.hearth.transport.memory.SharedMemory;
import io.hearth.transport.memory.SharedMemoryStream;
import io.hearth.transport.record.Deadlines;
import io.hearth.transport.record.RecordBuffers;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** When a process is killed, its streams in shared memory end. */
final class KilledPeerTest {
    @TempDir
    Path folder = Path.of("");

    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();

    @AfterEach
    void stopThreads() {
        threads.shutdownNow();
        timer.shutdownNow();
    }

    /** The process that is killed: it receives one record, answers it, and does nothing more. */
    static final class Peer {
        private Peer() {}

        public static void main(String[] folder) throws Exception {
            var socket = UnixDomainSocketAddress.of(Path.of(folder[0], "socket"));
            Path file = Path.of(folder[0], "memory");
            SharedMemory memory = SharedMemory.open(file, Files.getOwner(file));
            try (ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
                    var stream = stream(memory, SocketChannel.open(socket), SocketChannel.open(socket), true, timer)) {
                int kind = stream.receive().kind();
                stream.send(kind, 0, 0, 0, MemorySegment.NULL, MemorySegment.NULL, 0, 0);
                Thread.currentThread().join();
            }
        }
    }

    private static SharedMemoryStream stream(
            SharedMemory memory,
            SocketChannel fromDialer,
            SocketChannel toDialer,
            boolean dialed,
            ScheduledExecutorService timer) {
        return new SharedMemoryStream(
                StreamEnds.SECOND,
                StreamEnds.ID,
                memory,
                new SharedMemoryStream.Bells(new Doorbell(fromDialer), new Doorbell(toDialer)),
                dialed,
                SharedMemoryStream.SPIN_NANOS,
                Clock.system(),
                ThreadLocal.withInitial(RecordBuffers::new),
                new Deadlines(timer),
                _ -> {});
    }

    private static Object sendForEver(DataStream stream) throws IOException {
        MemorySegment bytes = MemorySegment.ofArray(new byte[65_536]);
        while (true) {
            stream.send(RecordHeader.USER_MIN, 0, 0, 0, MemorySegment.NULL, bytes, 0, 65_536);
        }
    }

    @Test
    void whoWaitsForAKilledProcessHearsOfItAtOnce() throws Exception {
        SharedMemory memory = SharedMemory.create(folder.resolve("memory"));
        try (var server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            server.bind(UnixDomainSocketAddress.of(folder.resolve("socket")));
            Process peer = new ProcessBuilder(
                            Path.of(System.getProperty("java.home"), "bin", "java")
                                    .toString(),
                            "-cp",
                            System.getProperty("java.class.path"),
                            Peer.class.getName(),
                            folder.toString())
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.INHERIT)
                    .start();
            try (var stream = stream(memory, server.accept(), server.accept(), false, timer)) {
                Future<?> receiver = threads.submit(() -> {
                    assertEquals(99, stream.receive().kind());
                    return stream.receive();
                });
                stream.send(99, 0, 0, 0, MemorySegment.NULL, MemorySegment.NULL, 0, 0);
                Future<?> sender = threads.submit(() -> sendForEver(stream));
                TestNode.until("the ring is full", () -> stream.bytesSent() > SharedMemory.RING_BYTES / 2);
                peer.destroyForcibly().waitFor();
                for (Future<?> one : new Future<?>[] {receiver, sender}) {
                    var ended = assertThrows(ExecutionException.class, () -> one.get(20, TimeUnit.SECONDS));
                    assertTrue(
                            ended.getCause() instanceof StreamException cut && cut.kind() == StreamException.Cause.CUT,
                            String.valueOf(ended.getCause()));
                }
            } finally {
                peer.destroyForcibly();
            }
        }
        assertTrue(!memory.isMapped(), "still mapped");
    }
}
