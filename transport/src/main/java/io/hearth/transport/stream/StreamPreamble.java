package io.hearth.transport.stream;

import io.hearth.core.Bytes;
import io.hearth.transport.cipher.StreamKeys;
import io.hearth.transport.machine.StreamTickets;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.Optional;

/**
 * The first bytes on a data connection, before its records; only these are read unauthenticated.
 *
 * <pre>
 * dialler to acceptor   magic "HRT1" (4) | ticket (16) | salt (16)
 * acceptor to dialler   salt (16)             nothing at all if the ticket is not valid
 * </pre>
 */
public final class StreamPreamble {
    public static final int SALT_BYTES = StreamKeys.SALT_BYTES;
    public static final int DIALER_BYTES = Integer.BYTES + StreamTickets.TICKET_BYTES + SALT_BYTES;

    private static final int MAGIC = 0x48525431;

    private StreamPreamble() {}

    /** The dialling side's first bytes. */
    public record Dialed(Bytes ticket, Bytes salt) {}

    public static void writeDialed(SocketChannel channel, Dialed dialed) throws IOException {
        write(
                channel,
                ByteBuffer.allocate(DIALER_BYTES)
                        .putInt(MAGIC)
                        .put(dialed.ticket().toArray())
                        .put(dialed.salt().toArray()));
    }

    /** The dialling side's {@value #DIALER_BYTES} bytes; empty if the magic is wrong. */
    public static Optional<Dialed> dialed(ByteBuffer in) {
        if (in.getInt() != MAGIC) {
            return Optional.empty();
        }
        byte[] ticket = new byte[StreamTickets.TICKET_BYTES];
        byte[] salt = new byte[StreamKeys.SALT_BYTES];
        in.get(ticket).get(salt);
        return Optional.of(new Dialed(Bytes.of(ticket), Bytes.of(salt)));
    }

    public static void writeSalt(SocketChannel channel, Bytes salt) throws IOException {
        write(channel, ByteBuffer.allocate(StreamKeys.SALT_BYTES).put(salt.toArray()));
    }

    public static Bytes readSalt(SocketChannel channel) throws IOException {
        return Bytes.of(read(channel, StreamKeys.SALT_BYTES).array());
    }

    static void write(SocketChannel channel, ByteBuffer out) throws IOException {
        out.flip();
        while (out.hasRemaining()) {
            channel.write(out);
        }
    }

    public static ByteBuffer read(SocketChannel channel, int bytes) throws IOException {
        var in = ByteBuffer.allocate(bytes);
        while (in.hasRemaining()) {
            if (channel.read(in) < 0) {
                throw new EOFException("the other side hung up after " + in.position() + " of " + bytes + " bytes");
            }
        }
        return in.flip();
    }
}
