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
 * One holder of the state, as the fetching rank sees it. A thread of its own opens the stream, receives and checks records, and
 * reports to the fetcher. The fetcher's thread sends the requests.
 */
final class FetchSource {
    private final int source;
    private final NodeId peer;
    private final int fetcherRank;
    private final long number;
    private final Bytes digest;
    private final StateStreams streams;
    private final BlockingQueue<Report> inbox;
    private final Queue<Slot> asked = new ConcurrentLinkedQueue<>(); // filled by the fetcher, emptied by this source
    private final Semaphore mayReopen = new Semaphore(0);
    private final ChunkFingerprint fingerprint = new ChunkFingerprint();
    private final ByteArrayOutputStream manifest = new ByteArrayOutputStream();
    private volatile @Nullable DataStream stream; // written by the source's thread, read by the fetcher

    /** Reports of a source to the fetcher. */
    sealed interface Report {
        /** An event for the machine. */
        record Occurred(FetchMachine.Event event) implements Report {}

        /** The expected manifest arrived. */
        record ManifestCame(int source, StateManifest manifest) implements Report {}

        /** A chunk arrived with the right fingerprint. */
        record ChunkCame(int source, Slot slot) implements Report {}
    }

    /** A chunk that is received into a piece of memory. Only the source's thread touches it until the chunk is reported. */
    static final class Slot {
        final int chunk;
        final long start;
        final int length;
        final long fingerprint;
        final MemorySegment piece;
        private int filled;

        /** Creates the slot of the chunk that begins at {@code start}. */
        Slot(int chunk, long start, int length, long fingerprint, MemorySegment piece) {
            this.chunk = chunk;
            this.start = start;
            this.length = length;
            this.fingerprint = fingerprint;
            this.piece = piece;
        }
    }

    /** The source sent something else than was requested. */
    private static final class InvalidDataException extends IOException {
        private static final long serialVersionUID = 1L;

        InvalidDataException(String message) {
            super(message);
        }
    }

    /**
     * Creates a source.
     *
     * @param source its number
     * @param fetcherRank this node's rank
     * @param digest expected digest of its manifest
     * @param inbox gets its reports
     */
    FetchSource(
            int source,
            NodeId peer,
            int fetcherRank,
            long number,
            Bytes digest,
            StateStreams streams,
            BlockingQueue<Report> inbox) {
        this.source = source;
        this.peer = peer;
        this.fetcherRank = fetcherRank;
        this.number = number;
        this.digest = digest;
        this.streams = streams;
        this.inbox = inbox;
    }

    /** Receives until the source ends; runs on the source's thread. */
    void run() throws IOException, InterruptedException {
        try {
            while (true) {
                DataStream opened = streams.open(peer, fetcherRank);
                asked.clear();
                manifest.reset();
                stream = opened;
                post(new FetchMachine.Event.Opened(source));
                try {
                    while (true) {
                        take(opened.receive());
                    }
                } catch (InternalError error) {
                    post(new FetchMachine.Event.Lost(
                            source, String.valueOf(MemoryFault.of(error).getMessage())));
                } catch (InvalidDataException invalid) {
                    post(new FetchMachine.Event.Invalid(source, String.valueOf(invalid.getMessage())));
                    return;
                } catch (IOException broken) {
                    post(new FetchMachine.Event.Lost(source, String.valueOf(broken.getMessage())));
                } finally {
                    opened.close();
                }
                mayReopen.acquire();
            }
        } finally {
            inbox.offer(new Report.Occurred(new FetchMachine.Event.Tick())); // wakes the fetcher
        }
    }

    private void post(FetchMachine.Event event) throws InterruptedException {
        inbox.put(new Report.Occurred(event));
    }

    private void take(ReceivedRecord received) throws IOException, InterruptedException {
        RecordHeader header = received.header();
        if (header.collective() == number && header.kind() == StateServer.MANIFEST) {
            takeManifest(received);
        } else if (header.collective() == number && header.kind() == StateServer.CHUNK) {
            takeChunk(received);
        } else {
            throw new InvalidDataException("sent kind " + header.kind() + " of number " + header.collective());
        }
    }

    private void takeManifest(ReceivedRecord received) throws IOException, InterruptedException {
        RecordHeader header = received.header();
        if (header.offset() != manifest.size()
                || header.length() > StateManifest.ENCODED_MAX - manifest.size()
                || header.length() == 0) {
            throw new InvalidDataException(
                    "sent " + header.length() + " bytes at " + header.offset() + " of a manifest");
        }
        manifest.writeBytes(received.toBytes());
        if (header.chunk() != StateServer.LAST) {
            post(new FetchMachine.Event.Heard(source));
            return;
        }
        byte[] whole = manifest.toByteArray();
        manifest.reset();
        if (!digest.equals(Bytes.of(StateManifest.sha256(whole)))) {
            throw new InvalidDataException("sent the manifest of another state");
        }
        try {
            inbox.put(new Report.ManifestCame(source, StateManifest.decode(whole)));
        } catch (MalformedMessageException malformed) {
            throw new InvalidDataException("sent a " + malformed.getMessage());
        }
    }

    private void takeChunk(ReceivedRecord received) throws IOException, InterruptedException {
        RecordHeader header = received.header();
        Slot slot = asked.peek();
        if (slot == null
                || header.offset() != slot.start + slot.filled
                || header.length() > slot.length - slot.filled
                || header.length() == 0) {
            throw new InvalidDataException(
                    "sent " + header.length() + " bytes at " + header.offset() + ", not requested");
        }
        received.copyTo(slot.piece, slot.filled);
        slot.filled += header.length();
        if (slot.filled < slot.length) {
            post(new FetchMachine.Event.Heard(source));
            return;
        }
        asked.remove();
        if (fingerprint.of(slot.piece.asSlice(0, slot.length)) != slot.fingerprint) {
            throw new InvalidDataException("sent wrong bytes for chunk " + slot.chunk);
        }
        inbox.put(new Report.ChunkCame(source, slot));
    }

    NodeId peer() {
        return peer;
    }

    /** Requests the manifest; called by the fetcher, like all methods below. */
    void askManifest() {
        send(StateServer.ASK_MANIFEST, 0);
    }

    /** Requests a chunk. */
    void ask(Slot slot) {
        asked.add(slot);
        send(StateServer.ASK_CHUNK, slot.start);
    }

    private void send(int kind, long offset) {
        DataStream to = stream;
        if (to == null) {
            throw new IllegalStateException("the source has no stream yet");
        }
        try {
            to.send(kind, 0, number, offset, MemorySegment.NULL, MemorySegment.NULL, 0, 0);
        } catch (IOException broken) {
            to.close(); // the source's thread notices and reports it
        }
    }

    /** Lets the source's thread open another stream. */
    void reopen() {
        mayReopen.release();
    }

    /** Closes the stream; no other one is opened. */
    void drop() {
        DataStream last = stream;
        if (last != null) {
            last.close();
        }
    }
}
