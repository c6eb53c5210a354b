package io.hearth.transport.stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hearth.core.Bytes;
import io.hearth.identity.HearthHome;
import io.hearth.identity.NamespaceKeys;
import io.hearth.identity.NetworkNamespace;
import io.hearth.identity.NodeId;
import io.hearth.identity.NodeIdentity;
import io.hearth.transport.DataStream;
import io.hearth.transport.DataTransport;
import io.hearth.transport.RecordHeader;
import io.hearth.transport.Records;
import io.hearth.transport.StreamException;
import io.hearth.transport.StreamId;
import io.hearth.transport.TestNode;
import io.hearth.transport.cipher.AeadCipher;
import io.hearth.transport.machine.StreamTickets.Wanted;
import io.hearth.transport.memory.SharedMemory;
import io.hearth.transport.memory.SharedMemoryFiles;
import io.hearth.transport.memory.SharedMemoryStream;
import io.hearth.transport.record.Deadlines;
import io.hearth.transport.record.OpenStream;
import io.hearth.transport.record.RecordStream;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The setup of shared memory between two nodes of one machine, and its protection against others. */
final class SharedMemoryHandshakeTest {
    private static final StreamId ID = new StreamId("digits", "e5", 0);
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final long LIMIT_NANOS = 5_000_000_000L;

    @TempDir
    Path folder = Path.of("");

    private final NamespaceKeys keys = NetworkNamespace.create("home").keys();
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();

    @AfterEach
    void stopThreads() {
        threads.shutdownNow();
        timer.shutdownNow();
    }

    private HearthHome home() throws Exception {
        return HearthHome.open(folder.resolve("h"));
    }

    private TestNode node(DataTransport transport) throws Exception {
        HearthHome home = home();
        return new TestNode(
                NodeIdentity.generate(),
                "agent",
                1,
                keys,
                o -> o.transport(transport).home(home),
                AeadCipher::new);
    }

    private List<DataStream> open(TestNode a, TestNode b) throws Exception {
        Future<DataStream> accepted = threads.submit(() -> b.links.streams().open(a.id(), ID, PATIENCE));
        DataStream dialed = a.links.streams().open(b.id(), ID, PATIENCE);
        return List.of(dialed, accepted.get());
    }

    private List<Path> left() throws Exception {
        try (Stream<Path> run = Files.list(home().subfolder("run"))) {
            return run.toList();
        }
    }

    @Test
    void nodesOfOneMachineShareMemoryUnlessOneWantsTcp() throws Exception {
        for (DataTransport one : DataTransport.values()) {
            for (DataTransport other : DataTransport.values()) {
                boolean tcp = one == DataTransport.TCP || other == DataTransport.TCP;
                boolean impossible = tcp && (one == DataTransport.SHM || other == DataTransport.SHM);
                try (var a = node(one);
                        var b = node(other)) {
                    a.link(b);
                    if (impossible) {
                        continue;
                    }
                    for (DataStream end : open(a, b)) {
                        assertEquals(
                                tcp ? RecordStream.class : SharedMemoryStream.class,
                                end.getClass(),
                                one + " and " + other);
                    }
                }
            }
        }
        assertEquals(List.of(), left());
    }

    @Test
    void sharedMemoryOrNothingSaysWhyThereIsNothing() throws Exception {
        try (var a = node(DataTransport.SHM);
                var b = node(DataTransport.TCP)) {
            a.link(b);
            Future<DataStream> accepted = threads.submit(() -> b.links.streams().open(a.id(), ID, PATIENCE));
            var none =
                    assertThrows(StreamException.class, () -> a.links.streams().open(b.id(), ID, PATIENCE));
            assertEquals(StreamException.Cause.NOT_OPENED, none.kind());
            assertTrue(String.valueOf(none.getMessage()).contains("use auto"), none.getMessage());
            accepted.cancel(true);
        }
    }

    @Test
    void aSocketThatIsNotThereMeansTcp() throws Exception {
        try (var a = node(DataTransport.AUTO);
                var b = node(DataTransport.AUTO)) {
            a.link(b);
            for (Path socket : left()) {
                Files.delete(socket);
            }
            for (DataStream end : open(a, b)) {
                assertInstanceOf(RecordStream.class, end);
            }
        }
    }

    @Test
    void theMemoryHasNoNameOnceBothHaveIt() throws Exception {
        try (var a = node(DataTransport.AUTO);
                var b = node(DataTransport.AUTO)) {
            long before = named();
            a.link(b);
            List<DataStream> ends = open(a, b);
            assertEquals(before, named());
            Records.send(ends.getFirst(), new RecordHeader(7, RecordHeader.USER_MIN, 0, 1, 0));
            assertEquals(7, ends.getLast().receive().length());
        }
    }

    private long named() throws Exception {
        try (Stream<Path> files =
                Files.list(Files.isWritable(Path.of("/dev/shm")) ? Path.of("/dev/shm") : home().subfolder("run"))) {
            return files.filter(SharedMemoryFiles::isMemoryName).count();
        }
    }

    private static int answer(Path socket, byte[] bytes) throws IOException {
        try (var channel = SocketChannel.open(UnixDomainSocketAddress.of(socket))) {
            channel.write(ByteBuffer.wrap(bytes));
            channel.shutdownOutput();
            int read = channel.read(ByteBuffer.allocate(64));
            return Math.max(0, read);
        } catch (IOException reset) {
            return 0;
        }
    }

    @Test
    void withoutATicketNobodyGetsAnAnswer() throws Exception {
        try (var a = node(DataTransport.AUTO)) {
            Path socket = left().getFirst();
            assertEquals(PosixFilePermissions.fromString("rw-------"), Files.getPosixFilePermissions(socket));
            long named = named();
            assertEquals(0, answer(socket, new byte[20]));
            assertEquals(
                    0, answer(socket, ByteBuffer.allocate(20).putInt(0x48524c31).array()));
            assertEquals(
                    0, answer(socket, ByteBuffer.allocate(20).putInt(0x48524c32).array()));
            assertEquals(0, answer(socket, new byte[3]));
            TestNode.until("counted", () -> a.links.counters().streamsRefused() == 4);
            assertEquals(named, named());
        }
    }

    @Test
    void anotherUsersSocketIsNotTalkedTo() throws Exception {
        try (SharedMemoryHandshake door = SharedMemoryHandshake.open(Optional.of(home()), 4)) {
            var deadlines = new Deadlines(timer);
            Bytes ticket = Bytes.of(new byte[16]);
            var nobody = folder.getFileSystem().getUserPrincipalLookupService().lookupPrincipalByName("nobody");
            SharedMemoryHandshake stranger = door.as(nobody);
            Future<Integer> heard = threads.submit(() -> {
                try (var channel = door.server().accept()) {
                    return channel.read(ByteBuffer.allocate(64));
                }
            });
            var refused =
                    assertThrows(IOException.class, () -> stranger.dial(door.path(), ticket, deadlines, LIMIT_NANOS));
            assertTrue(String.valueOf(refused.getMessage()).contains("another user"), refused.getMessage());
            assertEquals(-1, heard.get(), "a ticket went to a stranger");

            byte[] rightWords = ByteBuffer.allocate(20)
                    .putInt(0x48524c31)
                    .put(ticket.toArray())
                    .array();
            Future<?> greeted = threads.submit(() -> {
                try (var channel = door.server().accept()) {
                    stranger.greet(
                            channel,
                            _ -> {
                                throw new AssertionError("a stranger's ticket was looked at");
                            },
                            () -> ticket,
                            LIMIT_NANOS,
                            (_, _) -> {});
                }
                return null;
            });
            assertEquals(0, answer(Path.of(door.path()), rightWords));
            var turnedAway = assertInstanceOf(
                    IOException.class,
                    assertThrows(ExecutionException.class, greeted::get).getCause());
            assertTrue(String.valueOf(turnedAway.getMessage()).contains("another user"), turnedAway.getMessage());
        }
    }

    /** A peer may end between its two connections; a node that closes does not wait until its time is up. */
    @Test
    void theCloseEndsTheWaitForASecondConnection() throws Exception {
        Bytes ticket = Bytes.of(new byte[16]);
        var wanted = new Wanted(new NodeId(NodeIdentity.generate().peer(), NodeId.AGENT), ID);
        var openings = new PendingStreams<String, OpenStream>(4, () -> ticket);
        assertTrue(openings.begin(wanted));
        SharedMemoryHandshake door = SharedMemoryHandshake.open(Optional.of(home()), 4);
        try (var first = SocketChannel.open(UnixDomainSocketAddress.of(door.path()))) {
            openings.requested(wanted, "link", 1, 0);
            Future<?> greeted = threads.submit(() -> {
                try (var channel = door.server().accept()) {
                    door.greet(
                            channel,
                            shown -> openings.redeem(shown, 0),
                            () -> ticket,
                            TimeUnit.DAYS.toNanos(1),
                            (_, _) -> {});
                }
                return null;
            });
            LocalPreamble.writeFirst(first, ticket);
            Path memory = LocalPreamble.readAnswer(first).memory();
            door.close();
            var ended = assertThrows(ExecutionException.class, () -> greeted.get(20, TimeUnit.SECONDS));
            assertTrue(String.valueOf(ended.getMessage()).contains("this node is closing"), ended.getMessage());
            assertFalse(Files.exists(memory), "the file of the memory is left");
        } finally {
            door.close();
        }
    }

    /** A process that could open the file could read and change the data in it. */
    @Test
    void memoryThatIsNotOfThisUserAloneIsNotMapped() throws Exception {
        Path file = folder.resolve("memory");
        SharedMemory.create(file).leave();
        var self = Files.getOwner(file);
        assertEquals(PosixFilePermissions.fromString("rw-------"), Files.getPosixFilePermissions(file));
        SharedMemory.open(file, self).leave();
        var nobody = folder.getFileSystem().getUserPrincipalLookupService().lookupPrincipalByName("nobody");
        assertThrows(IOException.class, () -> SharedMemory.open(file, nobody), "another user's");
        for (String mode : List.of("rw-r-----", "rw----r--", "rw--w----", "rw-rw-rw-", "rwx------")) {
            Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(mode));
            assertThrows(IOException.class, () -> SharedMemory.open(file, self), mode);
        }
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
        Path link = Files.createSymbolicLink(folder.resolve("link"), file);
        assertThrows(IOException.class, () -> SharedMemory.open(link, self), "a symbolic link");
        SharedMemory.open(file, self).leave();
    }

    @Test
    void aPeersPathsAreNotBelieved() throws Exception {
        try (SharedMemoryHandshake door = SharedMemoryHandshake.open(Optional.of(home()), 4)) {
            var deadlines = new Deadlines(timer);
            Bytes ticket = Bytes.of(new byte[16]);
            for (String path : List.of("", "data-0123456789ab.sock", "/run/other.sock", "/a\0b", "/x".repeat(5_000))) {
                assertThrows(IOException.class, () -> door.dial(path, ticket, deadlines, LIMIT_NANOS), path);
            }
            Path secret = Files.writeString(folder.resolve("id_ed25519"), "keep out");
            Path link = Files.createSymbolicLink(folder.resolve("hearth-0123456789abcdef01234567.ring"), secret);
            Path small = Files.writeString(folder.resolve("hearth-0123456789abcdef01234568.ring"), "small");
            Files.setPosixFilePermissions(small, PosixFilePermissions.fromString("rw-------"));
            Path other = folder.resolve("database");
            SharedMemory.create(other).leave();
            for (Path memory :
                    List.of(secret, link, small, other, Path.of("relative"), folder.resolve("nothing.ring"))) {
                Future<?> liar = threads.submit(() -> {
                    try (var channel = door.server().accept()) {
                        LocalPreamble.read(channel);
                        LocalPreamble.answer(channel, ticket, memory);
                        return channel.read(ByteBuffer.allocate(1));
                    }
                });
                assertThrows(
                        IOException.class,
                        () -> door.dial(door.path(), ticket, deadlines, LIMIT_NANOS),
                        memory.toString());
                liar.get();
            }
            assertEquals("keep out", Files.readString(secret));
        }
    }

    @Test
    void whatDeadProcessesLeftIsRemovedAndNothingElse() throws Exception {
        Path run = home().subfolder("run");
        FileTime old = FileTime.from(Instant.now().minus(Duration.ofMinutes(5)));
        Path deaf = run.resolve("data-0123456789ab.sock");
        ServerSocketChannel.open(StandardProtocolFamily.UNIX)
                .bind(UnixDomainSocketAddress.of(deaf))
                .close();
        Path alive = run.resolve("data-0123456789ac.sock");
        Path memory = Files.createFile(run.resolve("hearth-0123456789abcdef01234567.ring"));
        Path young = Files.createFile(run.resolve("hearth-0123456789abcdef01234568.ring"));
        Path agent = Files.createFile(run.resolve("agent.sock"));
        try (var server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            server.bind(UnixDomainSocketAddress.of(alive));
            for (Path path : List.of(deaf, alive, memory, agent)) {
                Files.setLastModifiedTime(path, old);
            }
            SharedMemoryFiles.open(Optional.of(home()));
            assertFalse(Files.exists(deaf));
            assertFalse(Files.exists(memory));
            assertTrue(Files.exists(alive) && Files.exists(young) && Files.exists(agent));
        }
    }

    @Test
    void aLongHomeGetsASocketElsewhere() throws Exception {
        Path deep = Files.createDirectories(folder.resolve("x".repeat(80)));
        try (SharedMemoryHandshake door =
                SharedMemoryHandshake.open(Optional.of(HearthHome.open(deep.resolve("home"))), 4)) {
            assertTrue(door.path().length() <= 103, door.path());
        }
    }
}
