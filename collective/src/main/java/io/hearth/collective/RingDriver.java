package io.hearth.collective;

import io.hearth.accel.Reducer;
import io.hearth.transport.StreamSource;
import java.io.IOException;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Moves bytes on a ring, for one thread at a time: the caller for its own collective, a forwarder for results that others lack.
 * So an attempt of a former group epoch is over before one of the next touches buffers and companion.
 */
final class RingDriver implements AutoCloseable {
    private final String group;
    private final StreamSource streams;
    private final Reducer reducer;
    private final Gate gate;
    private final Companion companion;
    private final ReentrantLock driving = new ReentrantLock();

    RingDriver(String group, StreamSource streams, Reducer reducer, Gate gate) {
        this.group = group;
        this.streams = streams;
        this.reducer = reducer;
        this.gate = gate;
        this.companion = new Companion("hearth-receive-" + group);
    }

    /** What moves bytes. */
    interface Job<T> {
        T run(Exchange.Drive drive) throws IOException;
    }

    /**
     * Runs a job once nobody else drives and the ring's streams are open.
     *
     * @throws IOException the ring is broken or abandoned
     */
    <T> T drive(Ring on, Job<T> job) throws IOException, InterruptedException {
        driving.lockInterruptibly();
        try {
            gate.pass(on);
            if (!on.isOpen()) {
                openStreams(on);
            }
            return job.run(new Exchange.Drive(on, gate, companion, reducer));
        } finally {
            driving.unlock();
        }
    }

    /** Does something while nobody drives. Waits for whoever does: not for long, if that ring was abandoned. */
    void whenIdle(Runnable action) {
        driving.lock();
        try {
            action.run();
        } finally {
            driving.unlock();
        }
    }

    private void openStreams(Ring on) throws IOException, InterruptedException {
        companion.start(() -> on.open(streams, group));
        try {
            companion.await();
        } catch (InterruptedException stop) {
            on.abandon();
            companion.awaitIdle();
            throw stop;
        }
        on.check();
        Throwable failure = companion.failure();
        if (failure != null) {
            throw Companion.rethrown("opening streams failed", failure);
        }
    }

    /** Waits some seconds for the job of the moment; whether its thread is gone. */
    boolean end() {
        return companion.end();
    }

    @Override
    public void close() {
        end();
    }
}
