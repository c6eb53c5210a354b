package io.hearth.collective.state;

import io.hearth.collective.state.machine.FetchMachine;
import io.hearth.core.Bytes;
import io.hearth.core.MalformedMessageException;
import io.hearth.identity.NodeId;
import io.hearth.transport.DataStream;
import io.hearth.transport.MemoryFault;
import io.hearth.transport.ReceivedRecord;
import io.hearth.transport.RecordHeader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.Queue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;

/**
 * One holder of the state, as the rank that fetches sees it. A thread of its own opens the stream, takes what comes, checks it,
 * and tells the fetcher; the fetcher's thread asks.
 */
final class FetchSource {
    private final int source;
    private final NodeId peer;
    private final int fetcherRank;
    private final long number;
    private final Bytes digest;
    private final StateStreams streams;
    private final BlockingQueue<News> inbox;
    private final Queue<Slot> asked = new ConcurrentLinkedQueue<>(); // filled by the fetcher, emptied by this thread
    private final Semaphore mayReopen = new Semaphore(0);
    private final ChunkFingerprint fingerprint = new ChunkFingerprint();
    private final ByteArrayOutputStream manifest = new ByteArrayOutputStream();
    private volatile @Nullable DataStream stream; // written by this thread, read by the fetcher

    /** What a source tells the fetcher. */
    sealed interface News {
        /** For the machine as it is. */
        record Happened(FetchMachine.Event event) implements News {}

        /** The right manifest. */
        record ManifestCame(int source, StateManifest manifest) implements News {}

        /** A chunk that is right. */
        record ChunkCame(int source, Slot slot) implements News {}
    }

    /** A chunk on its way into a piece of memory; touched by the source's thread until it is told of. */
    static final class Slot {
        final int chunk;
        final long start;
        final int length;
        final long fingerprint;
        final MemorySegment piece;
        private int filled;

        /** Of the chunk that begins at {@code start}. */
        Slot(int chunk, long start, int length, long fingerprint, MemorySegment piece) {
            this.chunk = chunk;
            this.start = start;
            this.length = length;
            this.fingerprint = fingerprint;
            this.piece = piece;
        }
    }

    /** What came is not what was asked for. */
    private static final class LiedException extends IOException {
        private static final long serialVersionUID = 1L;

        LiedException(String message) {
            super(message);
        }
    }

    /**
     * A source.
     *
     * @param source its number
     * @param fetcherRank this node's rank
     * @param digest that its manifest must have
     * @param inbox what it tells goes there
     */
    FetchSource(
            int source,
            NodeId peer,
            int fetcherRank,
            long number,
            Bytes digest,
            StateStreams streams,
            BlockingQueue<News> inbox) {
        this.source = source;
        this.peer = peer;
        this.fetcherRank = fetcherRank;
        this.number = number;
        this.digest = digest;
        this.streams = streams;
        this.inbox = inbox;
    }

    /** Takes what comes; for its thread. */
    void run() throws IOException, InterruptedException {
        try {
            while (true) {
                DataStream opened = streams.open(peer, fetcherRank);
                asked.clear();
                manifest.reset();
                stream = opened;
                tell(new FetchMachine.Event.Opened(source));
                try {
                    while (true) {
                        take(opened.receive());
                    }
                } catch (InternalError error) {
                    tell(new FetchMachine.Event.Lost(
                            source, String.valueOf(MemoryFault.of(error).getMessage())));
                } catch (LiedException lied) {
                    tell(new FetchMachine.Event.Lied(source, String.valueOf(lied.getMessage())));
                    return;
                } catch (IOException broken) {
                    tell(new FetchMachine.Event.Lost(source, String.valueOf(broken.getMessage())));
                } finally {
                    opened.close();
                }
                mayReopen.acquire();
            }
        } finally {
            inbox.offer(new News.Happened(new FetchMachine.Event.Tick())); // the fetcher looks why nothing comes
        }
    }

    private void tell(FetchMachine.Event event) throws InterruptedException {
        inbox.put(new News.Happened(event));
    }

    private void take(ReceivedRecord received) throws IOException, InterruptedException {
        RecordHeader header = received.header();
        if (header.collective() == number && header.kind() == StateServer.MANIFEST) {
            takeManifest(received);
        } else if (header.collective() == number && header.kind() == StateServer.CHUNK) {
            takeChunk(received);
        } else {
            throw new LiedException("sent kind " + header.kind() + " of number " + header.collective());
        }
    }

    private void takeManifest(ReceivedRecord received) throws IOException, InterruptedException {
        RecordHeader header = received.header();
        if (header.offset() != manifest.size()
                || header.length() > StateManifest.ENCODED_MAX - manifest.size()
                || header.length() == 0) {
            throw new LiedException("sent " + header.length() + " bytes at " + header.offset() + " of a manifest");
        }
        manifest.writeBytes(received.toBytes());
        if (header.chunk() != StateServer.LAST) {
            tell(new FetchMachine.Event.Heard(source));
            return;
        }
        byte[] whole = manifest.toByteArray();
        manifest.reset();
        if (!digest.equals(Bytes.of(StateManifest.sha256(whole)))) {
            throw new LiedException("sent the manifest of another state");
        }
        try {
            inbox.put(new News.ManifestCame(source, StateManifest.decode(whole)));
        } catch (MalformedMessageException malformed) {
            throw new LiedException("sent " + malformed.getMessage());
        }
    }

    private void takeChunk(ReceivedRecord received) throws IOException, InterruptedException {
        RecordHeader header = received.header();
        Slot slot = asked.peek();
        if (slot == null
                || header.offset() != slot.start + slot.filled
                || header.length() > slot.length - slot.filled
                || header.length() == 0) {
            throw new LiedException("sent " + header.length() + " bytes at " + header.offset() + ", not asked for");
        }
        received.copyTo(slot.piece, slot.filled);
        slot.filled += header.length();
        if (slot.filled < slot.length) {
            tell(new FetchMachine.Event.Heard(source));
            return;
        }
        asked.remove();
        if (fingerprint.of(slot.piece.asSlice(0, slot.length)) != slot.fingerprint) {
            throw new LiedException("sent wrong bytes for chunk " + slot.chunk);
        }
        inbox.put(new News.ChunkCame(source, slot));
    }

    NodeId peer() {
        return peer;
    }

    /** Asks for the manifest; for the fetcher, like all below. */
    void askManifest() {
        send(StateServer.ASK_MANIFEST, 0);
    }

    /** Asks for a chunk. */
    void ask(Slot slot) {
        asked.add(slot);
        send(StateServer.ASK_CHUNK, slot.start);
    }

    private void send(int kind, long offset) {
        DataStream to = stream;
        if (to == null) {
            throw new IllegalStateException("nobody asks a source before it was opened");
        }
        try {
            to.send(kind, 0, number, offset, MemorySegment.NULL, MemorySegment.NULL, 0, 0);
        } catch (IOException broken) {
            to.close(); // its own thread sees that and tells of it
        }
    }

    /** Lets it open another stream. */
    void reopen() {
        mayReopen.release();
    }

    /** Ends its stream for good. */
    void drop() {
        DataStream last = stream;
        if (last != null) {
            last.close();
        }
    }
}
