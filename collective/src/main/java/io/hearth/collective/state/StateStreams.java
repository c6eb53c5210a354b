package io.hearth.collective.state;

import io.hearth.collective.exchange.Mesh;
import io.hearth.collective.exchange.RankThreads;
import io.hearth.identity.NodeId;
import io.hearth.transport.DataStream;
import io.hearth.transport.StreamId;
import io.hearth.transport.StreamSource;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The streams and threads with which one boundary moves state between two ranks, beside the mesh. All end with {@link #close},
 * or with the mesh.
 */
public final class StateStreams implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(StateStreams.class);

    /** Streams of the mesh itself have lower indices. A rank that fetches adds its own number; no other rank uses that. */
    private static final int INDEX_MIN = 16;

    private static final Duration OPEN_AT_ONCE_MAX = Duration.ofSeconds(2);
    private static final long RETRY_MILLIS = 50;

    private final StreamSource source;
    private final Mesh mesh;
    private final String group;
    private final Runnable onAbandon = this::end;
    private final CountDownLatch ended = new CountDownLatch(1);
    private final ReentrantLock lock = new ReentrantLock(); // guards the next two
    private final List<Thread> threads = new ArrayList<>();
    private final List<DataStream> open = new ArrayList<>();

    /** Nothing is opened yet. */
    StateStreams(StreamSource source, Mesh mesh, String group) {
        this.source = source;
        this.mesh = mesh;
        this.group = group;
        mesh.adopt(onAbandon);
    }

    /** What a thread does; it ends soon once it is interrupted or a stream that it uses is closed. */
    interface Job {
        void run() throws IOException, InterruptedException;
    }

    /** Runs a job on a thread of its own; its checked exceptions only mean that it is over. */
    void start(String name, Job job) {
        Thread thread = Thread.ofPlatform().name(name).daemon(true).unstarted(() -> {
            try {
                job.run();
            } catch (IOException | InterruptedException over) {
                // the job told whom it concerns
            } catch (RuntimeException | Error bug) {
                LOG.error("a transfer of shared state stopped by a bug: report this", bug);
            }
        });
        lock.lock();
        try {
            if (hasEnded()) {
                return;
            }
            threads.add(thread);
            thread.start();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Opens the stream over which the rank {@code fetcher} gets state; asks again until the peer has asked too.
     *
     * @throws IOException this has ended
     */
    DataStream open(NodeId peer, int fetcher) throws IOException, InterruptedException {
        var id = new StreamId(group, mesh.fence(), INDEX_MIN + fetcher);
        while (!hasEnded()) {
            try {
                return kept(source.open(peer, id, OPEN_AT_ONCE_MAX));
            } catch (IOException notYet) {
                if (ended.await(RETRY_MILLIS, TimeUnit.MILLISECONDS)) {
                    throw notYet;
                }
            }
        }
        throw new IOException("the transfer of state has ended");
    }

    private DataStream kept(DataStream stream) throws IOException {
        lock.lock();
        try {
            if (!hasEnded()) {
                open.add(stream);
                return stream;
            }
        } finally {
            lock.unlock();
        }
        stream.close();
        throw new IOException("the transfer of state has ended");
    }

    boolean hasEnded() {
        return ended.getCount() == 0;
    }

    /** Closes all streams and interrupts all threads, from any thread. */
    private void end() {
        List<DataStream> streams;
        List<Thread> running;
        lock.lock();
        try {
            ended.countDown();
            streams = List.copyOf(open);
            running = List.copyOf(threads);
        } finally {
            lock.unlock();
        }
        streams.forEach(DataStream::close);
        running.forEach(Thread::interrupt);
    }

    /** Returns when the last thread is gone. */
    @Override
    public void close() {
        mesh.release(onAbandon);
        end();
        RankThreads.joinAll(threads);
    }
}
