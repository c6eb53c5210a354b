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
 * Streams and threads that transfer state between ranks during one boundary, beside the mesh. All end with {@link #close}, or with
 * the mesh.
 */
public final class StateStreams implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(StateStreams.class);

    /** Base of the stream indices; the mesh has lower ones. A fetching rank adds its own rank, so each stream has its own index. */
    private static final int INDEX_MIN = 16;

    private static final Duration OPEN_AT_ONCE_MAX = Duration.ofSeconds(2);
    private static final long RETRY_MILLIS = 50;

    private final StreamSource source;
    private final Mesh mesh;
    private final String group;
    private final Runnable onAbandon = this::end;
    private final CountDownLatch ended = new CountDownLatch(1);
    private final ReentrantLock lock = new ReentrantLock(); // guards the two fields below
    private final List<Thread> threads = new ArrayList<>();
    private final List<DataStream> open = new ArrayList<>();

    /** Opens no stream yet. */
    StateStreams(StreamSource source, Mesh mesh, String group) {
        this.source = source;
        this.mesh = mesh;
        this.group = group;
        mesh.adopt(onAbandon);
    }

    /** The work of a thread. It must end soon after an interrupt, or after a stream that it uses is closed. */
    interface Job {
        void run() throws IOException, InterruptedException;
    }

    /** Runs a job on a thread of its own. A checked exception only means that the job has ended. */
    void start(String name, Job job) {
        Thread thread = Thread.ofPlatform().name(name).daemon(true).unstarted(() -> {
            try {
                job.run();
            } catch (IOException | InterruptedException over) {
                // the job has reported it
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
     * Opens the stream over which rank {@code fetcher} gets state. Retries until the peer opens its end too.
     *
     * @throws IOException if the transfer has ended
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

    /** Ends the transfer, and returns when its last thread has ended. */
    @Override
    public void close() {
        mesh.release(onAbandon);
        end();
        RankThreads.joinAll(threads);
    }
}
