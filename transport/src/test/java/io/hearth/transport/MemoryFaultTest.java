package io.hearth.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.core.Clock;
import io.hearth.transport.memory.Doorbell;
import io.hearth.transport.memory.SharedMemory;
import io.hearth.transport.memory.SharedMemoryStream;
import io.hearth.transport.record.Deadlines;
import io.hearth.transport.record.RecordBuffers;
import java.io.IOException;
import java.nio.channels.Channel;
import java.nio.channels.FileChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Another process of this user makes the file of a ring shorter: this ends the stream, and nothing else. */
final class MemoryFaultTest {
    @TempDir
    Path folder = Path.of("");

    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
    private final List<Channel> channels = new ArrayList<>();

    @AfterEach
    void close() throws IOException {
        for (Channel channel : channels) {
            channel.close();
        }
        timer.shutdownNow();
    }

    /** Both ends, over a file that keeps its name. */
    private List<SharedMemoryStream> ends(Path file) throws IOException {
        SharedMemory first = SharedMemory.create(file);
        SharedMemory second = SharedMemory.open(file, Files.getOwner(file));
        SocketChannel[] out = StreamEnds.sockets(folder);
        SocketChannel[] in = StreamEnds.sockets(folder);
        channels.addAll(List.of(out[0], out[1], in[0], in[1]));
        return List.of(end(first, out[0], in[0], true), end(second, out[1], in[1], false));
    }

    private SharedMemoryStream end(
            SharedMemory memory, SocketChannel fromDialer, SocketChannel toDialer, boolean dialed) {
        return new SharedMemoryStream(
                dialed ? StreamEnds.SECOND : StreamEnds.FIRST,
                StreamEnds.ID,
                memory,
                new SharedMemoryStream.Bells(new Doorbell(fromDialer), new Doorbell(toDialer)),
                dialed,
                SharedMemoryStream.SHORT_SPIN_NANOS,
                Clock.system(),
                ThreadLocal.withInitial(RecordBuffers::new),
                new Deadlines(timer),
                _ -> {});
    }

    private static void cutOff(Path file) throws IOException {
        try (var channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            channel.truncate(0);
        }
    }

    private static void send(SharedMemoryStream stream) throws IOException {
        Records.send(stream, new RecordHeader(100, RecordHeader.USER_MIN, 0, 1, 0));
    }

    @Test
    void sendingAndReceivingEndAsIfThePeerWereGone() throws Exception {
        Path file = folder.resolve("memory");
        List<SharedMemoryStream> ends = ends(file);
        send(ends.getFirst());
        assertEquals(100, ends.getLast().receive().length());
        cutOff(file);
        var sending = assertThrows(StreamException.class, () -> send(ends.getFirst()));
        assertEquals(StreamException.Cause.CUT, sending.kind());
        var receiving = assertThrows(StreamException.class, () -> ends.getLast().receive());
        assertEquals(StreamException.Cause.CUT, receiving.kind());
        var later = assertThrows(StreamException.class, () -> ends.getLast().receive());
        assertEquals(StreamException.Cause.CUT, later.kind());
        ends.forEach(SharedMemoryStream::close);
    }

    @Test
    void aLookLeavesTheErrorToTheReceiver() throws Exception {
        Path file = folder.resolve("memory");
        List<SharedMemoryStream> ends = ends(file);
        send(ends.getFirst());
        assertTrue(ends.getLast().comesSoon());
        cutOff(file);
        assertTrue(ends.getLast().comesSoon());
        var receiving = assertThrows(StreamException.class, () -> ends.getLast().receive());
        assertEquals(StreamException.Cause.CUT, receiving.kind());
        assertTrue(ends.getLast().comesSoon());
        ends.forEach(SharedMemoryStream::close);
    }

    @Test
    void closingIsQuietWhateverWasShown() throws Exception {
        Path file = folder.resolve("memory");
        List<SharedMemoryStream> ends = ends(file);
        send(ends.getFirst());
        ReceivedRecord shown = ends.getLast().receive();
        cutOff(file);
        var read = assertThrows(InternalError.class, shown::toBytes);
        assertEquals("its shared memory was cut off", MemoryFault.of(read).getMessage());
        ends.forEach(SharedMemoryStream::close);
    }

    @Test
    void anyOtherErrorGoesOn() {
        for (InternalError other : List.of(new InternalError(), new InternalError("planted"))) {
            assertSame(other, assertThrows(InternalError.class, () -> MemoryFault.of(other)));
        }
    }
}
