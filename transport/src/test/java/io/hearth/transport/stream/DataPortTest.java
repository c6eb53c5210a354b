package io.hearth.transport.stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.core.Bytes;
import io.hearth.transport.TestNode;
import io.hearth.transport.cipher.StreamKeys;
import io.hearth.transport.control.Tally;
import io.hearth.transport.machine.StreamTickets;
import io.hearth.transport.record.Deadlines;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The data port before it knows a connection's peer. */
final class DataPortTest {
    private static final int GREETED_AT_ONCE =
            16; // more than the members here: a member may continue before its thread has ended
    private static final long HOUR_NANOS = TimeUnit.HOURS.toNanos(1);
    private static final Bytes TICKET = Bytes.of(new byte[StreamTickets.TICKET_BYTES]);

    /** The greeting of a connection. */
    private record Greeted(Bytes salt, boolean virtual, boolean blocking) {}

    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
    private final BlockingQueue<Greeted> greeted = new LinkedBlockingQueue<>();
    private final Tally tally = new Tally();

    @AfterEach
    void stopTimer() {
        timer.shutdownNow();
    }

    /** A port that accepts every ticket. */
    private final class Believing implements DataPort.Admission {
        private final boolean expects;

        Believing(boolean expects) {
            this.expects = expects;
        }

        @Override
        public boolean isExpected(InetAddress remote, InetAddress local) {
            return expects;
        }

        @Override
        public Optional<GreetingThreads.Greeter> redeem(StreamPreamble.Dialed dialed) {
            if (!dialed.ticket().equals(TICKET)) {
                return Optional.empty();
            }
            return Optional.of(channel -> {
                greeted.add(new Greeted(dialed.salt(), Thread.currentThread().isVirtual(), channel.isBlocking()));
                StreamPreamble.writeSalt(channel, dialed.salt());
                channel.close();
            });
        }
    }

    private DataPort port(ServerSocketChannel server, boolean expects, long preambleNanos) throws IOException {
        return new DataPort(
                server,
                new Believing(expects),
                new GreetingThreads(tally, new Deadlines(timer), HOUR_NANOS, GREETED_AT_ONCE),
                preambleNanos,
                _ -> {});
    }

    private static SocketChannel connect(ServerSocketChannel server) throws IOException {
        return SocketChannel.open(new InetSocketAddress(
                InetAddress.getLoopbackAddress(), server.socket().getLocalPort()));
    }

    private static StreamPreamble.Dialed dialed(int salt) {
        byte[] bytes = new byte[StreamKeys.SALT_BYTES];
        bytes[0] = (byte) salt;
        return new StreamPreamble.Dialed(TICKET, Bytes.of(bytes));
    }

    /** Number of bytes until the other side hangs up. */
    private static int bytesUntilTheEnd(SocketChannel channel) throws IOException {
        try {
            int bytes = 0;
            for (int read = 0; read >= 0; read = channel.read(ByteBuffer.allocate(64))) {
                bytes += read;
            }
            return bytes;
        } catch (IOException reset) {
            return 0;
        }
    }

    private static long greetingThreads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().equals("hearth-stream-greeting"))
                .count();
    }

    @Test
    void whoHasNoTicketIsClosedBeforeAByteIsRead() throws Exception {
        try (var server = DataPort.bind(InetAddress.getLoopbackAddress());
                var _ = port(server, false, HOUR_NANOS);
                var silent = connect(server)) {
            assertEquals(0, bytesUntilTheEnd(silent));
            assertEquals(1, tally.streamsRefused.sum());
        }
    }

    @Test
    void whoHasATicketIsGreetedByAPlatformThreadThatBlocks() throws Exception {
        try (var server = DataPort.bind(InetAddress.getLoopbackAddress());
                var _ = port(server, true, HOUR_NANOS);
                var client = connect(server)) {
            StreamPreamble.writeDialed(client, dialed(7));
            assertEquals(dialed(7).salt(), StreamPreamble.readSalt(client));
            assertEquals(new Greeted(dialed(7).salt(), false, true), greeted.poll(20, TimeUnit.SECONDS));
            assertEquals(0, bytesUntilTheEnd(client));
        }
    }

    @Test
    void aPreambleMayComeByteByByte() throws Exception {
        try (var server = DataPort.bind(InetAddress.getLoopbackAddress());
                var _ = port(server, true, HOUR_NANOS);
                var client = connect(server)) {
            var whole = ByteBuffer.allocate(StreamPreamble.DIALER_BYTES)
                    .putInt(0x48525431)
                    .put(TICKET.toArray())
                    .put(dialed(9).salt().toArray())
                    .flip();
            while (whole.hasRemaining()) {
                client.write(ByteBuffer.wrap(new byte[] {whole.get()}));
            }
            assertEquals(dialed(9).salt(), StreamPreamble.readSalt(client));
        }
    }

    @Test
    void whatIsSilentOrWrongIsClosedInTimeAndCounted() throws Exception {
        try (var server = DataPort.bind(InetAddress.getLoopbackAddress());
                var _ = port(server, true, TimeUnit.MILLISECONDS.toNanos(50));
                var silent = connect(server);
                var wrong = connect(server);
                var other = connect(server)) {
            StreamPreamble.writeDialed(
                    wrong,
                    new StreamPreamble.Dialed(
                            Bytes.of(new byte[] {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}),
                            dialed(1).salt()));
            other.write(ByteBuffer.allocate(StreamPreamble.DIALER_BYTES)); // no magic
            assertEquals(0, bytesUntilTheEnd(wrong));
            assertEquals(0, bytesUntilTheEnd(other));
            assertEquals(0, bytesUntilTheEnd(silent));
            TestNode.until("counted", () -> tally.streamsRefused.sum() == 3);
            assertEquals(0, greetingThreads());
        }
    }

    /** More silent connections than places, twice: they take no thread, and a complete preamble is still read. */
    @Test
    void aCrowdOfSilentConnectionsKeepsNobodyOut() throws Exception {
        List<SocketChannel> crowd = new ArrayList<>();
        try (var server = DataPort.bind(InetAddress.getLoopbackAddress());
                var _ = port(server, true, HOUR_NANOS)) {
            for (int i = 0; i < 3 * DataPort.WAITING_MAX; i++) {
                crowd.add(connect(server));
                if (i % 16 == 0) {
                    try (var member = connect(server)) {
                        StreamPreamble.writeDialed(member, dialed(i));
                        assertEquals(dialed(i).salt(), StreamPreamble.readSalt(member));
                    }
                }
            }
            TestNode.until("the eldest made room", () -> tally.streamsRefused.sum() >= 2 * DataPort.WAITING_MAX);
            TestNode.until("no thread is left", () -> greetingThreads() == 0);
        } finally {
            for (SocketChannel channel : crowd) {
                channel.close();
            }
        }
    }

    @Test
    void closingEndsTheThreadAndWhatWaits() throws Exception {
        var server = DataPort.bind(InetAddress.getLoopbackAddress());
        DataPort port = port(server, true, HOUR_NANOS);
        try (var silent = connect(server);
                var member = connect(server)) {
            StreamPreamble.writeDialed(member, dialed(1));
            assertEquals(dialed(1).salt(), StreamPreamble.readSalt(member));
            port.close();
            assertEquals(0, bytesUntilTheEnd(silent));
            assertTrue(Thread.getAllStackTraces().keySet().stream()
                    .noneMatch(thread -> thread.getName().equals("hearth-streams")));
        }
    }
}
