package io.hearth.collective;

import io.hearth.accel.Reducer;
import io.hearth.transport.StreamSource;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Moves bytes on rings, for one thread at a time: the caller for its own collective, a forwarder for results that others lack.
 * So an attempt of a former group epoch is over before one of the next touches buffers and companion.
 */
final class RingDriver implements AutoCloseable {
    private final String group;
    private final StreamSource streams;
    private final Reducer reducer;
    private final int segmentBytes;
    private final Gate gate = new Gate();
    private final Companion companion;
    private final ReentrantLock driving = new ReentrantLock();

    RingDriver(String group, StreamSource streams, Reducer reducer, int segmentBytes) {
        this.group = group;
        this.streams = streams;
        this.reducer = reducer;
        this.segmentBytes = segmentBytes;
        this.companion = new Companion("hearth-receive-" + group);
    }

    /** Where its threads stop for a freeze. */
    Gate gate() {
        return gate;
    }

    /**
     * Plays one attempt of a call on this thread.
     *
     * @return the refusal with which the number ended on all ranks, if it did
     * @throws IOException the ring is broken or abandoned
     */
    Optional<Refusal> attempt(Call call, Call.Attempt attempt) throws IOException, InterruptedException {
        Ring on = attempt.ring();
        return drive(on, () -> {
            long before = on.bytesSent();
            try {
                var exchange = Exchange.ofCall(
                        new Exchange.Drive(on, gate, companion, reducer),
                        call.number,
                        call.signature(),
                        attempt.doomed());
                return call.contribution().attempt(new Contribution.Place(exchange, on, segmentBytes, call));
            } finally {
                call.bytesSent += on.bytesSent() - before;
            }
        });
    }

    /**
     * Carries a result from its holder to all, on this thread.
     *
     * @param target holds the result, or takes it
     * @throws IOException the ring is broken or abandoned
     */
    void carry(Ring on, GroupMachine.Effect.Forward forward, MemorySegment target)
            throws IOException, InterruptedException {
        if (forward.root() < 0 || target.byteSize() != forward.bytes()) {
            throw new RingBrokenException(
                    on.previous(),
                    "number " + forward.number() + " is forwarded with " + forward.bytes() + " bytes, "
                            + target.byteSize() + " were asked for here");
        }
        var schedule = new BroadcastSchedule(on.rank(), on.world(), forward.root(), forward.bytes(), segmentBytes);
        drive(
                on,
                () -> Exchange.ofForward(
                                new Exchange.Drive(on, gate, companion, reducer),
                                forward.number(),
                                forward.bytes(),
                                forward.held())
                        .play(schedule, target));
    }

    /** What moves bytes while the ring is this thread's. */
    private interface Driven {
        Optional<Refusal> run() throws IOException;
    }

    private Optional<Refusal> drive(Ring on, Driven driven) throws IOException, InterruptedException {
        driving.lockInterruptibly();
        try {
            gate.pass(on);
            if (!on.isOpen()) {
                openStreams(on);
            }
            return driven.run();
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
            throw new IOException("opening streams failed: " + failure, failure);
        }
    }

    /** Ends the companion; nobody may be driving. */
    @Override
    public void close() {
        companion.close();
    }
}
