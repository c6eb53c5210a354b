package io.hearth.collective.state;

import io.hearth.identity.NodeId;
import io.hearth.transport.DataStream;
import io.hearth.transport.RecordHeader;
import java.io.EOFException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Serves this rank's state to a rank that lacks it, on a thread of its own. It answers one request after the other, until the peer
 * closes the stream or the boundary ends. A stream that breaks is opened again.
 */
public final class StateServer {
    /** Request without payload; the answer is the manifest in records of {@link #MANIFEST}. */
    static final int ASK_MANIFEST = RecordHeader.USER_MIN + 16;

    /** Part of a manifest at the header's offset; chunk is {@link #LAST} in the last part. */
    static final int MANIFEST = ASK_MANIFEST + 1;

    /** Request without payload for the chunk that begins at the header's offset. */
    static final int ASK_CHUNK = ASK_MANIFEST + 2;

    /** Part of a chunk; the header has its offset in the whole state. */
    public static final int CHUNK = ASK_MANIFEST + 3;

    /** See {@link #MANIFEST}. */
    static final int LAST = 1;

    private static final Logger LOG = LoggerFactory.getLogger(StateServer.class);
    private static final int RECORD_BYTES = 128 * 1024;

    private final SharedState state;
    private final StateManifest manifest;
    private final StateStreams streams;
    private final NodeId fetcher;
    private final int fetcherRank;
    private final long number;
    private final byte[] record = new byte[RECORD_BYTES];

    /**
     * Creates the server for one rank.
     *
     * @param state borrowed, not written before this server has ended
     * @param manifest manifest of {@code state}
     * @param number number of the boundary's call
     */
    StateServer(
            SharedState state,
            StateManifest manifest,
            StateStreams streams,
            NodeId fetcher,
            int fetcherRank,
            long number) {
        this.state = state;
        this.manifest = manifest;
        this.streams = streams;
        this.fetcher = fetcher;
        this.fetcherRank = fetcherRank;
        this.number = number;
    }

    /** Serves requests; runs on the server's thread. */
    void run() throws IOException, InterruptedException {
        while (true) {
            DataStream stream = streams.open(fetcher, fetcherRank);
            try {
                while (true) {
                    answer(stream, stream.receive().header());
                }
            } catch (EOFException done) {
                return;
            } catch (IOException broken) {
                LOG.debug("stream of state to peer={} ended: {}", fetcher.shortText(), broken.getMessage());
            } finally {
                stream.close();
            }
        }
    }

    private void answer(DataStream stream, RecordHeader asked) throws IOException {
        StateLayout layout = manifest.layout();
        long offset = asked.offset();
        if (asked.collective() == number && asked.kind() == ASK_MANIFEST) {
            sendManifest(stream);
        } else if (asked.collective() == number
                && asked.kind() == ASK_CHUNK
                && offset >= 0
                && offset < layout.bytes()
                && offset % layout.chunkBytes() == 0) {
            sendChunk(stream, offset, layout.chunkLength((int) (offset / layout.chunkBytes())));
        } else {
            LOG.warn("invalid request for state: peer={} kind={} offset={}", fetcher, asked.kind(), offset);
            throw new IOException("invalid request for state");
        }
    }

    private void sendManifest(DataStream stream) throws IOException {
        MemorySegment bytes = MemorySegment.ofArray(manifest.encode());
        long from = 0;
        do {
            int length = (int) Math.min(RECORD_BYTES, bytes.byteSize() - from);
            int mark = from + length == bytes.byteSize() ? LAST : 0;
            stream.send(MANIFEST, mark, number, from, MemorySegment.NULL, bytes, from, length);
            from += length;
        } while (from < bytes.byteSize());
    }

    private void sendChunk(DataStream stream, long start, int chunkLength) throws IOException {
        for (int from = 0; from < chunkLength; from += RECORD_BYTES) {
            int length = Math.min(RECORD_BYTES, chunkLength - from);
            MemorySegment bytes = MemorySegment.ofArray(record).asSlice(0, length);
            state.read(start + from, bytes);
            stream.send(CHUNK, 0, number, start + from, MemorySegment.NULL, bytes, 0, length);
        }
    }
}
