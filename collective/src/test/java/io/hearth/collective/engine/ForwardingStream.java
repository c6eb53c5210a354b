package io.hearth.collective.engine;

import io.hearth.identity.NodeId;
import io.hearth.transport.DataStream;
import io.hearth.transport.ReceivedRecord;
import io.hearth.transport.StreamId;
import java.io.IOException;
import java.lang.foreign.MemorySegment;

/** Forwards to another stream; a subclass changes what its test needs. */
public abstract class ForwardingStream implements DataStream {
    protected final DataStream stream;

    protected ForwardingStream(DataStream stream) {
        this.stream = stream;
    }

    @Override
    public NodeId peer() {
        return stream.peer();
    }

    @Override
    public StreamId id() {
        return stream.id();
    }

    @Override
    public void send(
            int kind,
            int chunk,
            long number,
            long offset,
            MemorySegment prefix,
            MemorySegment bytes,
            long from,
            int length)
            throws IOException {
        stream.send(kind, chunk, number, offset, prefix, bytes, from, length);
    }

    @Override
    public ReceivedRecord receive() throws IOException {
        return stream.receive();
    }

    @Override
    public boolean isInMemory() {
        return stream.isInMemory();
    }

    @Override
    public boolean comesSoon() {
        return stream.comesSoon();
    }

    @Override
    public boolean hasRoom(int length) {
        return stream.hasRoom(length);
    }

    @Override
    public long bytesSent() {
        return stream.bytesSent();
    }

    @Override
    public void close() {
        stream.close();
    }
}
