package io.hearth.transport.stream;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/**
 * Wakes the other end of a ring, over a unix socket of its own: one byte is one knock. The socket also tells when the other
 * process is gone, however it went.
 */
public final class Doorbell {
    private final SocketChannel channel;
    private final ByteBuffer heard = ByteBuffer.allocateDirect(64); // whoever waits
    private final ByteBuffer knock = ByteBuffer.allocateDirect(1); // whoever rings; one thread, the same as above

    /** @param channel connected; closed by its owner */
    public Doorbell(SocketChannel channel) {
        this.channel = channel;
    }

    SocketChannel channel() {
        return channel;
    }

    /** Wakes the other end. Knocks only answer its word that it sleeps, so they do not pile up. */
    void ring() throws IOException {
        knock.clear();
        channel.write(knock);
    }

    /**
     * Sleeps until the other end rings; knocks from before count.
     *
     * @throws EOFException it is gone
     */
    void await() throws IOException {
        if (channel.read(heard.clear()) < 0) {
            throw new EOFException("the other process hung up");
        }
    }

    /** As {@link #ring}, where the end of the other process does not matter now. */
    void ringOrEnd() {
        try {
            ring();
        } catch (IOException gone) {
            // whoever waits next hears it
        }
    }

    /** As {@link #await}, where the end of the other process does not matter now. */
    void awaitOrEnd() {
        try {
            await();
        } catch (IOException gone) {
            // whoever waits next hears it
        }
    }
}
