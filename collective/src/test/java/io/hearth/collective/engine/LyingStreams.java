package io.hearth.collective.engine;

import io.hearth.identity.NodeId;
import io.hearth.transport.DataStream;
import io.hearth.transport.ReceivedRecord;
import io.hearth.transport.StreamId;
import io.hearth.transport.StreamSource;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/** Streams that change a member's records before encryption: a lying member with valid keys. */
public final class LyingStreams implements StreamSource {
    private static final MemorySegment NOTHING = MemorySegment.ofArray(new byte[0]);

    private final StreamSource honest;
    private final Lie lie;
    private final boolean readsNothing;

    LyingStreams(StreamSource honest, Lie lie) {
        this(honest, lie, false);
    }

    /** Creates the streams of a liar; with {@code readsNothing} it reads nothing from them. */
    LyingStreams(StreamSource honest, Lie lie, boolean readsNothing) {
        this.honest = honest;
        this.lie = lie;
        this.readsNothing = readsNothing;
    }

    /** One record to be sent. */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    public record Said(int kind, int chunk, long number, long offset, byte[] bytes) {
        public Said of(int otherKind) {
            return new Said(otherKind, chunk, number, offset, bytes);
        }

        public Said ofChunk(int other) {
            return new Said(kind, other, number, offset, bytes);
        }

        public Said ofNumber(long other) {
            return new Said(kind, chunk, other, offset, bytes);
        }

        public Said at(long other) {
            return new Said(kind, chunk, number, other, bytes);
        }

        public Said with(byte[] other) {
            return new Said(kind, chunk, number, offset, other);
        }
    }

    /** Replaces records. Called for each record, by one thread at a time for each stream. */
    public interface Lie {
        List<Said> instead(Said record);
    }

    @Override
    public DataStream open(NodeId peer, StreamId id, Duration timeout) throws IOException, InterruptedException {
        var closed = new CountDownLatch(1);
        return new ForwardingStream(honest.open(peer, id, timeout)) {
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
                int before = (int) prefix.byteSize();
                byte[] all = new byte[before + length];
                MemorySegment.copy(prefix, ValueLayout.JAVA_BYTE, 0, all, 0, before);
                MemorySegment.copy(bytes, ValueLayout.JAVA_BYTE, from, all, before, length);
                for (Said said : lie.instead(new Said(kind, chunk, number, offset, all))) {
                    MemorySegment payload = MemorySegment.ofArray(said.bytes());
                    stream.send(
                            said.kind(),
                            said.chunk(),
                            said.number(),
                            said.offset(),
                            NOTHING,
                            payload,
                            0,
                            said.bytes().length);
                }
            }

            @Override
            public ReceivedRecord receive() throws IOException {
                if (readsNothing) {
                    try {
                        closed.await();
                    } catch (InterruptedException stop) {
                        throw new IOException(stop);
                    }
                }
                return stream.receive();
            }

            @Override
            public void close() {
                stream.close();
                closed.countDown();
            }
        };
    }
}
