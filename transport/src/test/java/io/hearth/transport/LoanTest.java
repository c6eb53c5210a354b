package io.hearth.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.core.Clock;
import io.hearth.transport.memory.Doorbell;
import io.hearth.transport.memory.SharedMemory;
import io.hearth.transport.memory.SharedMemoryStream;
import io.hearth.transport.record.Deadlines;
import io.hearth.transport.record.RecordBuffers;
import java.lang.foreign.MemorySegment;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A thread with a borrowed record keeps the memory of its stream mapped until it ends the loan. */
final class LoanTest {
    @TempDir
    Path folder = Path.of("");

    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
    private final ThreadLocal<RecordBuffers> buffers = ThreadLocal.withInitial(RecordBuffers::new);

    @AfterEach
    void stopThreads() throws InterruptedException {
        timer.shutdownNow();
        assertTrue(timer.awaitTermination(10, TimeUnit.SECONDS));
    }

    private SharedMemoryStream stream(SharedMemory memory, SocketChannel one, SocketChannel other, boolean dialed) {
        return new SharedMemoryStream(
                StreamEnds.SECOND,
                StreamEnds.ID,
                memory,
                new SharedMemoryStream.Bells(new Doorbell(one), new Doorbell(other)),
                dialed,
                SharedMemoryStream.SHORT_SPIN_NANOS,
                Clock.system(),
                buffers,
                new Deadlines(timer),
                _ -> {});
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aThreadThatEndsItsLoanKeepsNoMemory(boolean streamEndsFirst) throws Exception {
        Path file = folder.resolve("memory");
        SharedMemory mine = SharedMemory.create(file);
        SharedMemory theirs = SharedMemory.open(file, Files.getOwner(file));
        SocketChannel[] out = StreamEnds.sockets(folder);
        SocketChannel[] in = StreamEnds.sockets(folder);
        try (var sender = stream(mine, out[0], in[0], true);
                var receiver = stream(theirs, out[1], in[1], false);
                ExecutorService borrower = Executors.newSingleThreadExecutor()) {
            sender.send(99, 0, 0, 0, MemorySegment.NULL, MemorySegment.NULL, 0, 0);
            assertEquals(99, borrower.submit(receiver::receive).get().kind());
            if (streamEndsFirst) {
                receiver.abort(StreamException.Cause.CLOSED, "over");
                assertTrue(theirs.isMapped(), "somebody may look at it");
            }
            borrower.submit(() -> buffers.get().endLoan(null)).get();
            borrower.submit(() -> buffers.get().endLoan(null)).get();
            assertEquals(!streamEndsFirst, theirs.isMapped(), "the stream alone holds it");
            receiver.abort(StreamException.Cause.CLOSED, "over");
            assertFalse(theirs.isMapped());
        }
        assertFalse(mine.isMapped());
    }

    @Test
    void whoWasShownNothingHasNothingToEnd() {
        buffers.get().endLoan(null);
    }
}
