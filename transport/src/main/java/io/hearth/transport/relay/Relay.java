package io.hearth.transport.relay;

import io.hearth.identity.NodeId;
import io.hearth.transport.record.Deadlines;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/**
 * One connection that is passed on, by a thread for each direction. A slow receiver slows its sender, because each thread holds one buffer.
 */
final class Relay {
    private static final int BUFFER_BYTES = 64 * 1024;

    private final NodeId from;
    private final NodeId to;
    private final SocketChannel asker;
    private final SocketChannel target;
    private final Consumer<Relay> ended;
    private final AtomicInteger directions = new AtomicInteger(2); // decremented by each thread at its end

    /**
     * A relay that does not run yet.
     *
     * @param asker owned by the relay, in blocking mode, as is {@code target}
     * @param ended called once, by the last of the two threads
     */
    Relay(NodeId from, NodeId to, SocketChannel asker, SocketChannel target, Consumer<Relay> ended) {
        this.from = from;
        this.to = to;
        this.asker = asker;
        this.target = target;
        this.ended = ended;
    }

    NodeId from() {
        return from;
    }

    NodeId to() {
        return to;
    }

    void start() {
        Thread.ofPlatform().daemon().name("hearth-relay").start(() -> pass(asker, target));
        Thread.ofPlatform().daemon().name("hearth-relay").start(() -> pass(target, asker));
    }

    private void pass(SocketChannel in, SocketChannel out) {
        var buffer = ByteBuffer.allocateDirect(BUFFER_BYTES);
        try {
            while (in.read(buffer.clear()) >= 0) {
                buffer.flip();
                while (buffer.hasRemaining()) {
                    out.write(buffer);
                }
            }
            out.shutdownOutput(); // the other direction may still have bytes to deliver
        } catch (IOException broken) {
            end();
        } finally {
            if (directions.decrementAndGet() == 0) {
                end();
                ended.accept(this);
            }
        }
    }

    /** Closes both connections, which ends both threads. */
    void end() {
        Deadlines.close(asker);
        Deadlines.close(target);
    }
}
