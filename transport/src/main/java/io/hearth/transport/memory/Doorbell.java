package io.hearth.transport.memory;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/**
 * Wakes the other end of a ring, over its own unix socket: one byte is one wake-up. The socket also shows that the other process ended, in
 * whatever way.
 */
public final class Doorbell {
    private final SocketChannel channel;
    private final ByteBuffer heard = ByteBuffer.allocateDirect(64); // used by the waiting thread
    private final ByteBuffer knock = ByteBuffer.allocateDirect(1); // used by the ringing thread

    /** @param channel connected; closed by its owner */
    public Doorbell(SocketChannel channel) {
        this.channel = channel;
    }

    SocketChannel channel() {
        return channel;
    }

    /** Wakes the other end. It is called only after the other end announced that it sleeps, so bytes do not pile up. */
    void ring() throws IOException {
        knock.clear();
        channel.write(knock);
    }

    /**
     * Sleeps until the other end rings; an earlier ring counts too.
     *
     * @throws EOFException the other process is gone
     */
    void await() throws IOException {
        if (channel.read(heard.clear()) < 0) {
            throw new EOFException("the other process hung up");
        }
    }

    /** As {@link #ring}, but ignores the end of the other process. */
    void ringOrEnd() {
        try {
            ring();
        } catch (IOException gone) {
            // the next wait reports it
        }
    }

    /** As {@link #await}, but ignores the end of the other process. */
    void awaitOrEnd() {
        try {
            await();
        } catch (IOException gone) {
            // the next wait reports it
        }
    }
}
