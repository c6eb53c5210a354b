package io.hearth.transport.lane;

import io.hearth.transport.record.RecordStream;
import java.io.IOException;
import java.util.concurrent.locks.Condition;

/** One connection of a lane: its encrypted stream, a thread that reads it and a thread that writes it. */
final class LaneConnection {
    final int lane;
    final RecordStream stream;
    final String path; // for the log
    final Condition work; // of the stream's lock; for the writer
    final byte[] prefix = LanePrefix.create(); // of the record that is being written
    boolean writing; // a thread writes a record; under the stream's lock, like the next fields
    boolean unwritable; // a write failed
    boolean gone;
    private final LaneStream owner;
    private final Thread reader;
    private final Thread writer;

    LaneConnection(LaneStream owner, int lane, RecordStream stream, String path, Condition work) {
        this.owner = owner;
        this.lane = lane;
        this.stream = stream;
        this.path = path;
        this.work = work;
        // Platform threads: a socket on which a virtual thread waited stays non-blocking.
        reader = Thread.ofPlatform().daemon().name("hearth-lane-in-" + lane).unstarted(this::read);
        writer = Thread.ofPlatform().daemon().name("hearth-lane-out-" + lane).unstarted(this::write);
    }

    void start() {
        stream.becomeLane();
        reader.start();
        writer.start();
    }

    private void read() {
        try {
            byte[] target = owner.emptyRecord();
            while (true) {
                target = owner.arrived(this, stream.receiveLane(target), target);
            }
        } catch (IllegalArgumentException lie) {
            owner.lied(String.valueOf(lie.getMessage()), lie);
        } catch (IOException ended) {
            owner.ended(this, ended);
        }
    }

    private void write() {
        while (owner.awaitWork(this)) {
            owner.writeOne(this);
        }
    }

    /** Whether both threads have ended. */
    boolean isOver() {
        return !reader.isAlive() && !writer.isAlive();
    }

    /** Waits for the end of both threads, unless the caller is one of them. */
    void join(long millis) throws InterruptedException {
        for (Thread thread : new Thread[] {reader, writer}) {
            if (!thread.equals(Thread.currentThread())) {
                thread.join(millis);
            }
        }
    }
}
