package io.hearth.transport.stream;

import io.hearth.core.Bytes;
import io.hearth.transport.machine.StreamTickets;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;

/**
 * The first bytes on the two connections of a shared-memory stream; {@link SharedMemoryHandshake} draws them. Later the connections only
 * carry wake-ups.
 */
final class LocalPreamble {
    /** A ticket, and a token that stands for it on the second connection. */
    static final int SECRET_BYTES = StreamTickets.TICKET_BYTES;

    private static final int FIRST = 0x48524c31;
    private static final int SECOND = 0x48524c32;
    private static final int PATH_BYTES_MAX = 512;

    private LocalPreamble() {}

    /** The first message of the dialling side on a connection. */
    record Said(boolean isSecond, Bytes secret) {}

    /** The accepting side's answer to a valid ticket. */
    record Answer(Bytes token, Path memory) {}

    static void writeFirst(SocketChannel channel, Bytes ticket) throws IOException {
        StreamPreamble.write(
                channel,
                ByteBuffer.allocate(Integer.BYTES + SECRET_BYTES).putInt(FIRST).put(ticket.toArray()));
    }

    static void writeSecond(SocketChannel channel, Bytes token) throws IOException {
        StreamPreamble.write(
                channel,
                ByteBuffer.allocate(Integer.BYTES + SECRET_BYTES).putInt(SECOND).put(token.toArray()));
    }

    static Said read(SocketChannel channel) throws IOException {
        ByteBuffer in = StreamPreamble.read(channel, Integer.BYTES + SECRET_BYTES);
        int magic = in.getInt();
        if (magic != FIRST && magic != SECOND) {
            throw new IOException("not a Hearth stream: wrong magic");
        }
        return new Said(magic == SECOND, secret(in));
    }

    static void answer(SocketChannel channel, Bytes token, Path memory) throws IOException {
        byte[] path = memory.toString().getBytes(StandardCharsets.UTF_8);
        StreamPreamble.write(
                channel,
                ByteBuffer.allocate(SECRET_BYTES + Short.BYTES + path.length)
                        .put(token.toArray())
                        .putShort((short) path.length)
                        .put(path));
    }

    static Answer readAnswer(SocketChannel channel) throws IOException {
        ByteBuffer in = StreamPreamble.read(channel, SECRET_BYTES + Short.BYTES);
        Bytes token = secret(in);
        int length = Short.toUnsignedInt(in.getShort());
        if (length == 0 || length > PATH_BYTES_MAX) {
            throw new IOException("path must have 1 to " + PATH_BYTES_MAX + " bytes, got " + length);
        }
        try {
            return new Answer(
                    token,
                    Path.of(new String(StreamPreamble.read(channel, length).array(), StandardCharsets.UTF_8)));
        } catch (InvalidPathException nonsense) {
            throw new IOException("its path is not valid", nonsense);
        }
    }

    static void ready(SocketChannel channel) throws IOException {
        StreamPreamble.write(channel, ByteBuffer.allocate(1).put((byte) 1));
    }

    static void awaitReady(SocketChannel channel) throws IOException {
        if (StreamPreamble.read(channel, 1).get() != 1) {
            throw new IOException("it is not ready");
        }
    }

    private static Bytes secret(ByteBuffer in) {
        byte[] secret = new byte[SECRET_BYTES];
        in.get(secret);
        return Bytes.of(secret);
    }
}
